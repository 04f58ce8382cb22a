#include "sense/probes/loader_folders.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "think/formats/ld_so_conf.h"

namespace gpuway {
namespace {

constexpr int kMaxDepth = 10;   // files that include files
constexpr std::size_t kMaxFiles = 1000, kMaxFolders = 10'000;
constexpr std::uint64_t kMaxText = 1 << 20;

class Reader {
 public:
  explicit Reader(const Host& host) : host_(host) {}

  Result<std::vector<std::string>> read(const std::string& path) {
    GPUWAY_TRY_ASSIGN(const auto text, host_.read_file(path, kMaxText));
    take(path, text, 0);
    return std::move(folders_);
  }

 private:
  void take(const std::string& path, const std::string& text, int depth) {
    for (const auto& entry : parse_ld_so_conf(text)) {
      if (!entry.include) {
        if (folders_.size() < kMaxFolders && known_.insert(entry.text).second) folders_.push_back(entry.text);
        continue;
      }
      if (depth < kMaxDepth) include(join_path(parent_path(path), entry.text), depth + 1);
    }
  }

  void include(const std::string& pattern, int depth) {
    const auto folder = parent_path(pattern);
    const auto name = file_name(pattern);
    if (name.find_first_of("*?") == std::string_view::npos) return take_file(pattern, depth);
    const auto listing = host_.list_folder(folder, kMaxFiles);   // sorted, as glob() gives them
    if (!listing) return;
    for (const auto& entry : listing->entries) {
      if (fits_pattern(entry.name, name)) take_file(join_path(folder, entry.name), depth);
    }
  }

  // A file that cannot be read is passed over, as ldconfig does after a warning.
  void take_file(const std::string& path, int depth) {
    if (++files_ > kMaxFiles) return;
    if (const auto text = host_.read_file(path, kMaxText)) take(path, *text, depth);
  }

  const Host& host_;
  std::vector<std::string> folders_;
  std::set<std::string> known_;
  std::size_t files_ = 0;
};

}  // namespace

void collect_loader_folders(const Host& host, Snapshot& snapshot) {
  const std::string path = "/etc/ld.so.conf";
  const Source source{Source::Kind::file, path};
  auto folders = Reader(host).read(path);
  snapshot.loader_folders = folders ? Fact<std::vector<std::string>>::known(folders.take(), source)
                                    : Fact<std::vector<std::string>>::from_error(folders.error(), source);
}

}  // namespace gpuway
