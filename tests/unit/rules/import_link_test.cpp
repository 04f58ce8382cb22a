#include "think/rules/python/import_link.h"

#include "think/rules/python/import_link_shadow.h"
#include "unit/rules/import_fixture.h"

namespace gpuway {
namespace {

class ImportLink : public ImportFixture {
 protected:
  void healthy_onnxruntime(const std::string& name = "onnxruntime-gpu") {
    installed(name, "1.31.1");
    installed("numpy", "2.2.6");
    module("onnxruntime");
    module("numpy");
  }
};

TEST_F(ImportLink, a_complete_environment_imports_without_any_finding) {
  healthy_onnxruntime();
  EXPECT_EQ(judge("onnxruntime").imports, Verdict::yes);
  EXPECT_TRUE(findings_.empty());
  EXPECT_EQ(folder_, std::string(kSite) + "/onnxruntime");
}

TEST_F(ImportLink, an_empty_local_file_is_imported_and_sees_no_gpu) {
  healthy_onnxruntime();
  module("onnxruntime", kScript, ImportCandidate::Kind::file);
  text("/work/onnxruntime.py", "# notes\n");
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.cause, "module-shadowed-by-local-file");
  ASSERT_NE(finding("module-shadowed-by-local-file"), nullptr);
  EXPECT_EQ(finding("module-shadowed-by-local-file")->next_step.commands,
            std::vector<std::string>{"mv /work/onnxruntime.py /work/onnxruntime.py.renamed"});
  EXPECT_EQ(folder_, "");
}

TEST_F(ImportLink, an_archive_in_front_cannot_hold_the_framework) {
  healthy_onnxruntime();
  module("onnxruntime", kScript, ImportCandidate::Kind::zipped);
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.imports, Verdict::undetermined);
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.cause, "module-shadowed-by-local-file");
}

TEST_F(ImportLink, a_script_named_like_the_framework_that_uses_it_fails) {
  healthy_onnxruntime();
  module("onnxruntime", kScript, ImportCandidate::Kind::file);
  text("/work/onnxruntime.py", "import onnxruntime as ort\nprint(ort.get_device())\n");
  EXPECT_EQ(judge("onnxruntime").imports, Verdict::no);
}

TEST_F(ImportLink, a_local_folder_without_init_does_not_win) {
  healthy_onnxruntime();
  module("onnxruntime", kScript, ImportCandidate::Kind::namespace_folder);
  EXPECT_EQ(judge("onnxruntime").imports, Verdict::yes);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(ImportLink, a_package_without_init_is_imported_as_an_empty_namespace) {
  installed("onnxruntime-gpu", "1.31.1");
  module("onnxruntime", kOwn, ImportCandidate::Kind::namespace_folder);
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.cause, "incomplete-package-install");
}

TEST_F(ImportLink, a_record_without_files_is_an_incomplete_installation) {
  installed("onnxruntime-gpu", "1.31.1");
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.imports, Verdict::no);
  EXPECT_EQ(chain.cause, "incomplete-package-install");
}

TEST_F(ImportLink, a_package_whose_own_list_has_nothing_to_import_is_a_stub) {
  installed("tensorflow", "2.11.0");
  const auto record = std::string(kSite) + "/tensorflow-2.11.0.dist-info/RECORD";
  needle(record, "tensorflow/__init__.py,", false);
  const auto chain = judge("tensorflow");
  EXPECT_EQ(chain.flavour, "stub");
  EXPECT_EQ(chain.imports, Verdict::no);
  EXPECT_EQ(chain.cause, "incomplete-package-install");
}

TEST_F(ImportLink, a_package_whose_listed_files_are_gone_is_no_stub) {
  installed("tensorflow", "2.11.0");
  const auto record = std::string(kSite) + "/tensorflow-2.11.0.dist-info/RECORD";
  needle(record, "tensorflow/__init__.py,", true);
  EXPECT_EQ(judge("tensorflow").flavour, "undetermined");
  snapshot_.needles[needle_key(record, "tensorflow/__init__.py,")] = Fact<bool>::absent({});
  EXPECT_EQ(judge("tensorflow").flavour, "undetermined");
}

TEST_F(ImportLink, an_editable_installation_leaves_the_question_open) {
  installed("onnxruntime-gpu", "1.31.1");
  environment_.pth_code = {std::string(kSite) + "/__editable__.onnxruntime.pth"};
  EXPECT_EQ(judge("onnxruntime").imports, Verdict::undetermined);
}

