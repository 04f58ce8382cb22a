#include "think/formats/wsl_config.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "think/formats/utf16.h"

namespace gpuway {
namespace {

constexpr std::size_t kMaxBytes = 1 << 20, kMaxRows = 1024, kMaxText = 1024;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

template <class Test>
bool all_of(std::string_view text, Test&& test) {
  return !text.empty() && std::all_of(text.begin(), text.end(), test);
}

// C notation: 12, 0x1F, 017, with a sign.
bool is_number(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto lower = to_lower(text.substr(0, 2));
  if (lower == "0x") return all_of(text.substr(2), is_hex);
  return all_of(text, is_digit);
}

bool is_size(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  if (end == text.begin()) return false;
  const auto unit = to_lower(std::string_view(end, text.end()));
  constexpr std::string_view units[] = {"", "b", "k", "kb", "m", "mb", "g", "gb", "t", "tb"};
  return std::find(std::begin(units), std::end(units), unit) != std::end(units);
}

bool is_mac(std::string_view text) {
  if (text.size() != 17) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool border = i % 3 == 2;
    if (border ? text[i] != ':' && text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

// How far two names differ: letters changed, put in or left out.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i;
    for (std::size_t k = 1; k <= other.size(); ++k) {
      const auto above = row[k];
      row[k] = std::min({above + 1, row[k - 1] + 1, diagonal + (one[i - 1] == other[k - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row.back();
}

/// Reads one file, character by character: a backslash before a line's end joins it with the next one.
class ConfigReader {
 public:
  ConfigReader(std::string_view text, std::string_view file, std::span<const WslKey> keys, WslConfig& out)
      : text_(text), file_(file), keys_(keys), out_(out) {}

  void read() {
    while (at_ < text_.size()) {
      skip_blanks();
      if (at_ >= text_.size()) break;
      const auto line = line_;
      if (text_[at_] == '[') {
        read_section(line);
      } else if (text_[at_] != '#' && text_[at_] != '\n') {
        read_setting(line);
      }
      skip_line();
    }
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  // To the beginning of the next line.
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
    if (at_ < text_.size()) {
      ++at_;
      ++line_;
    }
  }
  // The rest of the line up to a comment or one of `ends`, without moving past it.
  std::string_view part(std::string_view ends) {
    const auto begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '#' &&
           ends.find(text_[at_]) == std::string_view::npos)
      ++at_;
    return trim(text_.substr(begin, at_ - begin));
  }

  void problem(std::string kind, std::string_view key, std::string_view detail, std::int64_t line) {
    if (out_.problems.size() < kMaxRows)
      out_.problems.push_back(
          {std::move(kind), std::string(key.substr(0, kMaxText)), std::string(detail.substr(0, kMaxText)), line});
  }

  bool is_section(std::string_view name) const {
    return std::any_of(keys_.begin(), keys_.end(), [&](const WslKey& key) {
      const auto of = [&](std::string_view full) { return to_lower(full.substr(0, full.find('.'))) == to_lower(name); };
      return key.file == file_ && (of(key.name) || (!key.alias.empty() && of(key.alias)));
    });
  }

  void read_section(std::int64_t line) {
    ++at_;
    const auto name = part("]");
    section_known_ = false;
    if (at_ >= text_.size() || text_[at_] != ']') {
      problem("bad-section", "", name, line);
      section_ = name;
      return;
    }
    ++at_;
    section_ = name;
    section_known_ = is_section(name);
    if (!section_known_) problem("unknown-section", "", name, line);
  }

  // A backslash and what it stands for; nothing when WSL does not know it.
  std::optional<std::string> escaped() {
    const char next = at_ < text_.size() ? text_[at_] : '\n';
    switch (next) {
      case '\\': ++at_; return "\\";
      case '"': ++at_; return "\"";
      case 'b': ++at_; return "\b";
      case 'n': ++at_; return "\n";
      case 't': ++at_; return "\t";
      case '\r':
      case '\n':  // the next line goes on
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        if (at_ < text_.size()) {
          ++at_;
          ++line_;
        }
        return "";
      default: return std::nullopt;
    }
  }

  // The value behind the '='. Nothing when an escape in it is none; `bad` names it then.
  std::optional<std::string> read_value(std::string& bad) {
    std::string value;
    std::size_t keep = 0;  // blanks at the end count only inside of quotes
    bool quoted = false;
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_];
      if (c == '#' && !quoted) break;
      ++at_;
      if (c == '"') {
        quoted = !quoted;
        keep = value.size();
      } else if (c == '\\') {
        const auto meant = escaped();
        if (!meant) {
          const auto end = text_.find_first_of("\r\n", at_);
          bad = std::string(text_.substr(
              at_ - 1, std::min<std::size_t>(end == std::string_view::npos ? text_.size() : end, at_ + 1) - (at_ - 1)));
          return std::nullopt;
        }
        value += *meant;
        keep = value.size();
      } else if (c != '\r') {
        value += c;
        if (quoted || !is_blank(c)) keep = value.size();
      }
    }
    value.resize(keep);
    return value;
  }

  void read_setting(std::int64_t line) {
    const auto name = part("=");
    if (at_ >= text_.size() || text_[at_] != '=') {
      problem("no-setting", "", name, line);
      return;
    }
    ++at_;
    skip_blanks();
    const auto begin = at_;
    std::string bad;
    const auto value = read_value(bad);
    const auto raw =
        trim(text_.substr(begin, text_.find('\n', begin) == std::string_view::npos ? std::string_view::npos
                                                                                   : text_.find('\n', begin) - begin));
    if (section_.empty()) {
      problem("no-section", name, belongs_to(name), line);
      return;
    }
    const auto written = std::string(section_.substr(0, kMaxText)) + "." + std::string(name.substr(0, kMaxText));
    const auto* key = find(written);
    if (key == nullptr) {
      // All keys of an unknown section are unknown; the section says it.
      const auto place = belongs_to(name);
      if (!place.empty()) problem("wrong-section", written, place, line);
      if (place.empty() && section_known_) problem("unknown-key", written, nearest(written), line);
      return;
    }
    if (!value) {
      problem("bad-escape", key->name, bad, line);
      return;
    }
    if (out_.find(key->name) != nullptr) {
      problem("duplicate", key->name, *value, line);
      return;
    }
    // \t and \n in an unescaped Windows path read as a tab and a line end.
    if (key->type == "path" &&
        std::any_of(value->begin(), value->end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; })) {
      problem("bad-escape", key->name, raw, line);
      return;
    }
    if (!fits_wsl_key(*key, *value)) {
      problem("bad-value", key->name, *value, line);
      return;
    }
    if (out_.settings.size() < kMaxRows)
      out_.settings.push_back({std::string(key->name), value->substr(0, kMaxText), line});
  }

  const WslKey* find(std::string_view written) const {
    for (const auto& key : keys_) {
      if (key.file == file_ &&
          (to_lower(key.name) == to_lower(written) || (!key.alias.empty() && to_lower(key.alias) == to_lower(written))))
        return &key;
    }
    return nullptr;
  }

  // The section in which there is a key of this name.
  std::string belongs_to(std::string_view name) const {
    for (const auto& key : keys_) {
      const auto dot = key.name.find('.');
      if (key.file == file_ && to_lower(key.name.substr(dot + 1)) == to_lower(name))
        return std::string(key.name.substr(0, dot));
    }
    return {};
  }

  std::string nearest(std::string_view written) const {
    std::string_view best;
    std::size_t least = 3;
    for (const auto& key : keys_) {
      if (key.file != file_ || written.size() > key.name.size() + least || key.name.size() > written.size() + least)
        continue;
      const auto far = distance(to_lower(written), to_lower(key.name));
      if (far >= least) continue;
      least = far;
      best = key.name;
    }
    return std::string(best);
  }

  std::string_view text_, file_;
  std::span<const WslKey> keys_;
  WslConfig& out_;
  std::string_view section_;
  bool section_known_ = false;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
};

}  // namespace

bool fits_wsl_key(const WslKey& key, std::string_view value) {
  const auto lower = to_lower(value);
  if (key.type == "bool") return lower == "true" || lower == "false" || lower == "1" || lower == "0";
  if (key.type == "int") return is_number(value);
  if (key.type == "size") return is_size(value);
  if (key.type == "octal") return all_of(value, [](char c) { return c >= '0' && c <= '7'; });
  if (key.type == "mac") return is_mac(value);
  if (key.type == "enum") {
    const auto values = split(key.values, ' ');
    return std::any_of(values.begin(), values.end(), [&](std::string_view word) { return to_lower(word) == lower; });
  }
  return true;
}

WslConfig parse_wsl_config(std::string_view bytes, std::string_view file, std::span<const WslKey> keys) {
  constexpr std::string_view mark8 = "\xEF\xBB\xBF", little = "\xFF\xFE", big = "\xFE\xFF";
  bytes = bytes.substr(0, kMaxBytes);
  WslConfig out;
  std::string text;
  const auto encoding_problem = [&] { out.problems.push_back({"encoding", "", out.encoding, 0}); };
  if (bytes.starts_with(big) || bytes.starts_with(little) || bytes.find('\0') != std::string_view::npos) {
    out.encoding = "utf-16";
    if (!bytes.starts_with(big)) text = utf16le_to_utf8(bytes);
    encoding_problem();
  } else {
    out.encoding = !is_utf8(bytes) ? "other" : bytes.starts_with(mark8) ? "utf-8-bom" : "utf-8";
    text = bytes.substr(out.encoding == "utf-8-bom" ? mark8.size() : 0);
    if (out.encoding == "other") encoding_problem();
  }
  if (file == "wsl.conf" && text.find("\r\n") != std::string::npos)
    out.problems.push_back({"dos-line-ends", "", "", 0});
  ConfigReader(text, file, keys, out).read();
  return out;
}

}  // namespace gpuway
