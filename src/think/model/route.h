#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "think/model/answer.h"

namespace gpuway {

/// What routes need to know of a machine, looked at or on paper. An empty text is not known.
struct RouteMachine {
  std::string system;                 // windows | linux
  std::string system_name;            // as told: "Windows 11", "Ubuntu 22.04"
  int windows_build = 0;              // 0: not known, or no Windows
  bool inside_wsl = false;            // a Linux that is a WSL 2 distribution
  bool inside_container = false;
  struct Gpu {
    std::string name, vendor;         // vendor: nvidia amd intel other
    std::string architecture;         // id of data/tables/gpus.toml, of NVIDIA's
    int major = 0, minor = 0;         // compute capability; 0.0 when not known
  };
  std::vector<Gpu> gpus;
  bool gpus_known = false;            // false: nobody looked; an empty list says nothing then
  std::string driver;                 // NVIDIA's version
  std::vector<std::string> pythons;   // minors that are on the machine: "3.11"
  std::string wsl = "unknown";        // of a Windows: ready (a WSL 2 distribution is there) | possible | forbidden | unknown
  std::string distribution;           // that is ready
  bool virtualization = true;         // false: switched off in the firmware
  struct Installed {
    std::string framework, version, python, environment;
    bool works = false;               // sees the GPU and can compute on it
    std::string cause;                // finding that breaks it
    std::string step;                 // next step that mends it
    std::vector<std::string> commands;
  };
  std::vector<Installed> installed;
};

/// What the user wants.
struct RouteWishes {
  std::string framework = "tensorflow";
  std::string versions;               // PEP 440 specifiers: ">=2.16"
  std::string python;                 // a minor to keep: "3.10"
  bool keep_numpy2 = false;           // a NumPy of 2.x has to stay
  bool no_wsl = false, no_admin = false, offline = false;
  bool windows_only = false;          // nothing but Windows itself
};

/// Something that speaks against a route, or that it takes: an id with what fills its text.
struct RouteReason {
  std::string id;
  std::map<std::string, FindingValue> args;
};

enum class RouteVerdict : unsigned char { works, works_if, refused };
std::string_view to_word(RouteVerdict verdict);

/// One way to a working GPU: a place and a stack.
struct Route {
  std::string id;                     // "wsl-cuda"
  std::string place;                  // here | native | wsl | container
  std::string gpu;                    // cuda directml rocm xpu none
  std::string framework;              // that is installed: for Keras on another backend, that backend's
  std::string package, version, python;
  std::vector<std::string> install;   // requirements; `extra` are pins beside them
  std::vector<std::string> extra;
  std::string index;                  // where the wheels are; empty: PyPI
  std::string cuda, cudnn;            // that has to be there beside the wheels; empty: the wheels bring theirs
  bool keeps_code = true;             // false: programs have to be changed
  RouteVerdict verdict = RouteVerdict::refused;
  std::vector<RouteReason> reasons;     // against it
  std::vector<RouteReason> conditions;  // what has to be done or be true first
  std::vector<RouteReason> notes;       // what it costs later
  bool admin = false, reboot = false;
  int rank = 0;                         // 1 is the best; refused ones come last
};

}  // namespace gpuway
