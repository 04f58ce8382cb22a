#include "sense/platform/child_process.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

#include "base/path.h"
#include "base/text.h"
#include "sense/platform/windows/command_line.h"
#include "sense/platform/windows/native.h"

namespace gpuway {
namespace {

constexpr DWORD kLookAgainMs = 5;

// Only programs: what a script of the command processor makes of its arguments cannot be foreseen.
bool is_program_name(std::string_view name) { return to_lower(name).ends_with(".exe"); }

bool is_file(const std::wstring& path) {
  const auto attributes = ::GetFileAttributesW(path.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

// A name is looked for in the system's folder and on PATH, never in the current folder, where CreateProcess would
// begin.
Result<std::wstring> find_program(const std::string& name, const std::map<std::string, std::string>& environment) {
  if (is_windows_path(name)) {
    if (!is_program_name(name)) return make_error(ErrorCode::unsupported, "start program: no .exe");
    GPUWAY_TRY_ASSIGN(const auto native, native_path(name));
    return is_file(native) ? Result<std::wstring>(wide(to_windows_path(name)))
                           : windows_error(ERROR_FILE_NOT_FOUND, "start program");
  }
  const auto file = is_program_name(name) ? name : name + ".exe";
  std::vector<std::string> folders;
  wchar_t system_folder[MAX_PATH];
  if (::GetSystemDirectoryW(system_folder, MAX_PATH) > 0) folders.push_back(from_windows_path(narrow(system_folder)));
  if (const auto path = environment.find("PATH"); path != environment.end()) {
    for (auto& folder : windows_path_list(path->second)) folders.push_back(std::move(folder));
  }
  for (const auto& folder : folders) {
    if (!is_windows_path(folder) || name.find('/') != std::string::npos) continue;
    const auto full = join_path(folder, file);
    const auto native = native_path(full);
    if (native && is_file(*native)) return wide(to_windows_path(full));
  }
  return windows_error(ERROR_FILE_NOT_FOUND, "start program");
}

std::vector<wchar_t> block_of(const std::map<std::string, std::string>& environment) {
  std::vector<wchar_t> block;
  for (const auto& [name, value] : environment) {
    for (const wchar_t unit : wide(name + "=" + value)) block.push_back(unit);
    block.push_back(L'\0');
  }
  block.insert(block.end(), 2, L'\0');
  return block;
}

/// What a new process may inherit, and nothing else of ours.
class InheritedHandles {
 public:
  explicit InheritedHandles(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    SIZE_T bytes = 0;
    ::InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    space_.resize(bytes);
    ready_ = ::InitializeProcThreadAttributeList(list(), 1, 0, &bytes) != 0;
    if (ready_) {
      ::UpdateProcThreadAttribute(list(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  handles_.size() * sizeof(HANDLE), nullptr, nullptr);
    }
  }
  ~InheritedHandles() {
    if (ready_) ::DeleteProcThreadAttributeList(list());
  }
  InheritedHandles(const InheritedHandles&) = delete;
  InheritedHandles& operator=(const InheritedHandles&) = delete;
  LPPROC_THREAD_ATTRIBUTE_LIST list() { return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(space_.data()); }

 private:
  std::vector<HANDLE> handles_;
  std::vector<char> space_;
  bool ready_ = false;
};

Handle nowhere(DWORD access) {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return Handle(
      ::CreateFileW(L"NUL", access, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, nullptr));
}

/// A process in a job of its own: what it starts ends with the job.
struct Started {
  Handle process, job, output;
};

Result<Started> start(const ProgramRequest& request, const std::map<std::string, std::string>& environment) {
  GPUWAY_TRY_ASSIGN(const auto program, find_program(request.arguments.at(0), environment));
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  HANDLE read_end = nullptr, write_end = nullptr;
  if (::CreatePipe(&read_end, &write_end, &inherited, 64 * 1024) == 0)
    return windows_error(::GetLastError(), "start program");
  Started started;
  started.output = Handle(read_end);
  Handle write(write_end);
  ::SetHandleInformation(read_end, HANDLE_FLAG_INHERIT, 0);
  const Handle no_input = nowhere(GENERIC_READ), no_errors = nowhere(GENERIC_WRITE);
  started.job = Handle(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  ::SetInformationJobObject(started.job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);

  InheritedHandles handles({no_input.get(), write.get(), no_errors.get()});
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = no_input.get();
  startup.StartupInfo.hStdOutput = write.get();
  startup.StartupInfo.hStdError = no_errors.get();
  startup.lpAttributeList = handles.list();
  PROCESS_INFORMATION process{};
  auto line = command_line_of(request.arguments);
  auto variables = block_of(environment);
  const DWORD flags = CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
  if (::CreateProcessW(program.c_str(), line.data(), nullptr, nullptr, TRUE, flags, variables.data(), nullptr,
                       &startup.StartupInfo, &process) == 0) {
    return windows_error(::GetLastError(), "start program");
  }
  started.process = Handle(process.hProcess);
  const Handle thread(process.hThread);
  if (::AssignProcessToJobObject(started.job.get(), process.hProcess) == 0) {
    const auto fault = ::GetLastError();
    ::TerminateProcess(process.hProcess, 1);
    return windows_error(fault, "start program");
  }
  ::ResumeThread(process.hThread);
  return Result<Started>(std::move(started));
}

}  // namespace

Result<ChildEnd> run_child_to_end(const ProgramRequest& request,
                                  const std::map<std::string, std::string>& environment) {
  GPUWAY_TRY_ASSIGN(const auto started, start(request, environment));
  ProgramOutput output;
  bool late = false, ended = false;
  const auto deadline = ::GetTickCount64() + static_cast<ULONGLONG>(request.time_limit.count());
  while (true) {
    // A program may end while a process that it left behind holds the pipe: once it has ended, only what is already in
    // the pipe counts. So its end is looked for before the pipe is.
    ended = ended || ::WaitForSingleObject(started.process.get(), 0) == WAIT_OBJECT_0;
    DWORD waiting = 0;
    const bool open = ::PeekNamedPipe(started.output.get(), nullptr, 0, nullptr, &waiting, nullptr) != 0;
    if (waiting > 0) {
      std::array<char, 16384> buffer;
      DWORD got = 0;
      if (::ReadFile(started.output.get(), buffer.data(), std::min<DWORD>(waiting, buffer.size()), &got, nullptr) == 0)
        got = 0;
      const auto room = request.output_limit - output.out.size();
      output.out.append(buffer.data(), std::min<std::uint64_t>(got, room));
      output.cut = got > room;
    } else if (ended) {
      break;
    }
    late = !ended && ::GetTickCount64() >= deadline;
    if (late || output.cut) break;
    // The pipe's end can be closed before the process ends: it has what is left of its time.
    if (waiting == 0) ::WaitForSingleObject(started.process.get(), open ? kLookAgainMs : 4 * kLookAgainMs);
  }
  // What it has left behind goes with it.
  ::TerminateJobObject(started.job.get(), 1);
  ::WaitForSingleObject(started.process.get(), 5000);
  DWORD code = 1;
  ::GetExitCodeProcess(started.process.get(), &code);
  output.exit_code = static_cast<int>(code);
  return ChildEnd{std::move(output), late};
}

Result<ProgramOutput> run_child(const ProgramRequest& request, const std::map<std::string, std::string>& environment) {
  GPUWAY_TRY_ASSIGN(auto end, run_child_to_end(request, environment));
  if (end.timed_out) {
    return make_error(ErrorCode::timed_out, "no end after " + std::to_string(request.time_limit.count()) + " ms");
  }
  return std::move(end.output);
}

std::string own_program() {
  std::wstring name(32768, L'\0');
  name.resize(::GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size())));
  return from_windows_path(narrow(name));
}

std::string death_of(int exit_code) {
  // Codes of faults have both upper bits set: 0xC0000005 is an access violation.
  const auto code = static_cast<unsigned>(exit_code);
  if (code >> 30 != 3) return "exit code " + std::to_string(exit_code);
  char text[32];
  std::snprintf(text, sizeof text, "exception 0x%08X", code);
  return text;
}

}  // namespace gpuway
