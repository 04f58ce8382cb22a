// A wsl.exe for tests under Wine. It takes its command line apart as the packaged one does (WslClient.cpp of
// github.com/microsoft/WSL: raw words up to --exec, CommandLineToArgvW behind it), and runs real Linux processes through
// relay.c. What it says is bytes from files that the test has written.
//
// wsl-double.ini beside it, section [wsl]: names (blank between them), list (file that --list --verbose answers with),
// list_code, relay (native program), folder (native folder that stands for C:), home, run (file said in place of running),
// run_code, hang (list). started (a file) gets a line for every distribution that a process is started in.
#include <winsock2.h>

#include <windows.h>
#include <shellapi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kFault = -1;

std::wstring beside() {
  wchar_t name[MAX_PATH];
  GetModuleFileNameW(nullptr, name, MAX_PATH);
  const std::wstring path(name);
  return path.substr(0, path.rfind(L'\\') + 1) + L"wsl-double.ini";
}

std::wstring setting(const wchar_t* name) {
  wchar_t value[4096];
  GetPrivateProfileStringW(L"wsl", name, L"", value, 4096, beside().c_str());
  return value;
}

std::string utf8(const std::wstring& text) {
  std::string out(text.size() * 4 + 1, '\0');
  out.resize(static_cast<std::size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), static_cast<int>(text.size()), out.data(), static_cast<int>(out.size()), nullptr, nullptr)));
  return out;
}

void write(const void* data, std::size_t size) {
  DWORD done = 0;
  WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), data, static_cast<DWORD>(size), &done, nullptr);
}

// As into a pipe: UTF-16 without a mark, both line ends.
int say(const std::wstring& text) {
  write(text.data(), text.size() * sizeof(wchar_t));
  return kFault;
}

int say_file(const std::wstring& path, const wchar_t* code) {
  FILE* file = _wfopen(path.c_str(), L"rb");
  if (file == nullptr) return say(L"no file to say\r\n");
  char buffer[4096];
  for (std::size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;) write(buffer, got);
  fclose(file);
  return static_cast<int>(wcstol(setting(code).c_str(), nullptr, 10));
}

// The next word as it stands, quotes and all; only `--cd` takes a quoted value.
std::wstring take_word(const wchar_t*& rest, bool quoted_value) {
  while (*rest == L' ' || *rest == L'\t') ++rest;
  std::wstring word;
  if (quoted_value && *rest == L'"') {
    for (++rest; *rest != 0 && *rest != L'"';) word += *rest++;
    if (*rest != 0) ++rest;
    return word;
  }
  while (*rest != 0 && *rest != L' ' && *rest != L'\t') word += *rest++;
  return word;
}

bool read_all(SOCKET socket, void* data, int size) {
  for (char* at = static_cast<char*>(data); size > 0;) {
    const int got = recv(socket, at, size, 0);
    if (got <= 0) return false;
    at += got;
    size -= got;
  }
  return true;
}

void send_text(SOCKET socket, const std::string& text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  send(socket, reinterpret_cast<const char*>(&size), sizeof size, 0);
  send(socket, text.data(), static_cast<int>(size), 0);
}

// The Linux folder of a Windows one; what cannot be translated becomes the home folder, as in WSL.
std::string linux_folder(std::wstring folder, const std::string& home) {
  for (auto& unit : folder) unit = unit == L'\\' ? L'/' : unit;
  if (folder.empty()) return home;
  if (folder.front() == L'/' || folder.front() == L'~') return utf8(folder);
  if (folder.size() < 3 || folder[1] != L':') return home;
  const auto inside = utf8(folder.substr(2));
  return (folder[0] | 32) == L'z' ? inside : utf8(setting(L"folder")) + inside;
}

int run(const std::wstring& distribution, const std::wstring& folder, const wchar_t* rest) {
  if (const auto started = setting(L"started"); !started.empty()) {
    if (FILE* file = _wfopen(started.c_str(), L"ab")) {
      fprintf(file, "%s\n", utf8(distribution).c_str());
      fclose(file);
    }
  }
  if (const auto file = setting(L"run"); !file.empty()) return say_file(file, L"run_code");
  int count = 0;
  wchar_t** arguments = CommandLineToArgvW(rest, &count);
  WSADATA data;
  WSAStartup(MAKEWORD(2, 2), &data);
  const SOCKET listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int size = sizeof here;
  bind(listener, reinterpret_cast<sockaddr*>(&here), size);
  listen(listener, 1);
  getsockname(listener, reinterpret_cast<sockaddr*>(&here), &size);
  auto line = L"relay " + std::to_wstring(ntohs(here.sin_port));
  STARTUPINFOW startup{};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process{};
  CreateProcessW(setting(L"relay").c_str(), line.data(), nullptr, nullptr, FALSE, DETACHED_PROCESS, nullptr, nullptr, &startup, &process);
  fd_set waiting;
  FD_ZERO(&waiting);
  FD_SET(listener, &waiting);
  timeval limit{10, 0};
  if (select(0, &waiting, nullptr, nullptr, &limit) != 1) return say(L"Error code: Wsl/Service/CreateInstance/E_FAIL\r\n");
  const SOCKET relay = accept(listener, nullptr, nullptr);
  const auto home = utf8(setting(L"home"));
  send_text(relay, home);
  send_text(relay, linux_folder(folder, home));
  send_text(relay, utf8(distribution));
  send_text(relay, std::to_string(count));
  for (int i = 0; i < count; ++i) send_text(relay, utf8(arguments[i]));
  while (true) {
    std::uint32_t head[2];
    if (!read_all(relay, head, sizeof head)) return 1;   // the virtual machine is gone
    if (head[0] == 'x') return static_cast<int>(head[1]);
    std::vector<char> bytes(head[1]);
    if (!read_all(relay, bytes.data(), static_cast<int>(bytes.size()))) return 1;
    write(bytes.data(), bytes.size());
  }
}

bool is_registered(const std::wstring& name) { return (L" " + setting(L"names") + L" ").find(L" " + name + L" ") != std::wstring::npos; }

}  // namespace

int main() {
  const wchar_t* rest = GetCommandLineW();
  for (bool quoted = false; *rest != 0 && (quoted || (*rest != L' ' && *rest != L'\t')); ++rest) quoted ^= *rest == L'"';
  std::wstring distribution, folder;
  while (true) {
    const auto word = take_word(rest, false);
    if (word == L"-d" || word == L"--distribution") {
      distribution = take_word(rest, false);
      if (!is_registered(distribution)) return say(L"There is no distribution with the supplied name. \r\nError code: Wsl/Service/WSL_E_DISTRO_NOT_FOUND\r\n");
    } else if (word == L"--cd") {
      folder = take_word(rest, true);
    } else if (word == L"-e" || word == L"--exec") {
      // The first word of CommandLineToArgvW is a program's name: empty when the line begins with a blank.
      while (*rest == L' ' || *rest == L'\t') ++rest;
      return run(distribution, folder, rest);
    } else if (word == L"-l" || word == L"--list") {
      if (setting(L"hang") == L"list") Sleep(INFINITE);
      return say_file(setting(L"list"), L"list_code");
    } else {
      return say(L"Invalid command line argument: " + word + L"\r\nPlease use 'wsl.exe --help' to get a list of supported arguments.\r\n");
    }
  }
}
