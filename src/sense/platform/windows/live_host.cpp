#include "sense/platform/live_host.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <unordered_map>

#include "base/path.h"
#include "sense/platform/child_process.h"
#include "sense/platform/driver_child.h"
#include "sense/platform/windows/file_source.h"
#include "sense/platform/windows/graphics_child.h"
#include "sense/platform/windows/links.h"
#include "sense/platform/windows/native.h"
#include "sense/platform/windows/processor.h"
#include "sense/platform/windows/registry.h"

namespace gpuway {
namespace {

constexpr DWORD kShareAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

FileKind kind_of(DWORD attributes, DWORD tag) {
  if (is_link(attributes, tag)) return FileKind::link;
  return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileKind::folder : FileKind::regular;
}

// FILETIME counts 100 ns from 1601 on.
std::int64_t unix_ns(std::int64_t ticks) { return (ticks - 116'444'736'000'000'000) * 100; }

std::map<std::string, std::string> variables_of_process() {
  std::map<std::string, std::string> out;
  wchar_t* const block = ::GetEnvironmentStringsW();
  for (const wchar_t* entry = block; entry != nullptr && *entry != L'\0';) {
    const wchar_t* const entry_name = entry;
    std::wstring text(entry);
    entry += text.size() + 1;
    // "=C:=C:\work" is how a drive's current folder is kept; not a variable of anybody's.
    const auto equals = text.find(L'=', 1);
    if (text[0] == L'=' || equals == std::wstring::npos) continue;
    const auto units = static_cast<int>(equals);
    ::LCMapStringEx(LOCALE_NAME_INVARIANT, LCMAP_UPPERCASE, entry_name, units, text.data(), units, nullptr, nullptr, 0);
    out.emplace(narrow(std::wstring_view(text).substr(0, equals)), narrow(std::wstring_view(text).substr(equals + 1)));
  }
  if (block != nullptr) ::FreeEnvironmentStringsW(block);
  return out;
}

// One entry of a folder as the folder itself has it: also where the file may not be opened, and with its name as
// written.
struct FoundEntry {
  WIN32_FIND_DATAW data{};
  bool there = false;
};
FoundEntry find_entry(const std::wstring& path) {
  FoundEntry entry;
  if (path.find_first_of(L"*?", 4) != std::wstring::npos) return entry;  // the prefix has a '?' of its own
  HANDLE const search =
      ::FindFirstFileExW(path.c_str(), FindExInfoBasic, &entry.data, FindExSearchNameMatch, nullptr, 0);
  if (search == INVALID_HANDLE_VALUE) return entry;
  ::FindClose(search);
  entry.there = true;
  return entry;
}

Result<std::string> final_path(HANDLE file) {
  std::wstring name(32768, L'\0');
  const auto length = ::GetFinalPathNameByHandleW(file, name.data(), static_cast<DWORD>(name.size()),
                                                  FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
  if (length == 0 || length >= name.size()) return windows_error(::GetLastError(), "resolve");
  name.resize(length);
  return from_windows_path(narrow(name));
}

class LiveHost final : public Host {
 public:
  LiveHost() : environment_(variables_of_process()) {}

  Result<std::string> read_file(const std::string& path, std::uint64_t limit) const override {
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
    GPUWAY_TRY_ASSIGN(const auto file, open_regular(native));
    std::string content;
    char buffer[16384];
    while (true) {
      DWORD got = 0;
      if (::ReadFile(file.get(), buffer, sizeof buffer, &got, nullptr) == 0)
        return windows_error(::GetLastError(), "read");
      if (got == 0) return content;
      if (got > limit - content.size())
        return make_error(ErrorCode::too_large, "more than " + std::to_string(limit) + " bytes");
      content.append(buffer, got);
    }
  }

  Result<std::unique_ptr<ByteSource>> open_file(const std::string& path) const override {
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
    GPUWAY_TRY_ASSIGN(auto file, open_regular(native));
    return source_of(std::move(file));
  }

  Result<FolderListing> list_folder(const std::string& path, std::size_t limit) const override {
    return list_matching(path, limit, [](std::string_view) { return true; });
  }

  Result<FolderListing> list_matching(const std::string& path, std::size_t limit,
                                      bool (*wanted)(std::string_view name)) const override {
    GPUWAY_TRY_ASSIGN(auto native, native_path(path));
    if (native.find_first_of(L"*?", 4) != std::wstring::npos)
      return make_error(ErrorCode::not_found, "no name of a folder");
    const auto pattern = native + (native.ends_with(L'\\') ? L"*" : L"\\*");
    WIN32_FIND_DATAW data{};
    HANDLE const search = ::FindFirstFileExW(pattern.c_str(), FindExInfoBasic, &data, FindExSearchNameMatch, nullptr,
                                             FIND_FIRST_EX_LARGE_FETCH);
    FolderListing listing;
    if (search == INVALID_HANDLE_VALUE) {
      const auto fault = ::GetLastError();
      // The root of a drive has no "." that would be found in an empty one.
      if (fault == ERROR_FILE_NOT_FOUND && native.ends_with(L'\\') &&
          ::GetFileAttributesW(native.c_str()) != INVALID_FILE_ATTRIBUTES)
        return listing;
      return windows_error(fault, "open folder");
    }
    do {
      const auto name = narrow(data.cFileName);
      if (name == "." || name == ".." || !wanted(name)) continue;
      if (listing.entries.size() == limit) {
        listing.complete = false;
        break;
      }
      listing.entries.push_back({name, kind_of(data.dwFileAttributes, data.dwReserved0)});
    } while (::FindNextFileW(search, &data) != 0);
    const auto fault = ::GetLastError();
    ::FindClose(search);
    if (listing.complete && fault != ERROR_NO_MORE_FILES) return windows_error(fault, "read folder");
    std::sort(listing.entries.begin(), listing.entries.end(),
              [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
    return listing;
  }

  Result<FileStat> stat(const std::string& path, bool follow_links) const override {
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
    const auto file = open_to_ask(native, follow_links);
    if (!file)
      return file.error().code == ErrorCode::access_denied ? stat_from_folder(native, follow_links, file.error())
                                                           : file.error();
    FILE_BASIC_INFO basic{};
    FILE_STANDARD_INFO standard{};
    FILE_ATTRIBUTE_TAG_INFO tag{};
    if (::GetFileType(file->get()) != FILE_TYPE_DISK) return FileStat{};
    if (::GetFileInformationByHandleEx(file->get(), FileBasicInfo, &basic, sizeof basic) == 0 ||
        ::GetFileInformationByHandleEx(file->get(), FileStandardInfo, &standard, sizeof standard) == 0) {
      return windows_error(::GetLastError(), "stat");
    }
    ::GetFileInformationByHandleEx(file->get(), FileAttributeTagInfo, &tag, sizeof tag);
    FileStat out;
    out.kind = kind_of(basic.FileAttributes, follow_links ? 0 : tag.ReparseTag);
    out.size = static_cast<std::uint64_t>(standard.EndOfFile.QuadPart);
    out.modified_ns = unix_ns(basic.LastWriteTime.QuadPart);
    out.id = identity_of(file->get());
    return out;
  }

  Result<std::string> read_link(const std::string& path) const override {
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
    return read_native_link(native);
  }

  Result<std::string> real_path(const std::string& path) const override {
    // Thousands of files lie in a few folders: each folder is resolved once, and its entries are looked up in it.
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
    const auto full = from_windows_path(narrow(native));
    const auto folder = parent_path(full);
    const auto entry = find_entry(native);
    if (!entry.there || folder == full || is_link(entry.data.dwFileAttributes, entry.data.dwReserved0))
      return resolve(native, full);
    GPUWAY_TRY_ASSIGN(const auto real, real_folder(folder));
    return join_path(real, narrow(entry.data.cFileName));
  }

  Result<bool> can_open(const std::string& path) const override {
    GPUWAY_TRY_ASSIGN(const auto native, native_path(path));
    const Handle file(
        ::CreateFileW(native.c_str(), GENERIC_READ | GENERIC_WRITE, kShareAll, nullptr, OPEN_EXISTING, 0, nullptr));
    if (file) return true;
    auto error = windows_error(::GetLastError(), "open");
    if (error.code == ErrorCode::access_denied) return false;
    return error;
  }

  const std::map<std::string, std::string>& environment() const override { return environment_; }

  std::string current_folder() const override {
    std::wstring path(32768, L'\0');
    const auto length = ::GetCurrentDirectoryW(static_cast<DWORD>(path.size()), path.data());
    if (length == 0 || length >= path.size()) return {};
    path.resize(length);
    return clean_path(from_windows_path(narrow(path)));
  }

  Result<RegistryKey> read_registry(const std::string& key, RegistryView view) const override {
    return read_live_registry(key, view);
  }

  Result<ProgramOutput> run_program(const ProgramRequest& request) const override {
    return run_child(request, environment_);
  }

  std::string program_folder() const override { return parent_path(own_program()); }

  DriverReport ask_driver(const DriverRequest& request) const override {
    return ask_driver_child(request, environment_);
  }

  Result<std::vector<GraphicsAdapter>> graphics_adapters() const override { return ask_graphics_child(environment_); }
  Result<ProcessorFeatures> processor() const override { return read_processor(); }

  bool is_live() const override { return true; }
  bool is_windows() const override { return true; }

  std::int64_t clock_ms() const override { return static_cast<std::int64_t>(::GetTickCount64()); }

  std::string today() const override {
    SYSTEMTIME now{};
    ::GetSystemTime(&now);
    char text[16];
    const int length =
        std::snprintf(text, sizeof text, "%04u-%02u-%02u", now.wYear % 10000U, now.wMonth % 100U, now.wDay % 100U);
    return std::string(text, static_cast<std::size_t>(length));
  }

 private:
  // What the folder says of a file that may not be opened, even to ask.
  static Result<FileStat> stat_from_folder(const std::wstring& native, bool follow_links, const Error& denied) {
    const auto entry = find_entry(native);
    const auto kind = kind_of(entry.data.dwFileAttributes, entry.data.dwReserved0);
    if (!entry.there || (follow_links && kind == FileKind::link)) return denied;
    FileStat out;
    out.kind = kind;
    out.size = (std::uint64_t{entry.data.nFileSizeHigh} << 32) | entry.data.nFileSizeLow;
    const auto& written = entry.data.ftLastWriteTime;
    out.modified_ns =
        unix_ns(static_cast<std::int64_t>((std::uint64_t{written.dwHighDateTime} << 32) | written.dwLowDateTime));
    return out;
  }

  static Result<std::string> resolve(const std::wstring& native, const std::string& full) {
    GPUWAY_TRY_ASSIGN(const auto file, open_to_ask(native, true));
    const auto real = final_path(file.get());
    // A volume without a drive letter has no such name; then the name that was asked for is the only one.
    return real && is_windows_path(*real) ? real : Result<std::string>(full);
  }

  Result<std::string> real_folder(const std::string& folder) const {
    {
      const std::scoped_lock lock(mutex_);
      if (const auto known = real_folders_.find(folder); known != real_folders_.end()) return known->second;
    }
    GPUWAY_TRY_ASSIGN(const auto native, native_path(folder));
    GPUWAY_TRY_ASSIGN(auto real, resolve(native, folder));
    const std::scoped_lock lock(mutex_);
    return real_folders_.emplace(folder, std::move(real)).first->second;
  }

  std::map<std::string, std::string> environment_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, std::string> real_folders_;
};

}  // namespace

int maybe_run_child(const std::vector<std::string>& arguments) {
  const int code = maybe_run_driver_child(arguments);
  return code >= 0 ? code : maybe_run_graphics_child(arguments);
}

std::unique_ptr<Host> make_live_host() { return std::make_unique<LiveHost>(); }

}  // namespace gpuway
