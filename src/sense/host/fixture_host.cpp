#include "sense/host/fixture_host.h"

#include <cstring>
#include <deque>

#include "base/path.h"
#include "base/text.h"
#include "sense/host/fixture_bytes.h"

namespace gpuway {
namespace {

constexpr int kMaxLinks = 40;

Error not_found(const std::string& path) { return make_error(ErrorCode::not_found, path); }

// A file's bytes; where stat says more than the content holds, the rest is a hole of zeros.
class NodeSource final : public ByteSource {
 public:
  NodeSource(std::string content, std::uint64_t size, std::string identity)
      : content_(std::move(content)), size_(size), identity_(std::move(identity)) {}
  std::uint64_t size() const override { return size_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset >= size_) return std::size_t{0};
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - offset));
    std::memset(out.data(), 0, count);
    if (offset < content_.size()) {
      std::memcpy(out.data(), content_.data() + offset,
                  std::min<std::size_t>(count, content_.size() - static_cast<std::size_t>(offset)));
    }
    return count;
  }
  std::optional<ByteView> view() const override {
    if (size_ != content_.size()) return std::nullopt;
    return ByteView(content_);
  }
  std::string identity() const override { return identity_; }

 private:
  std::string content_;
  std::uint64_t size_;
  std::string identity_;
};

}  // namespace

FixtureHost::FixtureHost(FixtureMachine machine) : machine_(std::move(machine)) {
  if (machine_.windows) {
    for (const auto& [path, node] : machine_.nodes) spelling_.emplace(to_lower(path), path);
  }
  if (machine_.cached_libraries.empty() || machine_.nodes.contains("/etc/ld.so.cache")) return;
  machine_.put("/etc/ld.so.cache", {FileKind::regular,
                                    loader_cache_bytes(machine_.cached_libraries, machine_.glibc, machine_.elf_machine),
                                    {},
                                    0644,
                                    0,
                                    0,
                                    {},
                                    true});
}

std::string FixtureHost::spelled(const std::string& path) const {
  const auto found = spelling_.find(to_lower(path));
  return found == spelling_.end() ? path : found->second;
}

Result<RegistryKey> FixtureHost::read_registry(const std::string& key, RegistryView view) const {
  const auto found = machine_.registry.find((view == RegistryView::bits32 ? "32:" : "") + to_lower(key));
  if (!machine_.windows || found == machine_.registry.end()) return not_found(key);
  return found->second;
}

Result<std::vector<GraphicsAdapter>> FixtureHost::graphics_adapters() const {
  if (!machine_.graphics_adapters) return Host::graphics_adapters();
  return *machine_.graphics_adapters;
}

Result<ProcessorFeatures> FixtureHost::processor() const {
  if (!machine_.processor) return Host::processor();
  return *machine_.processor;
}

// Walks the path part by part, as the kernel does.
Result<FixtureHost::Found> FixtureHost::find(const std::string& path, bool follow_last) const {
  std::deque<std::string> parts;
  for (const auto part : split(path, '/')) parts.emplace_back(part);
  std::string real = "/";
  if (is_windows_path(path)) {
    real = spelled(parts.front() + "/");
    parts.pop_front();
  }
  int links = 0;
  while (!parts.empty()) {
    const auto part = std::move(parts.front());
    parts.pop_front();
    if (part.empty() || part == ".") continue;
    const auto here = machine_.nodes.find(real);
    if (here == machine_.nodes.end() || here->second.kind != FileKind::folder) return not_found(path);
    if (here->second.fault == ErrorCode::access_denied) return make_error(ErrorCode::access_denied, real);
    if (part == "..") {
      real = parent_path(real);
      continue;
    }
    auto next = spelled(join_path(real, part));
    const auto node = machine_.nodes.find(next);
    if (node == machine_.nodes.end()) return not_found(path);
    if (node->second.kind == FileKind::link && (!parts.empty() || follow_last)) {
      if (++links > kMaxLinks) return not_found(path);
      const auto& target = node->second.content;
      const auto more = split(target, '/');
      for (auto at = more.rbegin(); at != more.rend(); ++at) parts.emplace_front(*at);
      if (is_absolute(target)) real = "/";
      continue;
    }
    real = std::move(next);
  }
  const auto node = machine_.nodes.find(real);
  if (node == machine_.nodes.end()) return not_found(path);
  return Found{real, node->second};
}

Result<std::string> FixtureHost::read_file(const std::string& path, std::uint64_t limit) const {
  GPUWAY_TRY_ASSIGN(auto found, find(path, true));
  if (found.node.fault) return make_error(*found.node.fault, path);
  if (found.node.kind != FileKind::regular) return make_error(ErrorCode::unsupported, path + ": not a regular file");
  const auto size = found.node.size.value_or(found.node.content.size());
  if (size > limit)
    return make_error(ErrorCode::too_large, std::to_string(size) + " bytes, limit " + std::to_string(limit));
  return std::move(found.node.content);
}

