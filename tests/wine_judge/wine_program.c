/* Does what its script says and tells on stderr what came of it, where Wine's own messages go too.
 *
 *   p.exe SCRIPT      UTF-8 lines of words separated by tabs:
 *   path TEXT | setdir FOLDER | defaults FLAGS | adddir FOLDER | load FLAGS NAME | handle NAME
 *
 * Per load or handle: "@L path" or "@E number", then "@M path" for each module in the process, in the list's order. */
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* Of psapi.h, which has to come after windows.h and would be sorted before it. */
BOOL WINAPI K32EnumProcessModules(HANDLE process, HMODULE* modules, DWORD size, LPDWORD needed);

enum { kMost = 32768 };

static wchar_t wide[kMost];
static char narrow[3 * kMost];

static void tell(const char* what, const wchar_t* text) {
  DWORD done;
  const HANDLE out = GetStdHandle(STD_ERROR_HANDLE);
  int size = wsprintfA(narrow, "@%s ", what);
  size += WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow + size, (int)sizeof narrow - size - 2, NULL, NULL);
  narrow[size - 1] = '\n';
  WriteFile(out, narrow, (DWORD)size, &done, NULL);
}

static void tell_outcome(HMODULE module) {
  static HMODULE all[4096];
  const DWORD error = GetLastError();
  DWORD size = 0;
  if (module != NULL) {
    GetModuleFileNameW(module, wide, kMost);
    tell("L", wide);
  } else {
    wsprintfW(wide, L"%u", (unsigned)error);
    tell("E", wide);
  }
  K32EnumProcessModules(GetCurrentProcess(), all, sizeof all, &size);
  for (DWORD i = 0; i < size / sizeof *all; ++i) {
    GetModuleFileNameW(all[i], wide, kMost);
    tell("M", wide);
  }
}

/* The text up to the next tab; `*line` moves behind it. */
static const wchar_t* word(wchar_t** line) {
  wchar_t* start = *line;
  wchar_t* tab = wcschr(start, L'\t');
  *line = tab == NULL ? start + wcslen(start) : tab + 1;
  if (tab != NULL) *tab = 0;
  return start;
}

static void obey(wchar_t* line) {
  const wchar_t* what = word(&line);
  if (wcscmp(what, L"path") == 0) {
    SetEnvironmentVariableW(L"PATH", line);
  } else if (wcscmp(what, L"setdir") == 0) {
    SetDllDirectoryW(line);
  } else if (wcscmp(what, L"defaults") == 0) {
    SetDefaultDllDirectories(wcstoul(line, NULL, 16));
  } else if (wcscmp(what, L"adddir") == 0) {
    AddDllDirectory(line);
  } else if (wcscmp(what, L"load") == 0) {
    const DWORD flags = wcstoul(word(&line), NULL, 16);
    SetLastError(0);
    tell_outcome(LoadLibraryExW(line, NULL, flags));
  } else if (wcscmp(what, L"handle") == 0) {
    tell_outcome(GetModuleHandleW(line));
  }
}

int main(int count, char** words) {
  static char text[1 << 20];
  static wchar_t script[1 << 20];
  DWORD size = 0;
  const HANDLE file = count < 2 ? INVALID_HANDLE_VALUE
                                : CreateFileA(words[1], GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE || !ReadFile(file, text, sizeof text - 1, &size, NULL)) return 2;
  MultiByteToWideChar(CP_UTF8, 0, text, -1, script, 1 << 20);
  for (wchar_t *line = script, *end; (end = wcschr(line, L'\n')) != NULL; line = end + 1) {
    *end = 0;
    obey(line);
  }
  tell("end", L"");
  return 0;
}
