#include "think/rules/judge.h"

#include <algorithm>
#include <set>

#include "think/knowledge/imports.h"
#include "unit/rules/import_fixture.h"

namespace gpuway {
namespace {

class Judge : public ImportFixture {
 protected:
  Answer judge_all(const JudgeOptions& options = {}) {
    snapshot_.environments = {environment_};
    Answer answer;
    for (int round = 0; round < 5; ++round) {
      answer = gpuway::judge(snapshot_, options, wants_);
      texts_answered();
    }
    return answer;
  }
  static const Chain& chain_of(const Answer& answer, std::string_view framework) {
    return *std::find_if(answer.chains.begin(), answer.chains.end(),
                         [&](const Chain& chain) { return chain.framework == framework; });
  }
  void everything_of(const std::string& framework, const std::string& version) {
    installed(framework, version);
    module(framework);
    for (const auto name : ImportKnowledge::of(framework, version)->modules(ModuleNeed::hard)) {
      const bool there = std::any_of(environment_.imports.begin(), environment_.imports.end(),
                                     [&](const ImportCandidate& known) { return known.module == name; });
      if (!there && name.find('.') == std::string_view::npos) module(std::string(name));
    }
  }
  void remove(const std::string& name) {
    std::erase_if(environment_.imports, [&](const ImportCandidate& candidate) { return candidate.module == name; });
  }
};

TEST_F(Judge, keras_refers_to_what_its_backend_tells_and_tells_what_only_keras_lacks) {
  everything_of("tensorflow", "2.15.1");
  everything_of("keras", "3.5.0");
  remove("absl");  // both need it
  remove("rich");  // only Keras needs it
  const auto answer = judge_all();
  const auto& keras = chain_of(answer, "keras");
  std::set<std::string> told;
  for (const auto& finding : answer.findings) {
    if (finding.id != "dependency-missing" ||
        std::find(keras.findings.begin(), keras.findings.end(), finding.key) == keras.findings.end())
      continue;
    std::string names;
    for (const auto& name : std::get<std::vector<std::string>>(finding.args.at("modules"))) names += name + " ";
    told.insert(names);
  }
  EXPECT_TRUE(told.contains("absl rich ")) << testing::PrintToString(told);
}

TEST_F(Judge, keras_without_tensorflow_is_led_to_the_backend_that_is_installed) {
  everything_of("keras", "3.5.0");
  module("torch");
  const auto answer = judge_all({.frameworks = {"keras"}});
  const auto missing = std::find_if(answer.findings.begin(), answer.findings.end(), [](const Finding& finding) {
    return finding.next_step.id == "choose-backend";
  });
  ASSERT_NE(missing, answer.findings.end());
  EXPECT_EQ(missing->id, "dependency-missing");
  EXPECT_EQ(missing->next_step.commands, std::vector<std::string>{"export KERAS_BACKEND=torch"});
}

TEST_F(Judge, keras_asked_alone_tells_once_what_it_and_its_backend_both_lack) {
  everything_of("tensorflow", "2.15.1");
  everything_of("keras", "3.5.0");
  module("google");
  remove("absl");
  const auto answer = judge_all({.frameworks = {"keras"}});
  ASSERT_EQ(answer.chains.size(), 1U);
  EXPECT_EQ(answer.chains.front().imports, Verdict::no);
  EXPECT_EQ(std::count_if(answer.findings.begin(), answer.findings.end(),
                          [](const Finding& finding) { return finding.id == "dependency-missing"; }),
            1);
}

TEST_F(Judge, a_compiled_module_that_is_gone_is_told_apart_from_one_of_another_python) {
  everything_of("onnxruntime", "1.31.1");
  auto& capi = snapshot_.folders[std::string(kSite) + "/onnxruntime/capi"];
  capi.outcome = FolderView::Outcome::listed;
  capi.names = {"__init__.py"};
  EXPECT_EQ(chain_of(judge_all(), "onnxruntime").cause, "incomplete-package-install");
  capi.names = {"onnxruntime_pybind11_state.cpython-39-x86_64-linux-gnu.so"};
  EXPECT_EQ(chain_of(judge_all(), "onnxruntime").cause, "no-wheel-for-python-version");
  capi.outcome = FolderView::Outcome::denied;
  capi.names.clear();
  EXPECT_EQ(chain_of(judge_all(), "onnxruntime").imports, Verdict::undetermined);
}

TEST_F(Judge, no_chain_names_a_finding_twice) {
  everything_of("tensorflow", "2.15.1");
  everything_of("keras", "3.5.0");
  for (const auto* name : {"absl", "rich", "numpy", "namex", "h5py"}) remove(name);
  for (const auto& chain : judge_all().chains) {
    EXPECT_EQ(std::set<std::string>(chain.findings.begin(), chain.findings.end()).size(), chain.findings.size());
  }
}

}  // namespace
}  // namespace gpuway