Result<std::unique_ptr<ByteSource>> FixtureHost::open_file(const std::string& path) const {
  GPUWAY_TRY_ASSIGN(auto found, find(path, true));
  if (found.node.fault) return make_error(*found.node.fault, path);
  if (found.node.kind != FileKind::regular) return make_error(ErrorCode::unsupported, path + ": not a regular file");
  const auto size = found.node.size.value_or(found.node.content.size());
  std::unique_ptr<ByteSource> source =
      std::make_unique<NodeSource>(std::move(found.node.content), size, "fixture:" + found.path);
  return source;
}

Result<FolderListing> FixtureHost::list_folder(const std::string& path, std::size_t limit) const {
  return list_matching(path, limit, [](std::string_view) { return true; });
}

Result<FolderListing> FixtureHost::list_matching(const std::string& path, std::size_t limit,
                                                 bool (*wanted)(std::string_view)) const {
  GPUWAY_TRY_ASSIGN(const auto found, find(path, true));
  if (found.node.fault) return make_error(*found.node.fault, path);
  if (found.node.kind != FileKind::folder) return not_found(path);
  FolderListing listing;
  const auto prefix = found.path.ends_with('/') ? found.path : found.path + "/";
  for (auto row = machine_.nodes.upper_bound(prefix); row != machine_.nodes.end() && row->first.starts_with(prefix);
       ++row) {
    const auto name = std::string_view(row->first).substr(prefix.size());
    if (name.empty() || name.find('/') != std::string_view::npos || !wanted(name)) continue;
    if (listing.entries.size() == limit) {
      listing.complete = false;
      break;
    }
    listing.entries.push_back({std::string(name), row->second.kind});
  }
  return listing;
}

Result<FileStat> FixtureHost::stat(const std::string& path, bool follow_links) const {
  GPUWAY_TRY_ASSIGN(const auto found, find(path, follow_links));
  FileStat out;
  out.kind = found.node.kind;
  out.size = found.node.size.value_or(found.node.content.size());
  out.mode = found.node.mode;
  out.owner = found.node.owner;
  out.group = found.node.group;
  out.id = "fixture:" + found.path;
  return out;
}

Result<std::string> FixtureHost::read_link(const std::string& path) const {
  GPUWAY_TRY_ASSIGN(const auto found, find(path, false));
  if (found.node.kind != FileKind::link) return make_error(ErrorCode::unsupported, path + ": not a link");
  return found.node.content;
}

Result<std::string> FixtureHost::real_path(const std::string& path) const {
  GPUWAY_TRY_ASSIGN(auto found, find(path, true));
  return std::move(found.path);
}

Result<bool> FixtureHost::can_open(const std::string& path) const {
  GPUWAY_TRY_ASSIGN(const auto found, find(path, true));
  if (found.node.fault == ErrorCode::access_denied) return false;
  return found.node.opens;
}

Result<ProgramOutput> FixtureHost::run_program(const ProgramRequest& request) const {
  const auto& name = request.arguments.at(0);
  // The record with most of the command's words answers.
  auto recorded = machine_.programs.end();
  std::string words;
  for (const auto& argument : request.arguments) {
    words += (words.empty() ? "" : " ") + argument;
    if (const auto found = machine_.programs.find(words); found != machine_.programs.end()) recorded = found;
  }
  if (recorded == machine_.programs.end()) {
    note("program " + words);
    return make_error(ErrorCode::not_found, name);
  }
  if (recorded->second.fault) return make_error(*recorded->second.fault, name);
  auto output = recorded->second.output;
  output.cut = output.out.size() > request.output_limit;
  if (output.cut) output.out.resize(static_cast<std::size_t>(request.output_limit));
  return output;
}

DriverReport FixtureHost::ask_driver(const DriverRequest& request) const {
  const auto asked = find(request.libcuda, true);
  for (const auto& [path, report] : machine_.drivers) {
    const auto own = find(path, true);
    const bool same = path == request.libcuda || (asked && own && asked->path == own->path);
    if (same) return report;
  }
  note("driver " + request.libcuda);
  DriverReport report;
  report.path = request.libcuda;
  report.detail = "no answer recorded";
  return report;
}

std::vector<std::string> FixtureHost::unexpected() const {
  const std::lock_guard lock(mutex_);
  return unexpected_;
}

void FixtureHost::note(std::string question) const {
  const std::lock_guard lock(mutex_);
  unexpected_.push_back(std::move(question));
}

}  // namespace gpuway
