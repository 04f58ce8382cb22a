#include "wine_host.h"

#include "base/path.h"
#include "base/text.h"
#include "sense/platform/live_host.h"

namespace gpuway {
namespace {

constexpr std::size_t kMost = 1 << 20;

class WineHost final : public Host {
 public:
  explicit WineHost(std::string prefix) : machine_(make_live_host()), prefix_(std::move(prefix)) {}

  Result<std::string> read_file(const std::string& path, std::uint64_t limit) const override {
    return machine_->read_file(outside(path), limit);
  }
  Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) const override {
    return machine_->open_file(outside(path));
  }
  Result<FolderListing> list_folder(const std::string& path, std::size_t limit) const override {
    return machine_->list_folder(outside(path), limit);
  }
  Result<FolderListing> list_matching(const std::string& path, std::size_t limit,
                                      bool (*wanted)(std::string_view)) const override {
    return machine_->list_matching(outside(path), limit, wanted);
  }
  Result<FileStat> stat(const std::string& path, bool follow_links) const override {
    return machine_->stat(outside(path), follow_links);
  }
  Result<std::string> read_link(const std::string& path) const override { return machine_->read_link(outside(path)); }
  Result<std::string> real_path(const std::string& path) const override { return machine_->real_path(outside(path)); }
  Result<bool> can_open(const std::string& path) const override { return machine_->can_open(outside(path)); }
  const std::map<std::string, std::string>& environment() const override { return none_; }
  std::string current_folder() const override { return {}; }
  Result<ProgramOutput> run_program(const ProgramRequest&) const override {
    return make_error(ErrorCode::not_looked, "not here");
  }
  DriverReport ask_driver(const DriverRequest&) const override { return {}; }
  bool is_live() const override { return true; }
  bool is_windows() const override { return true; }
  std::int64_t clock_ms() const override { return machine_->clock_ms(); }
  std::string today() const override { return machine_->today(); }

 private:
  std::string outside(const std::string& path) const {
    std::string real;
    if (path.starts_with("C:/")) {
      real = prefix_ + "/drive_c";
    } else if (!path.starts_with("Z:/")) {
      return "/no-such-drive";
    }
    const auto collapsed = collapse_path(path);
    for (const auto part : split(std::string_view(collapsed).substr(3), '/')) {
      if (part.empty()) continue;
      real = spelled(real + "/", std::string(part));
    }
    return real.empty() ? "/" : real;
  }

  // The entry as it is written there, when one of that name in another case is there.
  std::string spelled(const std::string& folder, const std::string& name) const {
    if (machine_->stat(folder + name, false)) return folder + name;
    const auto listing = machine_->list_folder(folder, kMost);
    if (!listing) return folder + name;
    for (const auto& entry : listing->entries) {
      if (to_lower(entry.name) == to_lower(name)) return folder + entry.name;
    }
    return folder + name;
  }

  std::unique_ptr<Host> machine_;
  std::string prefix_;
  std::map<std::string, std::string> none_;
};

}  // namespace

std::unique_ptr<Host> make_wine_host(const std::string& prefix) { return std::make_unique<WineHost>(prefix); }

}  // namespace gpuway
