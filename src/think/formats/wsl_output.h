#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuway {

/// What a wsl.exe wrote to a pipe, as UTF-8: UTF-16 without a mark as it writes by default, with a mark, or UTF-8 as it
/// does where WSL_UTF8=1 is set. `malformed` for bytes that are none of these: two halves of a cut pipe, other
/// encodings.
Result<std::string> decode_wsl_output(std::string_view bytes);

/// `wsl.exe --version`. The labels are in the language of Windows; the order of the lines and the values are not.
struct WslVersion {
  std::string wsl;      // 2.6.3.0
  std::string kernel;   // 6.6.87.2-1: the one that comes with it, not one that .wslconfig names
  std::string windows;  // 10.0.26100.4349, or empty
};
/// `malformed` for a text that does not begin with a release of WSL and of a kernel: another program, or one that knows
/// no
/// --version.
Result<WslVersion> parse_wsl_version(std::string_view text);

/// One line of `wsl.exe --list --verbose`.
struct WslListLine {
  std::string name,
      state;        // state: in lower case as written; Windows' own language in programs before the packaged one
  int version = 0;  // 1 or 2
  bool is_default = false;
  bool operator==(const WslListLine&) const = default;
};
/// The distributions after the heading, in order. `malformed` when a line after it is none. A text without any line is
/// one without distributions.
Result<std::vector<WslListLine>> parse_wsl_list(std::string_view text);

/// What `wsl.exe --status` says that is no sentence: releases and the addresses of Microsoft's help pages.
struct WslStatus {
  std::string kernel;  // of programs before the packaged one; empty otherwise
  bool asks_for_virtualization =
      false;                     // it names aka.ms/enablevirtualization: the platform for virtual machines is off
  bool asks_for_kernel = false;  // it names aka.ms/wsl2kernel: the kernel is not installed
};
WslStatus parse_wsl_status(std::string_view text);

/// What went wrong by the program's own words, in any language: "not-installed" (it names aka.ms/wslinstall and nothing
/// else is there), or its error code ("Wsl/Service/WSL_E_DISTRO_NOT_FOUND"). Empty when it names neither.
std::string wsl_fault_in(std::string_view text);

}  // namespace gpuway