TEST_F(ImportLink, a_missing_base_python_fails_every_import) {
  healthy_onnxruntime();
  environment_.real_executable = Fact<std::string>::absent({});
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.imports, Verdict::no);
  EXPECT_EQ(chain.cause, "base-python-gone");
}

TEST_F(ImportLink, a_missing_key_file_counts_only_when_record_lists_it) {
  healthy_onnxruntime();
  const auto path = std::string(kSite) + "/onnxruntime/capi/_pybind_state.py";
  file(path, false);
  const auto record = std::string(kSite) + "/onnxruntime-gpu-1.31.1.dist-info/RECORD";
  needle(record, "onnxruntime/capi/_pybind_state.py,", false);
  EXPECT_EQ(judge("onnxruntime").imports, Verdict::yes);
  needle(record, "onnxruntime/capi/_pybind_state.py,", true);
  EXPECT_EQ(judge("onnxruntime").cause, "incomplete-package-install");
}

TEST_F(ImportLink, the_cpu_package_written_over_the_gpu_package_takes_the_gpu_away) {
  healthy_onnxruntime();
  installed("onnxruntime", "1.31.1");
  const auto info = std::string(kSite) + "/onnxruntime/capi/build_and_package_info.py";
  text(info, "package_name = 'onnxruntime'\n__version__ = '1.31.1'\n");
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.cause, "several-onnxruntime-packages");
}

TEST_F(ImportLink, the_gpu_package_written_over_the_cpu_package_is_only_a_warning) {
  healthy_onnxruntime();
  installed("onnxruntime", "1.31.1");
  text(std::string(kSite) + "/onnxruntime/capi/build_and_package_info.py", "package_name = 'onnxruntime-gpu'\n");
  EXPECT_FALSE(judge("onnxruntime").cause.has_value());
  ASSERT_NE(finding("several-onnxruntime-packages"), nullptr);
  EXPECT_EQ(finding("several-onnxruntime-packages")->severity, Severity::warning);
}

TEST_F(ImportLink, a_copy_on_pythonpath_of_another_version_is_a_warning) {
  healthy_onnxruntime();
  installed("onnxruntime-gpu", "1.18.1", "/lib/extra");
  std::rotate(environment_.packages.begin(), environment_.packages.end() - 1, environment_.packages.end());
  module("onnxruntime", kPythonPath);
  const auto chain = judge("onnxruntime");
  EXPECT_EQ(chain.version, "1.18.1");
  ASSERT_NE(finding("foreign-packages-on-sys-path"), nullptr);
  EXPECT_EQ(finding("foreign-packages-on-sys-path")->severity, Severity::warning);
}

TEST_F(ImportLink, a_leftover_folder_of_this_framework_is_a_note) {
  healthy_onnxruntime();
  environment_.leftovers = {std::string(kSite) + "/~nnxruntime", std::string(kSite) + "/~orch"};
  EXPECT_EQ(judge("onnxruntime").imports, Verdict::yes);
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].id, "leftover-package-folder");
  EXPECT_EQ(findings_[0].severity, Severity::note);
}

TEST(ModuleText, a_module_of_comments_and_doc_strings_does_nothing) {
  EXPECT_TRUE(read_module_text("", "x").does_nothing);
  EXPECT_TRUE(read_module_text("#!/usr/bin/python\n\"\"\"One\ntwo\"\"\"\n\npass\n'text'\n", "x").does_nothing);
  EXPECT_FALSE(read_module_text("\"\"\"doc\"\"\"\nVALUE = 3\n", "x").does_nothing);
  EXPECT_FALSE(read_module_text("import os\n", "x").does_nothing);
}

TEST(ModuleText, using_the_module_that_it_hides_is_seen) {
  EXPECT_TRUE(read_module_text("import torch\nx = torch.zeros(3)\n", "torch").imports_itself);
  EXPECT_TRUE(read_module_text("from torch import nn\n", "torch").imports_itself);
  EXPECT_TRUE(read_module_text("import torch.nn\n", "torch").imports_itself);
  EXPECT_TRUE(read_module_text("import torch as t\nprint(t.zeros(3))\n", "torch").imports_itself);
  // Only when the function is called, which no import does.
  EXPECT_FALSE(read_module_text("import torch\ndef f():\n    return torch.zeros(3)\n", "torch").imports_itself);
  EXPECT_FALSE(read_module_text("import torchvision\nx = torchvision.ops\n", "torch").imports_itself);
  EXPECT_FALSE(read_module_text("import torch\n", "torch").imports_itself);
}

}  // namespace
}  // namespace gpuway
