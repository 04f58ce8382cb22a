// Reads the part of TOML that data/tables uses: comments, [[name]] rows, and keys with a text ("..." or '...', neither
// with escapes), a whole number or a list of texts (which may go over several lines). Anything else is an error with
// its line.
#pragma once

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace gpuway_tools {

struct Row {
  std::string table;
  int line = 0;
  std::map<std::string, std::vector<std::string>> values;  // a text or number is a list of one

  const std::vector<std::string>& list(const std::string& key) const {
    static const std::vector<std::string> none;
    const auto found = values.find(key);
    return found == values.end() ? none : found->second;
  }
  std::string text(const std::string& key) const { return list(key).empty() ? std::string() : list(key).front(); }
};

[[noreturn]] inline void fail(const std::string& file, int line, const std::string& what) {
  std::cerr << file << ":" << line << ": " << what << "\n";
  std::exit(1);
}

class RowReader {
 public:
  explicit RowReader(std::string file) : file_(std::move(file)) {
    std::ifstream in(file_);
    if (!in) fail(file_, 0, "cannot be read");
    std::ostringstream all;
    all << in.rdbuf();
    text_ = all.str();
  }

  std::vector<Row> read() {
    std::vector<Row> rows;
    for (skip(); at_ < text_.size(); skip()) {
      if (text_.compare(at_, 2, "[[") == 0) {
        const auto end = text_.find("]]", at_);
        if (end == std::string::npos) fail(file_, line_, "no ]]");
        rows.push_back({text_.substr(at_ + 2, end - at_ - 2), line_, {}});
        at_ = end + 2;
        continue;
      }
      if (rows.empty()) fail(file_, line_, "a key before the first [[table]]");
      const auto key = word();
      skip();
      expect('=');
      skip();
      auto& value = rows.back().values[key];
      if (!value.empty()) fail(file_, line_, key + " is there twice");
      if (text_[at_] == '[') {
        ++at_;
        for (skip(); at_ < text_.size() && text_[at_] != ']'; skip()) {
          value.push_back(quoted());
          skip();
          if (text_[at_] == ',') ++at_;
        }
        expect(']');
      } else if (text_[at_] == '"' || text_[at_] == '\'') {
        value.push_back(quoted());
      } else {
        value.push_back(word());
      }
    }
    return rows;
  }

 private:
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        ++line_;
      } else if (text_[at_] == '#') {
        at_ = text_.find('\n', at_);
        if (at_ == std::string::npos) at_ = text_.size();
        --at_;
      } else if (text_[at_] != ' ' && text_[at_] != '\t' && text_[at_] != '\r') {
        return;
      }
    }
  }
  void expect(char c) {
    if (at_ >= text_.size() || text_[at_] != c) fail(file_, line_, std::string("expected ") + c);
    ++at_;
  }
  std::string word() {
    const auto begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '-'))
      ++at_;
    if (at_ == begin) fail(file_, line_, "expected a name");
    return text_.substr(begin, at_ - begin);
  }
  std::string quoted() {
    const char mark = text_[at_] == '\'' ? '\'' : '"';
    expect(mark);
    const auto end = text_.find_first_of(mark == '"' ? "\"\n\\" : "'\n", at_);
    if (end == std::string::npos || text_[end] != mark) fail(file_, line_, "a text without an end, or with an escape");
    auto text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  std::string file_, text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace gpuway_tools
