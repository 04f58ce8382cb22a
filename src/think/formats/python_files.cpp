#include "think/formats/python_files.h"

#include "base/text.h"

namespace gpuway {

std::string normalized_name(std::string_view name) {
  std::string out;
  bool separator = false;
  for (const char c : to_lower(name)) {
    if (c == '-' || c == '_' || c == '.') {
      separator = true;
      continue;
    }
    if (separator && !out.empty()) out += '-';
    separator = false;
    out += c;
  }
  return out;
}

std::optional<DistributionName> parse_distribution_folder(std::string_view file_name) {
  constexpr std::string_view wheel = ".dist-info", egg = ".egg-info";
  const bool is_wheel = file_name.ends_with(wheel), is_egg = file_name.ends_with(egg);
  if (!is_wheel && !is_egg) return std::nullopt;
  auto stem = file_name.substr(0, file_name.size() - (is_wheel ? wheel : egg).size());
  if (is_egg) {
    if (const auto tag = stem.rfind("-py"); tag != std::string_view::npos && tag + 3 < stem.size() && stem[tag + 3] >= '0' && stem[tag + 3] <= '9') {
      stem = stem.substr(0, tag);
    }
  }
  const auto dash = stem.find('-');
  if (dash == std::string_view::npos) {
    if (is_wheel || stem.empty()) return std::nullopt;
    return DistributionName{normalized_name(stem), ""};
  }
  if (dash == 0) return std::nullopt;
  return DistributionName{normalized_name(stem.substr(0, dash)), std::string(stem.substr(dash + 1))};
}

std::vector<std::pair<std::string, std::string>> parse_headers(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) break;
    if (line.front() == ' ' || line.front() == '\t') {
      if (!fields.empty()) fields.back().second += " " + std::string(trim(line));
      continue;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    fields.emplace_back(to_lower(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))));
  }
  return fields;
}

std::map<std::string, std::string> parse_pyvenv_cfg(std::string_view text) {
  std::map<std::string, std::string> fields;
  for (const auto line : split_lines(text)) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    fields[to_lower(trim(line.substr(0, equals)))] = std::string(trim(line.substr(equals + 1)));
  }
  return fields;
}

std::vector<PthLine> parse_pth(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<PthLine> lines;
  for (const auto line : split_lines(text)) {
    if (line.starts_with('#') || trim(line).empty()) continue;
    if (line.starts_with("import ") || line.starts_with("import\t")) {
      lines.push_back({std::string(line), true});
    } else {
      auto folder = line;
      while (!folder.empty() && (folder.back() == ' ' || folder.back() == '\t' || folder.back() == '\r')) folder.remove_suffix(1);
      lines.push_back({std::string(folder), false});
    }
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

}  // namespace gpuway
