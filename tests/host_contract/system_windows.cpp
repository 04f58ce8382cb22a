#include <windows.h>
// Behind windows.h.
#include <shellapi.h>
#include <winioctl.h>

#include "base/utf16.h"
#include "host_contract/system_parts.h"

namespace {

std::wstring wide(const std::string& text) {
  std::wstring out(text.size(), L'\0');
  out.resize(static_cast<std::size_t>(::MultiByteToWideChar(CP_UTF8, 0, text.data(), static_cast<int>(text.size()),
                                                            out.data(), static_cast<int>(out.size()))));
  return out;
}

std::wstring prefixed(const std::string& path) {
  auto text = L"\\\\?\\" + wide(path);
  for (auto& unit : text) {
    if (unit == L'/') unit = L'\\';
  }
  return text;
}

}  // namespace

const char* const kLibrarySuffix = ".dll";

std::vector<std::string> arguments_of_process(int, char**) {
  int count = 0;
  wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  std::vector<std::string> out;
  for (int i = 1; i < count; ++i) out.push_back(gpuway::utf8_from_utf16(reinterpret_cast<const char16_t*>(words[i])));
  return out;
}

void write_stdout(const std::string& bytes) {
  DWORD written = 0;
  if (::WriteFile(::GetStdHandle(STD_OUTPUT_HANDLE), bytes.data(), static_cast<DWORD>(bytes.size()), &written,
                  nullptr) == 0)
    ::ExitProcess(9);
}

std::string read_stdin() {
  std::string all;
  char buffer[4096];
  DWORD got = 0;
  while (::ReadFile(::GetStdHandle(STD_INPUT_HANDLE), buffer, sizeof buffer, &got, nullptr) != 0 && got > 0)
    all.append(buffer, got);
  return all;
}

void set_variable(const std::string& name, const std::string& value) {
  ::SetEnvironmentVariableW(wide(name).c_str(), wide(value).c_str());
}

void leave_behind(const std::string& program, const std::vector<std::string>& arguments) {
  auto line = L"\"" + wide(program) + L"\"";
  for (const auto& argument : arguments) line += L" " + wide(argument);
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  ::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &process);
}

// Wine 8 says yes and makes nothing that is a link.
bool make_symlink(const std::string& target, const std::string& path) {
  constexpr DWORD unprivileged = 2;
  if (::CreateSymbolicLinkW(wide(path).c_str(), wide(target).c_str(), unprivileged) == 0) return false;
  const auto attributes = ::GetFileAttributesW(wide(path).c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

bool make_folder(const std::string& path) { return ::CreateDirectoryW(prefixed(path).c_str(), nullptr) != 0; }
bool make_file(const std::string& path, const std::string& content) {
  HANDLE const file = ::CreateFileW(prefixed(path).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, 0, nullptr);
  if (file == INVALID_HANDLE_VALUE) return false;
  DWORD written = 0;
  const bool done = ::WriteFile(file, content.data(), static_cast<DWORD>(content.size()), &written, nullptr) != 0;
  ::CloseHandle(file);
  return done;
}
void remove_folder(const std::string& path) { ::RemoveDirectoryW(prefixed(path).c_str()); }
void remove_file(const std::string& path) { ::DeleteFileW(prefixed(path).c_str()); }

void crash() {
  ::RaiseException(EXCEPTION_ACCESS_VIOLATION, EXCEPTION_NONCONTINUABLE, 0, nullptr);
  ::ExitProcess(9);
}
