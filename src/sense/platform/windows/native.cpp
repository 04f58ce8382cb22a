#include "sense/platform/windows/native.h"

#include <algorithm>
#include <cstring>

#include "base/path.h"
#include "base/text.h"
#include "base/utf16.h"

namespace gpuway {
namespace {

static_assert(sizeof(wchar_t) == sizeof(char16_t));

constexpr std::string_view kShare = "//?/UNC/";

std::string server_of(std::string_view path) {
  if (!path.starts_with(kShare)) return {};
  const auto rest = path.substr(kShare.size());
  return to_lower(rest.substr(0, rest.find('/')));
}

std::wstring full_path(const std::wstring& path) {
  std::wstring full(32768, L'\0');
  const auto length = ::GetFullPathNameW(path.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
  full.resize(length < full.size() ? length : 0);
  return full;
}

std::wstring with_backslashes(std::wstring text) {
  std::replace(text.begin(), text.end(), L'/', L'\\');
  return text;
}

// The distributions of this machine's WSL are reached as shares; every other server is another machine, but for the one
// that the user works on already.
Status this_machine_only(std::string_view path) {
  const auto server = server_of(path);
  if (server.empty() || server == "wsl.localhost" || server == "wsl$") return Done{};
  std::wstring here(32768, L'\0');
  here.resize(std::min<std::size_t>(::GetCurrentDirectoryW(static_cast<DWORD>(here.size()), here.data()), here.size()));
  if (server_of(from_windows_path(narrow(here))) == server) return Done{};
  return make_error(ErrorCode::not_looked, "a share of another machine");
}

}  // namespace

std::wstring wide(std::string_view text) {
  const auto units = utf16_from_utf8(text);
  std::wstring out(units.size(), L'\0');
  std::memcpy(out.data(), units.data(), units.size() * sizeof(wchar_t));
  return out;
}

std::string narrow(std::wstring_view text) {
  std::u16string units(text.size(), u'\0');
  std::memcpy(units.data(), text.data(), text.size() * sizeof(wchar_t));
  return utf8_from_utf16(units);
}

Result<std::wstring> native_path(std::string_view path) {
  // A backslash is no part of a name here; taken for a separator it could lead out of a folder that was meant to hold.
  if (path.empty() || path.find('\0') != path.npos || path.find('\\') != path.npos) {
    return make_error(ErrorCode::not_found, "no name of a file");
  }
  if (is_absolute(path) && !is_windows_path(path)) return make_error(ErrorCode::not_found, "no path of Windows");
  std::string full(path);
  if (!is_windows_path(path)) {
    full = from_windows_path(narrow(full_path(with_backslashes(wide(path)))));
    if (!is_windows_path(full)) return make_error(ErrorCode::not_found, "no name of a file");
  }
  GPUWAY_TRY(this_machine_only(full));
  // The system itself removes ".." by text alone, before it looks at links.
  full = collapse_path(full);
  return full.starts_with(kShare) ? with_backslashes(wide(full)) : L"\\\\?\\" + with_backslashes(wide(full));
}

Error windows_error(unsigned long number, const std::string& what) {
  Error error;
  error.system = static_cast<int>(number);
  error.detail = what + ": error " + std::to_string(number);
  switch (number) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_DRIVE:
    case ERROR_NOT_READY:  // a drive without a medium
    case ERROR_BAD_NETPATH:
    case ERROR_BAD_NET_NAME:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_PATHNAME:
    case ERROR_FILENAME_EXCED_RANGE:
    case ERROR_DIRECTORY:              // a file where a folder should be
    case ERROR_CANT_RESOLVE_FILENAME:  // a loop of links
    case ERROR_DELETE_PENDING: error.code = ErrorCode::not_found; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
    case ERROR_PRIVILEGE_NOT_HELD:
    case ERROR_SYMLINK_CLASS_DISABLED:
    case 740:  // ERROR_ELEVATION_REQUIRED
    case ERROR_ACCESS_DISABLED_BY_POLICY: error.code = ErrorCode::access_denied; break;
    case ERROR_NOT_SUPPORTED:
    case ERROR_INVALID_FUNCTION:
    case ERROR_NOT_A_REPARSE_POINT:
    case ERROR_BAD_EXE_FORMAT: error.code = ErrorCode::unsupported; break;
    default: error.code = ErrorCode::io_error; break;
  }
  return error;
}

}  // namespace gpuway
