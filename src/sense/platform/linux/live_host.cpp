#include "sense/platform/live_host.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <unordered_map>

#include "base/path.h"
#include "sense/platform/child_process.h"
#include "sense/platform/driver_child.h"
#include "sense/platform/linux/mapped_file.h"

namespace gpuway {
namespace {

Error system_error(int number, const std::string& what) {
  Error error;
  error.system = number;
  error.detail = what + ": " + std::strerror(number);
  switch (number) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    // A loop of links leads to no file; the loader sees it as a failure to open.
    case ELOOP: error.code = ErrorCode::not_found; break;
    case EACCES:
    case EPERM: error.code = ErrorCode::access_denied; break;
    case ENXIO:
    case EISDIR:
    case EINVAL: error.code = ErrorCode::unsupported; break;
    default: error.code = ErrorCode::io_error; break;
  }
  return error;
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&&) = delete;
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

// O_NONBLOCK keeps a FIFO from blocking the open; O_NOCTTY keeps a terminal from becoming ours.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::regular;
  if (S_ISDIR(mode)) return FileKind::folder;
  if (S_ISLNK(mode)) return FileKind::link;
  if (S_ISCHR(mode)) return FileKind::character_device;
  if (S_ISBLK(mode)) return FileKind::block_device;
  if (S_ISFIFO(mode)) return FileKind::fifo;
  if (S_ISSOCK(mode)) return FileKind::socket;
  return FileKind::other;
}

FileKind kind_of_entry(unsigned char type) {
  switch (type) {
    case DT_REG: return FileKind::regular;
    case DT_DIR: return FileKind::folder;
    case DT_LNK: return FileKind::link;
    case DT_CHR: return FileKind::character_device;
    case DT_BLK: return FileKind::block_device;
    case DT_FIFO: return FileKind::fifo;
    case DT_SOCK: return FileKind::socket;
    default: return FileKind::other;
  }
}

std::string id_of(const struct stat& info) {
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
}

// Opening is an act: a tape rewinds, a watchdog starts to count, an automatic mount point mounts. So the kind is asked
// for first, and asked again of what was opened.
Status regular_only(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return system_error(errno, "open");
  if (S_ISDIR(info.st_mode)) return make_error(ErrorCode::unsupported, "a folder");
  if (!S_ISREG(info.st_mode)) return make_error(ErrorCode::unsupported, "not a regular file");
  return Done{};
}

/// An open file; mapped only when a view is asked for.
class FileSource final : public ByteSource {
 public:
  FileSource(FileDescriptor file, const struct stat& info)
      : file_(std::move(file)), size_(static_cast<std::uint64_t>(info.st_size)), identity_(id_of(info)) {}
  ~FileSource() override {
    if (mapped_ != nullptr) unmap_file(mapped_, size_);
  }
  std::uint64_t size() const override { return size_; }
  std::string identity() const override { return identity_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override {
    std::size_t total = 0;
    while (total < out.size()) {
      if (offset > static_cast<std::uint64_t>(LLONG_MAX) - total) break;
      const auto got = ::pread(file_.get(), out.data() + total, out.size() - total, static_cast<off_t>(offset + total));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error(errno, "read");
      if (got == 0) break;
      total += static_cast<std::size_t>(got);
    }
    return total;
  }
  Extent next_data(std::uint64_t offset) const override {
    if (offset >= size_) return {size_, size_};
    const auto begin = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
    // ENXIO: nothing but a hole follows. A file system that does not know holes has no EINVAL to give; be sure.
    if (begin < 0) return errno == ENXIO ? Extent{size_, size_} : Extent{offset, size_};
    const auto end = ::lseek(file_.get(), begin, SEEK_HOLE);
    const auto from = std::min<std::uint64_t>(static_cast<std::uint64_t>(begin), size_);
    return {from, end < begin ? size_ : std::min<std::uint64_t>(static_cast<std::uint64_t>(end), size_)};
  }
  std::optional<ByteView> view() const override {
    const std::scoped_lock lock(mutex_);
    if (mapped_ == nullptr) {
      if (size_ == 0) return ByteView();
      mapped_ = map_file(file_.get(), size_);
      if (mapped_ == nullptr) return std::nullopt;
    }
    return ByteView(std::span(static_cast<const std::byte*>(mapped_), size_));
  }

 private:
  FileDescriptor file_;
  std::uint64_t size_;
  std::string identity_;
  mutable std::mutex mutex_;
  mutable void* mapped_ = nullptr;
};

class LiveHost final : public Host {
 public:
  LiveHost() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      const auto equals = text.find('=');
      if (equals != std::string_view::npos) environment_.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }

