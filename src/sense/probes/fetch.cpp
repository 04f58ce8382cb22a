#include "sense/probes/fetch.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "think/formats/elf.h"
#include "think/formats/elf_symbols.h"
#include "think/formats/fatbin.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxNames = 65536;
constexpr std::uint64_t kMaxText = 1 << 20;
// NVIDIA's libcudnn_graph has more than 64 MiB; it is searched in place, not copied.
constexpr std::uint64_t kMaxNeedleFile = std::uint64_t{1} << 30;

// The loader replay only asks listings for libraries and hardware folders.
bool library_like(std::string_view name) {
  return name.find(".so") != std::string_view::npos || name == "glibc-hwcaps";
}

FolderView fetch_folder(const Host& host, const std::string& path) {
  FolderView view;
  auto listing = host.list_matching(path, kMaxNames, &library_like);
  if (!listing) {
    view.reason = listing.error().code;
    view.detail = listing.error().text();
    switch (listing.error().code) {
      case ErrorCode::not_found: {
        const auto stat = host.stat(path, true);
        view.outcome = stat ? FolderView::Outcome::not_folder : FolderView::Outcome::missing;
        break;
      }
      case ErrorCode::access_denied: view.outcome = FolderView::Outcome::denied; break;
      default: view.outcome = FolderView::Outcome::unreadable; break;
    }
    return view;
  }
  if (!listing->complete) {
    view.reason = ErrorCode::too_large;
    view.detail = "more than " + std::to_string(kMaxNames) + " libraries";
    return view;
  }
  view.outcome = FolderView::Outcome::listed;
  for (auto& entry : listing->entries) view.names.push_back(std::move(entry.name));
  return view;
}

BinaryView fetch_binary(const Host& host, const std::string& path) {
  BinaryView view;
  const auto source = host.open_file(path);
  if (!source) {
    view.reason = source.error().code;
    view.detail = source.error().text();
    switch (source.error().code) {
      case ErrorCode::not_found: view.outcome = BinaryView::Outcome::missing; break;
      case ErrorCode::access_denied: view.outcome = BinaryView::Outcome::denied; break;
      case ErrorCode::unsupported: view.outcome = BinaryView::Outcome::not_regular; break;
      default: view.outcome = BinaryView::Outcome::unreadable; break;
    }
    return view;
  }
  view = classify_binary(**source);
  if (const auto stat = host.stat(path, true)) view.file_id = stat->id;
  // Only a link, or a path through one, has another real path; the name is what people look for.
  if (auto real = host.real_path(path)) view.real_path = real.take();
  return view;
}

Fact<bool> fetch_needle(const Host& host, const Wants::Needle& needle) {
  const Source source{Source::Kind::file, needle.path};
  const auto file = host.open_file(needle.path);
  if (!file) return Fact<bool>::from_error(file.error(), source);
  const auto size = (*file)->size();
  if (size > kMaxNeedleFile) {
    return Fact<bool>::undetermined(ErrorCode::too_large, std::to_string(size) + " bytes, limit " + std::to_string(kMaxNeedleFile), source);
  }
  const auto bytes = (*file)->view();
  if (!bytes) return Fact<bool>::undetermined(ErrorCode::unsupported, "the file cannot be mapped", source);
  const std::string_view content(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  return Fact<bool>::known(content.find(needle.text) != std::string_view::npos, source);
}

/// Files that symbol checks map, kept until the round is over.
class OpenFiles {
 public:
  explicit OpenFiles(const Host& host) : host_(host) {}
  Result<ByteView> view(const std::string& path) {
    GPUWAY_TRY_ASSIGN(auto source, host_.open_file(path));
    const auto bytes = source->view();
    sources_.push_back(std::move(source));
    if (!bytes) return make_error(ErrorCode::unsupported, "the file cannot be mapped");
    return *bytes;
  }

 private:
  const Host& host_;
  std::vector<std::unique_ptr<ByteSource>> sources_;
};

template <class T>
Fact<T> as_fact(Result<T> result, const std::string& path) {
  const Source source{Source::Kind::file, path};
  if (!result) return Fact<T>::from_error(result.error(), source);
  return Fact<T>::known(result.take(), source);
}

Fact<GpuCodeSummary> fetch_gpu_code(const Host& host, const std::string& path) {
  const auto file = host.open_file(path);
  if (!file) return Fact<GpuCodeSummary>::from_error(file.error(), {Source::Kind::file, path});
  return as_fact(summarize_gpu_code(**file), path);
}

}  // namespace

bool fetch(const Host& host, const Wants& wants, Snapshot& snapshot) {
  bool added = false;
  const auto fill = [&](const auto& wanted, auto& known, auto&& get) {
    for (const auto& [key, what] : wanted) {
      if (known.contains(key)) continue;
      known.emplace(key, get(key, what));
      added = true;
    }
  };
  fill(wants.folders, snapshot.folders, [&](const std::string& path, bool) { return fetch_folder(host, path); });
  fill(wants.binaries, snapshot.binaries, [&](const std::string& path, bool) { return fetch_binary(host, path); });
  fill(wants.texts, snapshot.texts, [&](const std::string& path, bool) { return as_fact(host.read_file(path, kMaxText), path); });
  fill(wants.needles, snapshot.needles, [&](const std::string&, const Wants::Needle& needle) { return fetch_needle(host, needle); });
  fill(wants.gpu_code, snapshot.gpu_code, [&](const std::string& path, bool) { return fetch_gpu_code(host, path); });
  fill(wants.driver_reports, snapshot.driver.reports, [&](const std::string&, const Wants::DriverQuestion& question) {
    return host.ask_driver({question.libcuda, question.libnvml});
  });
  if (!wants.symbol_checks.empty()) {
    OpenFiles files(host);
    SymbolsByPath parsed;
    fill(wants.symbol_checks, snapshot.symbol_checks, [&](const std::string&, const SymbolCheck& question) {
      return run_symbol_check(question, [&](const std::string& path) { return files.view(path); }, parsed);
    });
  }
  return added;
}

}  // namespace gpuway
