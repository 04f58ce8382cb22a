#include "sense/host/root_host.h"

#include <deque>

#include "base/path.h"
#include "base/text.h"

namespace gpuway {
namespace {

constexpr int kMaxLinks = 40;

class RootHost final : public Host {
 public:
  RootHost(const Host& below, std::string root) : below_(below), root_(std::move(root)) {}

  Result<std::string> read_file(const std::string& path, std::uint64_t limit) const override {
    GPUWAY_TRY_ASSIGN(const auto real, resolve(path, true));
    return below_.read_file(outside(real), limit);
  }
  Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) const override {
    GPUWAY_TRY_ASSIGN(const auto real, resolve(path, true));
    return below_.open_file(outside(real));
  }
  Result<FolderListing> list_folder(const std::string& path, std::size_t limit) const override {
    GPUWAY_TRY_ASSIGN(const auto real, resolve(path, true));
    return below_.list_folder(outside(real), limit);
  }
  Result<FolderListing> list_matching(const std::string& path, std::size_t limit, bool (*wanted)(std::string_view)) const override {
    GPUWAY_TRY_ASSIGN(const auto real, resolve(path, true));
    return below_.list_matching(outside(real), limit, wanted);
  }
  Result<FileStat> stat(const std::string& path, bool follow_links) const override {
    GPUWAY_TRY_ASSIGN(const auto real, resolve(path, follow_links));
    return below_.stat(outside(real), false);
  }
  Result<std::string> read_link(const std::string& path) const override {
    GPUWAY_TRY_ASSIGN(const auto real, resolve(path, false));
    return below_.read_link(outside(real));
  }
  Result<std::string> real_path(const std::string& path) const override {
    GPUWAY_TRY_ASSIGN(auto real, resolve(path, true));
    GPUWAY_TRY(below_.stat(outside(real), false));
    return real;
  }
  Result<bool> can_open(const std::string& path) const override { return make_error(ErrorCode::not_looked, path + ": another root"); }
  const std::map<std::string, std::string>& environment() const override { return none_; }
  std::string current_folder() const override { return "/"; }
  Result<ProgramOutput> run_program(const ProgramRequest&) const override { return make_error(ErrorCode::not_looked, "programs of another root are not run"); }
  DriverReport ask_driver(const DriverRequest& request) const override {
    DriverReport report;
    report.path = request.libcuda;
    report.detail = "the driver of another root cannot be asked";
    return report;
  }
  bool is_live() const override { return false; }
  std::string root() const override { return root_; }
  std::int64_t clock_ms() const override { return below_.clock_ms(); }
  std::string today() const override { return below_.today(); }

 private:
  std::string outside(const std::string& inside) const { return inside == "/" ? root_ : root_ + inside; }

  // Walks the path part by part, as the kernel would after chroot(root).
  Result<std::string> resolve(const std::string& path, bool follow_last) const {
    std::deque<std::string> parts;
    for (const auto part : split(path, '/')) parts.emplace_back(part);
    std::string real = "/";
    int links = 0;
    while (!parts.empty()) {
      const auto part = std::move(parts.front());
      parts.pop_front();
      if (part.empty() || part == ".") continue;
      if (part == "..") {
        real = parent_path(real);
        continue;
      }
      auto next = join_path(real, part);
      const bool last = parts.empty();
      if (!last || follow_last) {
        if (const auto stat = below_.stat(outside(next), false); stat && stat->kind == FileKind::link) {
          if (++links > kMaxLinks) return make_error(ErrorCode::not_found, path + ": more than " + std::to_string(kMaxLinks) + " links");
          GPUWAY_TRY_ASSIGN(const auto target, below_.read_link(outside(next)));
          const auto more = split(target, '/');
          for (auto at = more.rbegin(); at != more.rend(); ++at) parts.emplace_front(*at);
          if (is_absolute(target)) real = "/";
          continue;
        }
      }
      real = std::move(next);
    }
    return real;
  }

  const Host& below_;
  std::string root_;
  std::map<std::string, std::string> none_;
};

}  // namespace

Result<std::unique_ptr<Host>> make_root_host(const Host& below, const std::string& root) {
  GPUWAY_TRY_ASSIGN(auto real, below.real_path(root));
  GPUWAY_TRY_ASSIGN(const auto stat, below.stat(real, true));
  if (stat.kind != FileKind::folder) return make_error(ErrorCode::unsupported, "not a folder");
  if (real == "/") real.clear();
  std::unique_ptr<Host> host = std::make_unique<RootHost>(below, std::move(real));
  return host;
}

}  // namespace gpuway
