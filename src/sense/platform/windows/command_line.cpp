#include "sense/platform/windows/command_line.h"

#include <algorithm>

#include "sense/platform/live_host.h"
#include "sense/platform/windows/native.h"

namespace gpuway {
namespace {

// Before a quote every backslash is doubled; elsewhere it stands for itself.
void add_quoted(const std::wstring& argument, std::wstring& line) {
  if (!argument.empty() && argument.find_first_of(L" \t\n\v\"") == std::wstring::npos) {
    line += argument;
    return;
  }
  line += L'"';
  std::size_t backslashes = 0;
  for (const wchar_t unit : argument) {
    if (unit == L'\\') {
      ++backslashes;
      continue;
    }
    line.append(unit == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
    backslashes = 0;
    line += unit;
  }
  line.append(2 * backslashes, L'\\');
  line += L'"';
}

bool is_blank(wchar_t unit) { return unit == L' ' || unit == L'\t'; }

}  // namespace

std::wstring command_line_of(const std::vector<std::string>& arguments) {
  std::wstring line;
  for (const auto& argument : arguments) {
    if (!line.empty()) line += L' ';
    add_quoted(wide(argument), line);
  }
  return line;
}

std::vector<std::string> arguments_of(const std::wstring& line) {
  std::vector<std::string> out;
  std::size_t at = 0;
  // The program's own name knows no backslash but its letters.
  bool quoted = false;
  for (; at < line.size() && (quoted || !is_blank(line[at])); ++at) quoted ^= line[at] == L'"';
  while (true) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return out;
    std::wstring argument;
    for (quoted = false; at < line.size() && (quoted || !is_blank(line[at]));) {
      const auto first_other = std::min(line.find_first_not_of(L'\\', at), line.size());
      const auto backslashes = first_other - at;
      at = first_other;
      const bool quote = at < line.size() && line[at] == L'"';
      argument.append(quote ? backslashes / 2 : backslashes, L'\\');
      if (quote && backslashes % 2 == 1) {
        argument += line[at++];
      } else if (quote && quoted && at + 1 < line.size() && line[at + 1] == L'"') {
        argument += L'"';  // two within quotes stand for one
        at += 2;
      } else if (quote) {
        quoted = !quoted;
        ++at;
      } else if (backslashes == 0) {
        argument += line[at++];
      }
    }
    out.push_back(narrow(argument));
  }
}

std::vector<std::string> program_arguments(int argc, char** argv) {
  // What main gets went through the code page and may have lost characters, and its wildcards are expanded.
  static_cast<void>(argc);
  static_cast<void>(argv);
  return arguments_of(::GetCommandLineW());
}

}  // namespace gpuway
