#include <algorithm>

#include "base/text.h"
#include "say/render/columns.h"
#include "say/render/explain.h"

namespace gpuway {
namespace {

constexpr std::size_t kLabel = 14;      // columns of the label column
constexpr std::size_t kLinesShown = 4;  // of one cause
constexpr std::size_t kOthersShown = 3;

class ExplainWriter {
 public:
  ExplainWriter(const Explanation& explanation, const Messages& messages, const TextOptions& options)
      : explanation_(explanation), messages_(messages), options_(options) {}

  std::string write() {
    const auto& causes = explanation_.causes;
    if (causes.empty()) {
      line(paint(messages_.word(explanation_.binary ? "explain-binary" : explanation_.harmless.empty() ? "explain-nothing" : "explain-only-harmless"), "1"));
    } else if (explanation_.decided) {
      line(paint(messages_.word("error"), "31") + paint("[" + causes[0].id + "]", "31") + ": " + title(causes[0].id));
      write_lines(messages_.word("evidence"), causes[0].lines);
      write_step(causes[0].id);
    } else {
      line(paint(messages_.word(causes.size() == 1 ? "explain-open-one" : "explain-open", {{"count", static_cast<std::int64_t>(causes.size())}}), "33"));
      for (const auto& cause : causes) {
        line("");
        line(paint(messages_.word("explain-perhaps") + "[" + cause.id + "]", "33") + ": " + title(cause.id));
        write_lines(messages_.word("evidence"), cause.lines);
        write_step(cause.id);
      }
    }
    if (explanation_.decided && causes.size() > 1) {
      std::string label = messages_.word("explain-also");
      for (std::size_t i = 1; i < causes.size() && i <= kOthersShown; ++i) {
        labelled(label, causes[i].id + ": " + title(causes[i].id));
        label.clear();
      }
    }
    if (!causes.empty()) write_harmless();
    for (const auto& fact : explanation_.missing_facts) {
      line("");
      labelled(messages_.word("explain-decides"), messages_.question(fact.id));
      exact("", "    " + fact.command);
    }
    if (causes.empty()) write_harmless();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }
  std::string paint(const std::string& text, const char* code) const {
    return options_.colour ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }
  std::string title(const std::string& id) const {
    const auto* text = messages_.cause(id);
    return text == nullptr ? id : std::string(text->title);
  }
  static std::string padded(const std::string& label) {
    const auto used = columns_of(label);
    return label + std::string(used < kLabel ? kLabel - used : 1, ' ');
  }
  void labelled(const std::string& label, const std::string& text) {
    const auto width = options_.width > kLabel + 24 ? options_.width - kLabel - 2 : 22;
    auto head = "  " + padded(label);
    for (const auto& part : wrap(text, width)) {
      line(head + part);
      head = std::string(kLabel + 2, ' ');
    }
  }
  void exact(const std::string& label, const std::string& text) { line("  " + padded(label) + text); }

  void write_lines(std::string label, const std::vector<std::size_t>& lines) {
    for (std::size_t i = 0; i < lines.size() && i < kLinesShown; ++i) {
      const auto text = explanation_.texts.find(lines[i]);
      exact(label, messages_.word("explain-line", {{"line", static_cast<std::int64_t>(lines[i])}}) + "  " +
                       (text == explanation_.texts.end() ? std::string() : printable(text->second)));
      label.clear();
    }
    if (lines.size() > kLinesShown)
      labelled("", messages_.word("explain-more-lines", {{"count", static_cast<std::int64_t>(lines.size() - kLinesShown)}}));
  }

  void write_step(const std::string& id) {
    if (const auto* text = messages_.cause(id); text != nullptr && !text->step.empty()) labelled(paint(messages_.word("help"), "36"), std::string(text->step));
  }

  void write_harmless() {
    if (explanation_.harmless.empty()) return;
    line("");
    for (const auto& one : explanation_.harmless) write_lines(messages_.word("explain-harmless"), one.lines);
  }

  const Explanation& explanation_;
  const Messages& messages_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string render_explain_text(const Explanation& explanation, const Messages& messages, const TextOptions& options) {
  return ExplainWriter(explanation, messages, options).write();
}

}  // namespace gpuway