  Result<std::string> read_file(const std::string& path, std::uint64_t limit) const override {
    GPUWAY_TRY(regular_only(path));
    const FileDescriptor file(::open(path.c_str(), kReadFlags));
    if (file.get() < 0) return system_error(errno, "open");
    std::string content;
    char buffer[16384];
    while (true) {
      const auto got = ::read(file.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return system_error(errno, "read");
      if (got == 0) return content;
      if (static_cast<std::uint64_t>(got) > limit - content.size()) {
        return make_error(ErrorCode::too_large, "more than " + std::to_string(limit) + " bytes");
      }
      content.append(buffer, static_cast<std::size_t>(got));
    }
  }

  Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) const override {
    GPUWAY_TRY(regular_only(path));
    FileDescriptor file(::open(path.c_str(), kReadFlags));
    if (file.get() < 0) return system_error(errno, "open");
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) return system_error(errno, "stat");
    if (!S_ISREG(info.st_mode)) return make_error(ErrorCode::unsupported, "not a regular file");
    std::unique_ptr<ByteSource> source = std::make_unique<FileSource>(std::move(file), info);
    return source;
  }

  Result<FolderListing> list_folder(const std::string& path, std::size_t limit) const override {
    return list_matching(path, limit, [](std::string_view) { return true; });
  }

  Result<FolderListing> list_matching(const std::string& path, std::size_t limit,
                                      bool (*wanted)(std::string_view name)) const override {
    DIR* folder = ::opendir(path.c_str());
    if (folder == nullptr) return system_error(errno, "open folder");
    FolderListing listing;
    errno = 0;
    while (const auto* entry = ::readdir(folder)) {
      const std::string_view name(entry->d_name);
      if (name == "." || name == ".." || !wanted(name)) continue;
      if (listing.entries.size() == limit) {
        listing.complete = false;
        break;
      }
      listing.entries.push_back({std::string(name), kind_of_entry(entry->d_type)});
    }
    const int fault = errno;
    ::closedir(folder);
    if (fault != 0 && listing.complete) return system_error(fault, "read folder");
    std::sort(listing.entries.begin(), listing.entries.end(),
              [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
    return listing;
  }

  Result<FileStat> stat(const std::string& path, bool follow_links) const override {
    struct stat info {};
    const int got = follow_links ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info);
    if (got != 0) return system_error(errno, "stat");
    FileStat out;
    out.kind = kind_of(info.st_mode);
    out.size = static_cast<std::uint64_t>(info.st_size);
    out.mode = info.st_mode & 07777;
    out.owner = info.st_uid;
    out.group = info.st_gid;
    out.modified_ns = info.st_mtim.tv_sec * std::int64_t{1'000'000'000} + info.st_mtim.tv_nsec;
    out.id = id_of(info);
    return out;
  }

  Result<std::string> read_link(const std::string& path) const override {
    char target[PATH_MAX];
    const auto length = ::readlink(path.c_str(), target, sizeof target);
    if (length < 0) return system_error(errno, "read link");
    return std::string(target, static_cast<std::size_t>(length));
  }

  Result<std::string> real_path(const std::string& path) const override {
    // Thousands of files lie in a few folders, and resolving asks the system once for every part of a path. So each folder
    // is resolved once.
    const auto slash = path.rfind('/');
    if (slash == std::string::npos || slash + 1 == path.size() || is_link_or_dots(path, path.substr(slash + 1))) return resolve(path);
    GPUWAY_TRY_ASSIGN(const auto folder, real_folder(path.substr(0, slash), 0));
    return folder + path.substr(slash);
  }

  Result<bool> can_open(const std::string& path) const override {
    const FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() >= 0) return true;
    if (errno == EACCES || errno == EPERM || errno == EROFS) return false;
    return system_error(errno, "open");
  }

  const std::map<std::string, std::string>& environment() const override { return environment_; }

  std::string current_folder() const override {
    char path[PATH_MAX];
    // "(unreachable)/..." is how Linux names a folder outside of this process's root.
    return ::getcwd(path, sizeof path) != nullptr && path[0] == '/' ? std::string(path) : std::string();
  }

  Result<ProgramOutput> run_program(const ProgramRequest& request) const override {
    return run_child(request, environment_);
  }

  std::string program_folder() const override { return parent_path(own_program()); }

  DriverReport ask_driver(const DriverRequest& request) const override { return ask_driver_child(request, environment_); }

  bool is_live() const override { return true; }

  std::int64_t clock_ms() const override {
    struct timespec now {};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
  }

  std::string today() const override {
    const std::time_t now = ::time(nullptr);
    struct tm parts {};
    ::gmtime_r(&now, &parts);
    char text[16];
    const auto length = std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return std::string(text, length);
  }

 private:
  static Result<std::string> resolve(const std::string& path) {
    char resolved[PATH_MAX];
    if (::realpath(path.c_str(), resolved) == nullptr) return system_error(errno, "resolve");
    return std::string(resolved);
  }

  // Also true for what does not exist, so that resolve() says what is wrong with it.
  static bool is_link_or_dots(const std::string& path, const std::string& name) {
    char target[1];
    return name.empty() || name == "." || name == ".." || ::readlink(path.c_str(), target, sizeof target) >= 0 || errno != EINVAL;
  }

  // Without a slash at the end; the root is empty.
  Result<std::string> real_folder(const std::string& path, int depth) const {
    if (path.empty()) return std::string();
    {
      const std::scoped_lock lock(mutex_);
      if (const auto known = real_folders_.find(path); known != real_folders_.end()) return known->second;
    }
    constexpr int kMaxDepth = 100;   // beyond it, the system may count the parts
    const auto slash = path.rfind('/');
    std::string real;
    if (slash == std::string::npos || depth == kMaxDepth || is_link_or_dots(path, path.substr(slash + 1))) {
      GPUWAY_TRY_ASSIGN(real, resolve(path));
      if (real == "/") real.clear();
    } else {
      GPUWAY_TRY_ASSIGN(real, real_folder(path.substr(0, slash), depth + 1));
      real += path.substr(slash);
    }
    const std::scoped_lock lock(mutex_);
    return real_folders_.emplace(path, std::move(real)).first->second;
  }

  std::map<std::string, std::string> environment_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::string> real_folders_;
};

}  // namespace

std::vector<std::string> program_arguments(int argc, char** argv) {
  return argc > 0 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

int maybe_run_child(const std::vector<std::string>& arguments) { return maybe_run_driver_child(arguments); }

std::unique_ptr<Host> make_live_host() { return std::make_unique<LiveHost>(); }

}  // namespace gpuway
