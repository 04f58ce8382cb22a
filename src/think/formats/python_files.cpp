#include "think/formats/python_files.h"

#include <algorithm>

#include "base/text.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxFields = 20'000, kMaxPthLines = 10'000;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// What str.strip() removes, as far as it is ASCII.
constexpr bool is_python_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= '\x1f'); }

std::string_view strip_end(std::string_view text) {
  while (!text.empty() && is_python_space(text.back())) text.remove_suffix(1);
  return text;
}

DistributionName split_stem(std::string_view stem) {
  const auto dash = stem.find('-');
  if (dash == std::string_view::npos) return {normalized_name(stem), ""};
  return {normalized_name(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
}

// setuptools puts the version of Python behind the name: foo-1.0-py3.8.
std::string_view without_python_tag(std::string_view stem) {
  const auto tag = stem.rfind("-py");
  if (tag == std::string_view::npos || tag + 3 >= stem.size() || !is_digit(stem[tag + 3])) return stem;
  return stem.substr(0, tag);
}

// The part before an ending that is compared without case, as importlib.metadata does; nothing for an empty name.
std::optional<std::string_view> before_ending(std::string_view name, std::string_view ending) {
  if (name.size() <= ending.size() || name.front() == '-') return std::nullopt;
  const auto tail = name.substr(name.size() - ending.size());
  // Most names of a site folder fail here, before anything is copied.
  if (tail.front() != '.' || to_lower(tail) != ending) return std::nullopt;
  return name.substr(0, name.size() - ending.size());
}

// One line and what is left of `text`; a line ends at LF, CR or CR LF.
std::string_view take_line(std::string_view& text, std::string_view line_ends) {
  const auto end = text.find_first_of(line_ends);
  const auto line = text.substr(0, end);
  if (end == std::string_view::npos) {
    text = {};
    return line;
  }
  const bool pair = text[end] == '\r' && end + 1 < text.size() && text[end + 1] == '\n';
  text.remove_prefix(end + (pair ? 2 : 1));
  return line;
}

// A header line is a name without blanks and control characters, then a colon.
std::size_t header_colon(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::string_view::npos;
  const auto name = line.substr(0, colon);
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
  return plain ? colon : std::string_view::npos;
}

}  // namespace

std::string normalized_name(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    if (c == '-' || c == '_' || c == '.') {
      if (out.empty() || out.back() != '-') out += '-';
    } else {
      out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  return out;
}

std::optional<DistributionName> parse_distribution_folder(std::string_view file_name) {
  constexpr std::string_view wheel = ".dist-info", egg = ".egg-info";
  if (const auto stem = before_ending(file_name, wheel)) return split_stem(*stem);
  if (const auto stem = before_ending(file_name, egg)) return split_stem(without_python_tag(*stem));
  return std::nullopt;
}

std::optional<DistributionName> parse_egg_folder(std::string_view file_name) {
  if (!file_name.ends_with(".egg") || file_name.size() < 5 || file_name.front() == '-') return std::nullopt;
  return split_stem(without_python_tag(file_name.substr(0, file_name.size() - 4)));
}

Headers parse_headers(std::string_view text) {
  Headers fields;
  while (!text.empty() && fields.size() < kMaxFields) {
    const auto line = take_line(text, "\r\n");
    if (line.empty()) break;
    if (line.front() == ' ' || line.front() == '\t') {
      if (!fields.empty()) fields.back().second += " " + std::string(trim(line));
      continue;
    }
    const auto colon = header_colon(line);
    if (colon == std::string_view::npos) break;
    fields.emplace_back(to_lower(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))));
  }
  return fields;
}

std::optional<std::size_t> headers_end(std::string_view text) {
  const auto unix_end = text.find("\n\n"), dos_end = text.find("\n\r\n");
  const auto end = std::min(unix_end == std::string_view::npos ? unix_end : unix_end + 2,
                            dos_end == std::string_view::npos ? dos_end : dos_end + 3);
  if (end == std::string_view::npos) return std::nullopt;
  return end;
}

PyvenvConfig parse_pyvenv_cfg(std::string_view text) {
  PyvenvConfig config;
  bool is_virtualenv = false, is_uv = false;
  while (!text.empty()) {
    const auto line = take_line(text, "\r\n");
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const auto key = to_lower(trim(line.substr(0, equals)));
    const auto value = std::string(trim(line.substr(equals + 1)));
    if (key == "home" && config.home.empty()) config.home = value;
    if (key == "include-system-site-packages") config.system_site_packages = to_lower(value) == "true";
    if (key == "version" || key == "version_info") config.version = value;
    if (key == "virtualenv") is_virtualenv = true;
    if (key == "uv") is_uv = true;
  }
  config.creator = is_uv ? "uv" : is_virtualenv ? "virtualenv" : "venv";
  return config;
}

std::vector<PthLine> parse_pth(std::string_view text, bool utf8_rules) {
  if (utf8_rules && text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const std::string_view line_ends = utf8_rules ? "\n\r\v\f\x1c\x1d\x1e" : "\n\r";
  std::vector<PthLine> lines;
  while (!text.empty() && lines.size() < kMaxPthLines) {
    const auto line = take_line(text, line_ends);
    const auto stripped = strip_end(line);
    if (line.starts_with('#') || stripped.empty()) continue;
    const bool code = line.starts_with("import ") || line.starts_with("import\t");
    lines.push_back({std::string(code ? line : stripped), code});
  }
  return lines;
}

std::optional<std::string> extension_module(std::string_view file_name, int major, int minor, bool free_threaded) {
  if (!file_name.ends_with(".so")) return std::nullopt;
  const auto stem = file_name.substr(0, file_name.size() - 3);
  const auto dot = stem.find('.');
  if (dot == std::string_view::npos) return std::string(stem);
  const auto module = stem.substr(0, dot), tag = stem.substr(dot + 1);
  if (tag == "abi3" && !free_threaded) return std::string(module);
  const auto wanted = "cpython-" + std::to_string(major) + std::to_string(minor) + (free_threaded ? "t" : "");
  if (tag == wanted || tag.starts_with(wanted + "-")) return std::string(module);
  if (major == 3 && minor < 8 && tag.starts_with(wanted + "m")) return std::string(module);
  return std::nullopt;
}

std::vector<std::string> extension_suffixes(int major, int minor, bool free_threaded, std::string_view triplet) {
  if (major < 3) return {".so", "module.so"};
  auto tag = ".cpython-" + std::to_string(major) + std::to_string(minor);
  if (major == 3 && minor < 8) tag += "m";
  if (free_threaded) tag += "t";
  if (!triplet.empty()) tag += "-" + std::string(triplet);
  std::vector<std::string> out = {tag + ".so"};
  if (!free_threaded) out.emplace_back(".abi3.so");
  out.emplace_back(".so");
  return out;
}

}  // namespace gpuway
