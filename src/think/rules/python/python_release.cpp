#include "think/rules/python/python_release.h"

#include <algorithm>

#include "base/path.h"
#include "base/text.h"
#include "think/formats/python_files.h"
#include "think/knowledge/python_pins.h"

namespace gpuway {
namespace {

// `cp311-abi3`: the stable ABI of that Python and of all later ones with the GIL.
bool abi_fits(std::string_view digits, std::string_view abi, const PythonRelease& python) {
  if (digits.empty() || !digits.starts_with(std::to_string(python.major))) return false;
  const auto minor = to_integer(digits.substr(1));
  if (!minor) return false;
  if (abi == "abi3") return !python.free_threaded && *minor <= python.minor;
  return *minor == python.minor && (abi == "none" || abi.ends_with("t") == python.free_threaded);
}

// "py3", "py2", "py310": no compiled code.
bool plain_fits(std::string_view digits, std::string_view abi, const PythonRelease& python) {
  return abi == "none" && digits.starts_with(std::to_string(python.major)) &&
         (digits.size() == 1 || to_integer(digits.substr(1)).value_or(0) <= python.minor);
}

}  // namespace

PythonRelease python_release(const PythonEnvironment& environment) {
  PythonRelease python{0, 0, environment.free_threaded, environment.implementation == "pypy"};
  const auto numbers = release_numbers(environment.version.value_or(""));
  if (numbers.size() < 2 || numbers[0] > 9 || numbers[1] > 99) return python;
  python.major = static_cast<int>(numbers[0]);
  python.minor = static_cast<int>(numbers[1]);
  return python;
}

bool tags_fit(const std::vector<std::string>& tags, const PythonRelease& python) {
  if (tags.empty()) return true;
  return std::any_of(tags.begin(), tags.end(), [&](const std::string& tag) {
    const auto parts = split(tag, '-');
    if (parts.size() < 3) return true;                      // not a tag: nothing can be told
    if (parts[0].starts_with("pp")) return python.is_pypy;  // "pp310-pypy310_pp73"
    if (parts[0].starts_with("py")) return plain_fits(parts[0].substr(2), parts[1], python);
    return parts[0].starts_with("cp") && !python.is_pypy && abi_fits(parts[0].substr(2), parts[1], python);
  });
}

std::optional<std::string> extension_among(const std::vector<std::string>& names, std::string_view module,
                                           const PythonRelease& python) {
  // Without a version this is as good as any: most such files carry no version in their names.
  const int major = python.major == 0 ? 3 : python.major;
  for (const auto& name : names) {
    if (extension_module(name, major, python.minor, python.free_threaded) == module) return name;
  }
  return std::nullopt;
}

bool has_import_hook(const PythonEnvironment& environment) {
  return std::any_of(environment.pth_code.begin(), environment.pth_code.end(), [](const std::string& path) {
    return file_name(path).find("editable") != std::string_view::npos;
  });
}

}  // namespace gpuway
