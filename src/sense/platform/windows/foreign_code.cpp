#include "sense/platform/foreign_code.h"

#include <fcntl.h>
#include <io.h>

#include "base/path.h"
#include "sense/platform/windows/native.h"

namespace gpuway {
namespace {

// Where our lines go once stdout leads nowhere.
HANDLE answer_pipe = nullptr;

// Before the system offers a debugger or reports to its maker.
LONG WINAPI end_with_code(EXCEPTION_POINTERS* fault) {
  ::TerminateProcess(::GetCurrentProcess(), fault->ExceptionRecord->ExceptionCode);
  return EXCEPTION_EXECUTE_HANDLER;
}

}  // namespace

void prepare_for_foreign_code() {
  ::SetUnhandledExceptionFilter(&end_with_code);
  HANDLE const self = ::GetCurrentProcess();
  ::DuplicateHandle(self, ::GetStdHandle(STD_OUTPUT_HANDLE), self, &answer_pipe, 0, FALSE, DUPLICATE_SAME_ACCESS);
  // A library may share our C runtime, whose stdout is the pipe since it started, or bring one of its own, which asks
  // the system; closing the runtime's numbers tells the system too, but only while they are the standard handles.
  const int nowhere = ::_wopen(L"NUL", _O_WRONLY | _O_BINARY);
  for (const int stream : {1, 2}) ::_dup2(nowhere, stream);
  const auto handle = reinterpret_cast<HANDLE>(::_get_osfhandle(nowhere));  // NOLINT(performance-no-int-to-ptr)
  ::SetStdHandle(STD_OUTPUT_HANDLE, handle);
  ::SetStdHandle(STD_ERROR_HANDLE, handle);
  // The libraries of a driver search as in any program, but the user's current folder is no place for them.
  ::SetDefaultDllDirectories(LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  wchar_t system_folder[MAX_PATH];
  if (::GetSystemDirectoryW(system_folder, MAX_PATH) > 0) ::SetCurrentDirectoryW(system_folder);
}

void answer_parent(const std::string& line) {
  DWORD written = 0;
  if (::WriteFile(answer_pipe, line.data(), static_cast<DWORD>(line.size()), &written, nullptr) == 0) leave_at_once(3);
}

void leave_at_once(int code) {
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(code));
  while (true) ::Sleep(INFINITE);
}

ForeignLibrary ForeignLibrary::load(const std::string& name, std::string& why) {
  std::wstring file = wide(name);
  DWORD flags = LOAD_LIBRARY_SEARCH_SYSTEM32;
  if (is_windows_path(name)) {
    const auto native = native_path(name);
    if (!native) {
      why = native.error().text();
      return ForeignLibrary(nullptr);
    }
    file = wide(
        to_windows_path(name));  // the loader wants no "\\?\": libraries beside this one would be searched below it
    flags |= LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
  }
  HMODULE const module = ::LoadLibraryExW(file.c_str(), nullptr, flags);
  if (module == nullptr) why = "error " + std::to_string(::GetLastError());
  return ForeignLibrary(module);
}

std::string ForeignLibrary::path() const {
  std::wstring name(32768, L'\0');
  const auto length = ::GetModuleFileNameW(static_cast<HMODULE>(handle_), name.data(), static_cast<DWORD>(name.size()));
  if (length == 0 || length >= name.size()) return {};
  name.resize(length);
  return from_windows_path(narrow(name));
}

void* ForeignLibrary::symbol(const char* name) const {
  return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace gpuway
