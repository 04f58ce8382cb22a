#include <algorithm>
#include <set>

#include "base/path.h"
#include "base/text.h"
#include "say/render/columns.h"
#include "say/render/inspect.h"

namespace gpuway {
namespace {

using Row = GpuCodeSummary::Row;

constexpr std::size_t kLabel = 12;  // columns of the label column

bool is_well(const InspectedFile& file) {
  return file.kind != "unreadable" && file.loads != Verdict::no && file.loads != Verdict::crashes;
}
bool has_code(const InspectedFile& file) { return file.gpu_code && !file.gpu_code->rows.empty(); }

std::string capability(const Row& row) {
  auto text = std::to_string(row.arch / 10) + "." + std::to_string(row.arch % 10);
  if (row.variant != 0) text += row.variant;
  return text;
}

class InspectWriter {
 public:
  InspectWriter(const Inspection& inspection, const Messages& messages, const TextOptions& options)
      : inspection_(inspection), messages_(messages), options_(options) {}

  std::string write() {
    std::int64_t hidden = 0;
    for (const auto& file : inspection_.files) {
      const bool shown = inspection_.files.size() == 1 || options_.all || has_code(file) || !is_well(file);
      if (shown) {
        write_file(file);
      } else {
        ++hidden;
      }
    }
    if (hidden > 0) line(messages_.word("inspect-more", {{"count", hidden}}));
    for (const auto& problem : inspection_.problems) line(messages_.word("note") + ": " + printable(problem));
    if (inspection_.files.empty() && inspection_.problems.empty()) line(messages_.word("inspect-nothing"));
    if (inspection_.files.size() > 1) {
      const auto count = [&](auto&& wanted) {
        return static_cast<std::int64_t>(std::count_if(inspection_.files.begin(), inspection_.files.end(), wanted));
      };
      line(messages_.word("inspect-summary", {{"files", static_cast<std::int64_t>(inspection_.files.size())},
                                              {"gpu", count(has_code)},
                                              {"broken", count([](const InspectedFile& f) { return !is_well(f); })}}));
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + "\n"; }

  std::string paint(const std::string& text, const char* code) const {
    return options_.colour ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }

  static std::string padded(const std::string& label, std::size_t width) {
    const auto used = columns_of(label);
    return label + std::string(used < width ? width - used : 1, ' ');
  }

  // Prose or names behind a label, continued below itself; an empty label continues the one above.
  void labelled(const std::string& label, const std::string& text) {
    const auto width = options_.width > kLabel + 24 ? options_.width - kLabel - 2 : 22;
    auto head = "  " + padded(label, kLabel);
    for (const auto& part : wrap(text, width)) {
      line(head + part);
      head = std::string(kLabel + 2, ' ');
    }
  }
  void exact(const std::string& label, const std::string& text) { line("  " + padded(label, kLabel) + text); }

  void write_file(const InspectedFile& file) {
    auto head = printable(shown_path(file.path));
    if (!file.machine.empty())
      head +=
          "  (" + file.machine + ", " + file.kind + (file.soname.empty() ? ")" : ", " + printable(file.soname) + ")");
    line(paint(head, "1"));
    if (file.kind == "unreadable") {
      labelled(messages_.word("error"), messages_.word("inspect-unreadable", {{"detail", file.detail}}));
      line("");
      return;
    }
    if (!file.detail.empty()) {
      const auto id = "inspect-format-" + file.detail;
      const auto known = messages_.word(id);
      labelled(messages_.word("note"),
               file.kind == "other" ? messages_.word("inspect-no-library", {{"detail", known == id ? file.detail : known}}) : known);
    }
    if (file.rpath) exact(messages_.word("inspect-run-path"), "RPATH " + printable(*file.rpath));
    if (file.runpath) exact(messages_.word("inspect-run-path"), "RUNPATH " + printable(*file.runpath));
    if (!file.opened_by.empty() && file.opened_by != file.path)
      exact(messages_.word("inspect-opened-by"), printable(shown_path(file.opened_by)));
    if (!file.opened_by.empty()) write_loads(file);
    write_needs(file);
    // That a script or a text has no GPU code goes without saying.
    if (file.kind != "other" || has_code(file) || !file.gpu_code || file.detail == "ar") write_code(file);
    if (!file.driver.lowest.empty()) {
      labelled(messages_.word("driver"),
               messages_.word("inspect-driver", {{"driver", file.driver.lowest}, {"because", file.driver.because}}));
      if (!file.driver.for_ptx.empty() && file.driver.for_ptx != file.driver.lowest) {
        labelled("",
                 messages_.word("inspect-driver-ptx", {{"driver", file.driver.for_ptx}, {"isa", file.driver.ptx_isa}}));
      }
    }
    line("");
  }

  void write_loads(const InspectedFile& file) {
    auto text = messages_.word(file.loads == Verdict::undetermined ? "undetermined" : to_word(file.loads));
    text = paint(text, file.loads == Verdict::yes ? "32" : file.loads == Verdict::undetermined ? "33" : "31");
    if (!file.loads_detail.empty()) {
      const auto id = "inspect-loads-" + file.loads_detail;
      const auto known = messages_.word(id);
      text += ": " + (known == id ? printable(file.loads_detail) : known);
    }
    exact(messages_.word("inspect-loads"), text);
  }

  void write_needs(const InspectedFile& file) {
    std::size_t width = 0;
    std::int64_t hidden = 0;
    std::vector<const InspectedNeed*> shown;
    std::set<std::string> behind;
    for (const auto& need : file.needs) {
      if (need.direct || options_.verbose || need.state != "found") {
        shown.push_back(&need);
        width = std::max(width, columns_of(need.name));
      } else if (behind.insert(need.path).second) {
        ++hidden;
      }
    }
    auto label = messages_.word("inspect-needs");
    for (const auto* need : shown) {
      auto text = padded(printable(need->name), std::min<std::size_t>(width, 40) + 2);
      if (need->state == "found") {
        text += printable(shown_path(need->path)) + "  [" + need->rule + "]";
      } else {
        text += paint(messages_.word("inspect-" + need->state, {{"version", need->version}}),
                      need->state == "not-settled" || need->state == "elsewhere" ? "33" : "31");
        if (!need->path.empty()) text += "  " + printable(shown_path(need->path));
        if (!need->searched.empty())
          text +=
              "; " + messages_.word("inspect-searched", {{"count", static_cast<std::int64_t>(need->searched.size())}});
      }
      if (!need->direct) text += "  " + messages_.word("inspect-asked-by", {{"file", shown_path(need->asked_by)}});
      exact(label, text);
      label.clear();
      if (!options_.verbose) continue;
      for (const auto& place : need->searched)
        exact("", "    " + printable(shown_path(place.path)) + "  [" + place.rule + "] " + place.outcome);
    }
    if (hidden > 0) labelled("", messages_.word("inspect-more-needs", {{"count", hidden}}));
  }

  void write_code(const InspectedFile& file) {
    const auto label = messages_.word("inspect-machine-code");
    if (!file.gpu_code) {
      if (!file.gpu_code_detail.empty())
        labelled(label, messages_.word("undetermined") + ": " + printable(file.gpu_code_detail == "packed" ? messages_.word("inspect-packed") : file.gpu_code_detail));
      return;
    }
    const auto& code = *file.gpu_code;
    std::string machine, ptx, lto, isa;
    std::int64_t images = 0, texts = 0, parts = 0;
    std::pair<std::uint32_t, std::uint32_t> newest{0, 0};
    for (const auto& row : code.rows) {
      const auto add = [&](std::string& names, std::int64_t& count) {
        names += (names.empty() ? "" : " ") + capability(row);
        count += static_cast<std::int64_t>(row.count);
      };
      if (row.kind == Row::Kind::machine_code) add(machine, images);
      if (row.kind == Row::Kind::lto) add(lto, parts);
      if (row.kind != Row::Kind::ptx) continue;
      add(ptx, texts);
      newest = std::max(newest, std::pair(row.ptx_major, row.ptx_minor));
    }
    isa = std::to_string(newest.first) + "." + std::to_string(newest.second);
    if (code.rows.empty()) labelled(label, messages_.word("inspect-no-gpu-code"));
    if (!machine.empty()) labelled(label, messages_.word("inspect-images", {{"names", machine}, {"count", images}}));
    if (!ptx.empty())
      labelled(messages_.word("inspect-ptx"),
               messages_.word("inspect-ptx-row", {{"names", ptx}, {"count", texts}, {"isa", isa}}));
    if (!lto.empty())
      labelled(messages_.word("inspect-lto"), messages_.word("inspect-images", {{"names", lto}, {"count", parts}}));
    if (code.damaged > 0)
      labelled(messages_.word("warning"),
               messages_.word("inspect-damaged", {{"count", static_cast<std::int64_t>(code.damaged)}}));
    if (code.truncated) labelled(messages_.word("warning"), messages_.word("inspect-truncated"));
  }

  const Inspection& inspection_;
  const Messages& messages_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string render_inspect_text(const Inspection& inspection, const Messages& messages, const TextOptions& options) {
  return InspectWriter(inspection, messages, options).write();
}

}  // namespace gpuway
