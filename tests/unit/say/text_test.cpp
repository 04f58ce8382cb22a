#include "say/render/text.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "say/render/columns.h"

namespace gpuway {
namespace {

class CheckText : public testing::Test {
 protected:
  CheckText() {
    PythonEnvironment environment;
    environment.id = "e1";
    environment.path = "/env";
    environment.kind = "venv";
    snapshot_.environments.push_back(environment);
    answer_.machine.kind = "container";
    answer_.machine.name = "Debian";
    Chain chain;
    chain.environment = "e1";
    chain.framework = "jax";
    chain.version = "0.5.0";
    chain.imports = Verdict::yes;
    chain.sees_gpu = Verdict::no;
    chain.can_compute = Verdict::no;
    answer_.chains.push_back(chain);
  }

  Finding& add(const std::string& id, Severity severity) {
    Finding finding;
    finding.id = id;
    finding.key = id + "#" + std::to_string(answer_.findings.size());
    finding.severity = severity;
    finding.chain = 0;
    finding.args = {{"framework", std::string("jax")},
                    {"version", std::string("0.5.0")},
                    {"library", std::string("libcudnn.so.9")},
                    {"path", std::string("/dev/nvidia0")},
                    {"detail", std::string("mode 0600")}};
    finding.next_step = {"install-cuda-libraries", {"pip install nvidia-cudnn-cu12"}};
    answer_.chains.front().findings.push_back(finding.key);
    answer_.findings.push_back(finding);
    return answer_.findings.back();
  }

  std::string text(const std::string& language = "en") {
    return render_check_text(answer_, snapshot_, Messages(language), options_);
  }
  // The columns in which what stands behind the label begins, of every line that has the label.
  static std::vector<std::size_t> starts_behind(const std::string& text, const std::string& label) {
    std::vector<std::size_t> starts;
    for (const auto line : split(text, '\n')) {
      const auto at = line.find(label);
      if (at == std::string_view::npos) continue;
      const auto rest = line.find_first_not_of(' ', at + label.size());
      starts.push_back(columns_of(line.substr(0, rest)));
    }
    return starts;
  }

  Answer answer_;
  Snapshot snapshot_;
  TextOptions options_;
};

TEST_F(CheckText, labels_of_both_languages_end_in_the_same_column) {
  auto& finding = add("cudnn-missing", Severity::error);
  finding.evidence = {{"file", "libcudnn.so.9", "not found"}};
  finding.searched = {{"runpath", "/nvidia/lib", "not-there"}};
  for (const auto* language : {"en", "zh"}) {
    const Messages messages(language);
    const auto out = text(language);
    for (const auto* label : {"evidence", "searched", "help"}) {
      EXPECT_EQ(starts_behind(out, "      " + messages.word(label)), std::vector<std::size_t>{16}) << language << out;
    }
    for (const auto* label : {"machine", "gpus", "driver"}) {
      EXPECT_EQ(starts_behind(out, messages.word(label) + " ").front(), 10U) << language << out;
    }
  }
}

TEST_F(CheckText, prose_keeps_to_the_width_in_both_languages) {
  add("wsl-gpu-mount-broken", Severity::error);
  add("cudnn-missing", Severity::error);
  for (const auto* language : {"en", "zh"}) {
    for (options_.width = 50; options_.width < 120; options_.width += 7) {
      const auto out = text(language);
      for (const auto line : split(out, '\n')) {
        // Commands, ids and counts stay whole, and the verdicts of a chain are one line.
        const bool whole =
            line.find("pip install") != line.npos || line.find("verbose") != line.npos || line.starts_with("  jax");
        if (!whole) {
          EXPECT_LE(columns_of(line), options_.width) << line;
        }
      }
    }
  }
}

TEST_F(CheckText, gpus_that_nobody_could_look_for_are_not_called_absent) {
  EXPECT_NE(text().find("GPUs      not known\n"), std::string::npos);
  snapshot_.pci_gpus = Fact<std::vector<PciGpu>>::absent({});
  EXPECT_NE(text().find("GPUs      none\n"), std::string::npos);
  snapshot_.live = false;   // another root
  EXPECT_NE(text().find("GPUs      not known\n"), std::string::npos);
  snapshot_.pci_gpus = Fact<std::vector<PciGpu>>::known({}, {});
  EXPECT_NE(text().find("GPUs      none\n"), std::string::npos);
}

TEST_F(CheckText, no_line_ends_in_a_blank) {
  add("container-driver-capabilities-missing", Severity::error).args["value"] = std::string(90, 'x');
  add("cudnn-missing", Severity::error);
  for (const auto* language : {"en", "zh"}) EXPECT_EQ(text(language).find(" \n"), std::string::npos) << text(language);
}

TEST_F(CheckText, a_note_takes_no_more_than_its_title_unless_verbose) {
  add("cudnn-missing", Severity::note).evidence = {{"file", "libcudnn.so.9", "not found"}};
  EXPECT_EQ(text().find("evidence"), std::string::npos);
  EXPECT_EQ(text().find("pip install"), std::string::npos);
  options_.verbose = true;
  EXPECT_NE(text().find("evidence"), std::string::npos);
  EXPECT_NE(text().find("pip install"), std::string::npos);
}

TEST_F(CheckText, what_is_only_probable_says_so) {
  add("cudnn-missing", Severity::error);
  EXPECT_NE(text().find("error[cudnn-missing]: "), std::string::npos);
  answer_.findings.front().certainty = Certainty::probable;
  EXPECT_NE(text().find("error[cudnn-missing] (probable): "), std::string::npos);
  EXPECT_NE(text("zh").find("错误[cudnn-missing]（很可能）："), std::string::npos);
}

TEST_F(CheckText, an_answer_that_is_not_known_names_the_links_and_reasons) {
  auto& chain = answer_.chains.front();
  chain.sees_gpu = Verdict::undetermined;
  chain.links = {{"device", LinkState::undetermined, {}, {"a: denied", "b: denied", "c: denied", "d: denied"}}};
  const auto out = text();
  EXPECT_NE(out.find("a: denied"), std::string::npos);
  EXPECT_EQ(out.find("d: denied"), std::string::npos);
  options_.verbose = true;
  EXPECT_NE(text().find("d: denied"), std::string::npos);
  chain.sees_gpu = Verdict::no;  // all answers are known: what else was not looked at does not matter
  EXPECT_EQ(text().find("denied"), std::string::npos);
}

TEST_F(CheckText, the_output_of_a_program_keeps_its_lines_and_nothing_that_a_terminal_obeys) {
  add("cudnn-missing", Severity::error).evidence = {{"command", "nvidia-smi", "first\nsecond \x1b[2J\n\nthird"}};
  const auto out = text();
  EXPECT_NE(out.find("\n                  first\n"), std::string::npos) << out;
  EXPECT_NE(out.find("\n                  third\n"), std::string::npos) << out;
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
}

TEST_F(CheckText, a_finding_of_the_backend_is_referred_to_and_not_told_twice) {
  add("cudnn-missing", Severity::error);
  auto keras = answer_.chains.front();
  keras.framework = "keras";
  answer_.chains.push_back(keras);
  const auto out = text();
  EXPECT_EQ(out.find("error[cudnn-missing]"), out.rfind("error[cudnn-missing]"));
  EXPECT_NE(out.find("the same as jax"), std::string::npos);
}

}  // namespace
}  // namespace gpuway
