#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "think/model/fact.h"

namespace gpuway {

/// One installed distribution, read from its dist-info, egg-info or conda-meta.
struct PythonPackage {
  std::string name;          // normalised (PEP 503): lower case, runs of -_. become one '-'
  std::string version;       // as written
  std::string location;      // the dist-info/egg-info folder or conda-meta file
  std::string site;          // the folder of the search path it lies in; empty for conda-meta only
  std::string installer;     // pip, uv, conda, ... or empty
  std::string direct_url;    // url of direct_url.json, or empty
  bool editable = false;
  std::string conda_build, conda_channel;   // only for conda packages
  // Filled only for packages whose METADATA was read (the frameworks and what they depend on):
  bool metadata_read = false;
  std::vector<std::string> requires_dist;   // raw PEP 508 lines
  std::string requires_python;
  std::vector<std::string> wheel_tags;      // WHEEL's Tag lines
  std::vector<std::string> extras;          // Provides-Extra
};

/// One folder of sys.path, in order, with the reason it is there.
struct SearchFolder {
  std::string path;
  std::string origin;  // script | pythonpath | stdlib | site | user-site | global-site | pth | egg-link
  bool exists = true;
};

/// A file or folder on the search path that answers `import <module>`.
struct ImportCandidate {
  std::string module;   // top-level name: tensorflow, torch, numpy, google, ...
  std::string path;     // .../tensorflow/__init__.py, .../tensorflow.py, .../foo.cpython-311-x86_64-linux-gnu.so; ARCHIVE/foo.py
  enum class Kind : unsigned char { package, file, extension, namespace_folder, zipped };  // zipped: in a ZIP archive
  Kind kind = Kind::package;
  int folder = 0;       // index into search_path
};

/// One Python prefix with everything the chains need, found without starting Python.
struct PythonEnvironment {
  std::string id;            // "e1", in output order
  std::string path;          // the prefix
  std::string kind;          // venv virtualenv uv conda pixi pyenv pipx poetry pipenv hatch system user embedded
  std::vector<std::string> found_by;  // probes or variables that led here, e.g. "VIRTUAL_ENV", "argument", "kernelspec:foo"
  bool active = false;       // the one `python` means in this shell
  std::string executable;    // path as a user would start it
  Fact<std::string> real_executable;   // after links; absent when the base Python is gone
  Fact<std::string> version;           // "3.11.7"
  std::string implementation = "cpython";
  bool free_threaded = false;
  Fact<std::uint16_t> machine;         // of the executable: EM_* of ELF, on Windows IMAGE_FILE_MACHINE_*
  std::string base_prefix;             // of a venv; equal to path otherwise
  bool system_site_packages = false;
  bool externally_managed = false;            // pip refuses to change it (PEP 668: EXTERNALLY-MANAGED in the standard library)
  Fact<bool> ensurepip;                       // whether its standard library can put pip in; Debian takes that out
  std::vector<SearchFolder> search_path;      // sys.path at start, for `python script.py` run in the current folder
  std::vector<PythonPackage> packages;        // in search-path order, then by name
  std::vector<ImportCandidate> imports;       // for the modules of interest, in search-path order
  std::vector<std::string> leftovers;         // "~ensorflow"-like folders
  std::vector<std::string> pth_code;          // .pth files that run code
  std::vector<std::string> customizers;       // sitecustomize/usercustomize found
  std::vector<std::string> problems;          // texts of what could not be read, each "path: code: detail"
};

/// As a person names its Python: "3.11.7", "3.13.0t" without the GIL, "PyPy 3.10.14"; empty when nothing tells it.
std::string python_label(const PythonEnvironment& environment);

}  // namespace gpuway
