#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "think/model/answer.h"
#include "think/model/binary.h"

namespace gpuway {

/// One library that a file needs, itself (DT_NEEDED) or through another one.
struct InspectedNeed {
  std::string name;      // as it stands in the file that asks
  std::string asked_by;  // path of that file
  bool direct = true;    // the inspected file itself asks
  // found | not-found | elsewhere (not found by itself, but among the files inspected: `path`) | not-settled |
  // too-short | not-elf | malformed | wrong-class | wrong-machine | denied | version-missing | executable-stack |
  // cut-off | symbol-missing
  std::string state;
  std::string path;     // the file that is taken, or the one at fault; empty when there is none
  std::string rule;     // how it is found: rpath | ld-library-path | runpath | cache | system | loaded | path | ...
  std::string version;  // version-missing and symbol-missing only: what `path` lacks
  std::vector<SearchedPlace> searched;  // for what is not found: all places, in order
};

/// The lowest NVIDIA driver for a file, from the tables.
struct DriverNeed {
  std::string lowest;   // "525.60.13", or empty when nothing in the file tells
  std::string because;  // what tells: "CUDA 12, by libcudart.so.12" or "PTX ISA 8.4"
  std::string for_ptx;  // the lowest driver that takes the newest PTX in it, or empty
  std::string ptx_isa;  // "8.4", or empty
};

/// Everything `inspect` says about one file.
struct InspectedFile {
  std::string path;
  std::string kind;     // library | program | gpu-code | other | unreadable
  std::string detail;   // why it is unreadable; of "other", what the file is (formats/file_format.h) or its fault; or empty
  std::string machine;  // "x86-64", "aarch64", "i386", "machine 21"; empty when it is no library
  int bits = 0;         // 64 or 32; 0 when it is no ELF file
  std::string soname;
  std::optional<std::string> rpath, runpath;
  std::string opened_by;                  // the program that the replay starts, empty when nothing is replayed
  Verdict loads = Verdict::undetermined;  // every need found; symbols are not looked at
  std::string loads_detail;               // why undetermined, or empty
  std::vector<InspectedNeed> needs;
  std::optional<GpuCodeSummary> gpu_code;
  std::string gpu_code_detail;  // why it is not known, or empty
  DriverNeed driver;
};

struct Inspection {
  std::vector<InspectedFile> files;
  std::vector<std::string> problems;  // what could not be looked at, each "path: code: detail"
};

}  // namespace gpuway
