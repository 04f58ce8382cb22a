#pragma once

#include <string>
#include <vector>

#include "commands/check.h"

namespace gpuway {

struct RoutesOptions {
  CheckOptions look;                    // --from, --root, --timeout, --json, --lang, --color
  std::string route;                    // the one to tell of, or to write; empty: all
  std::string machine;                  // on paper
  std::string output;                   // folder, of `lock`
  std::vector<std::string> needs, keeps;
  std::string audience;                 // student | enterprise | windows-only, or empty
  bool no_wsl = false, no_admin = false, offline = false;
};

/// `gpuway routes`: every way to a GPU for this machine, or one on paper.
int run_routes(const RoutesOptions& options, Program& program);

/// `gpuway lock ROUTE -o DIR`: one of them as files.
int run_lock(const RoutesOptions& options, Program& program);

}  // namespace gpuway
