#include "think/rules/python/interpreter_link.h"

#include "think/knowledge/imports.h"
#include "think/rules/python/python_pins_check.h"
#include "unit/rules/import_fixture.h"

namespace gpuway {
namespace {

class InterpreterLink : public ImportFixture {
 protected:
  // Everything that TensorFlow of this release imports, in the environment's own site folder.
  void healthy_tensorflow(const std::string& version) {
    installed("tensorflow", version);
    module("tensorflow");
    const auto knowledge = ImportKnowledge::of("tensorflow", version);
    for (const auto name : knowledge->modules(ModuleNeed::hard)) {
      if (name == "google.protobuf") continue;
      module(std::string(name));
    }
    module("google", kOwn, ImportCandidate::Kind::namespace_folder);
    installed("numpy", "1.26.4");
    installed("protobuf", "4.25.9");
    installed("ml-dtypes", "0.3.2");
    text(folder() + "/core/framework/graph_pb2.py", "from google.protobuf.internal import builder as _builder\n");
  }
  static std::string folder() { return std::string(kSite) + "/tensorflow"; }
  void remove(const std::string& name) {
    std::erase_if(environment_.imports, [&](const ImportCandidate& c) { return c.module == name && c.folder == kOwn; });
  }
  void replace(const std::string& name, const std::string& version) {
    std::erase_if(environment_.packages, [&](const PythonPackage& p) { return p.name == name; });
    installed(name, version);
  }
};

TEST_F(InterpreterLink, a_complete_environment_has_no_finding) {
  healthy_tensorflow("2.15.1");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(InterpreterLink, a_missing_hard_module_fails_the_import_and_names_its_distribution) {
  healthy_tensorflow("2.15.1");
  remove("absl");
  const auto chain = judge("tensorflow");
  EXPECT_EQ(chain.imports, Verdict::no);
  EXPECT_EQ(chain.cause, "dependency-missing");
  EXPECT_EQ(finding("dependency-missing")->next_step.commands,
            std::vector<std::string>{"/env/bin/python -m pip install absl-py"});
  EXPECT_EQ(finding("dependency-missing")->certainty, Certainty::proven);
}

TEST_F(InterpreterLink, several_missing_modules_are_one_finding_with_one_command) {
  healthy_tensorflow("2.15.1");
  remove("absl");
  remove("wrapt");
  judge("tensorflow");
  EXPECT_EQ(std::count_if(findings_.begin(), findings_.end(), [](const Finding& f) { return f.id == "dependency-missing"; }), 1);
  EXPECT_EQ(finding("dependency-missing")->next_step.commands,
            std::vector<std::string>{"/env/bin/python -m pip install absl-py wrapt"});
}

TEST_F(InterpreterLink, a_missing_optional_module_is_no_matter) {
  healthy_tensorflow("2.15.1");
  remove("keras");
  remove("h5py");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
}

TEST_F(InterpreterLink, a_release_between_measured_ones_is_only_probable) {
  healthy_tensorflow("2.11.1");
  remove("absl");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::no);
  EXPECT_EQ(finding("dependency-missing")->certainty, Certainty::probable);
}

TEST_F(InterpreterLink, protobuf_removed_from_the_google_namespace_is_missed) {
  healthy_tensorflow("2.15.1");
  file(std::string(kSite) + "/google/protobuf/__init__.py", false);
  EXPECT_EQ(judge("tensorflow").imports, Verdict::no);
}

TEST_F(InterpreterLink, a_local_google_package_hides_protobuf_unless_a_pth_file_made_the_namespace_first) {
  healthy_tensorflow("2.15.1");
  module("google", kScript);
  text("/work/google/__init__.py", "");
  EXPECT_EQ(judge("tensorflow").cause, "module-shadowed-by-local-file");
  const auto pth = std::string(kSite) + "/protobuf-3.19.6-py3.10-nspkg.pth";
  environment_.pth_code = {pth};
  text(pth, "import sys, types, os;p = os.path.join(sys._getframe(1).f_locals['sitedir'], *('google',));\n");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
}

TEST_F(InterpreterLink, a_shadowed_standard_module_fails_the_import_only_where_it_is_a_file) {
  healthy_tensorflow("2.15.1");
  module("typing", kScript, ImportCandidate::Kind::file);
  text("/work/typing.py", "");
  // Without a file of the standard library behind it, the module is built into the interpreter.
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
  module("typing", kStdlib, ImportCandidate::Kind::file);
  text("/usr/lib/python3.11/typing.py", "class Any: pass\n");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::no);
}

TEST_F(InterpreterLink, a_copy_of_the_real_module_in_front_of_it_does_no_harm) {
  healthy_tensorflow("2.15.1");
  module("typing", kScript, ImportCandidate::Kind::file);
  module("typing", kStdlib, ImportCandidate::Kind::file);
  text("/work/typing.py", "class Any: pass\n");
  text("/usr/lib/python3.11/typing.py", "class Any: pass\n");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
}

TEST_F(InterpreterLink, modules_loaded_at_start_cannot_be_hidden_by_the_scripts_folder_but_by_pythonpath) {
  healthy_tensorflow("2.10.1");
  environment_.version = Fact<std::string>::known("3.10.13", {});
  replace("protobuf", "3.19.6");
  text(folder() + "/core/framework/graph_pb2.py", "from google.protobuf import descriptor as _descriptor\n");
  module("os", kScript, ImportCandidate::Kind::file);
  module("os", kStdlib, ImportCandidate::Kind::file);
  text("/work/os.py", "");
  text("/usr/lib/python3.11/os.py", "x = 1\n");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
  environment_.imports[0].folder = kPythonPath;
  EXPECT_EQ(judge("tensorflow").imports, Verdict::no);
}

TEST_F(InterpreterLink, numpy_2_breaks_an_extension_that_knows_only_numpy_core) {
  healthy_tensorflow("2.17.1");
  replace("numpy", "2.0.2");
  const auto reader = folder() + "/python/util/_pywrap_checkpoint_reader.so";
  file(reader, true);
  needle(reader, "numpy._core._multiarray_umath", false);
  needle(reader, "numpy.core._multiarray_umath", true);
  const auto ml_dtypes = std::string(kSite) + "/ml_dtypes/_ml_dtypes_ext.cpython-311-x86_64-linux-gnu.so";
  needle(ml_dtypes, "numpy._core._multiarray_umath", true);
  needle(ml_dtypes, "numpy.core._multiarray_umath", true);
  EXPECT_EQ(judge("tensorflow").cause, "numpy2-abi-break");
  needle(reader, "numpy._core._multiarray_umath", true);
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
  needle(ml_dtypes, "numpy._core._multiarray_umath", false);
  EXPECT_EQ(judge("tensorflow").cause, "numpy2-abi-break");
}

TEST_F(InterpreterLink, numpy_2_is_a_warning_where_the_import_asks_for_no_numpy) {
  const auto verdict = [&](const std::string& version) {
    environment_.packages.clear();
    environment_.imports.clear();
    for (const auto* name : {"onnxruntime", "numpy", "flatbuffers", "google"}) module(name);
    installed("onnxruntime-gpu", version);
    installed("numpy", "2.0.2");
    const auto extension = std::string(kSite) + "/onnxruntime/capi/onnxruntime_pybind11_state.so";
    file(extension, true);
    needle(extension, "numpy.core._multiarray_umath", true);
    needle(extension, "numpy._core._multiarray_umath", false);
    for (int round = 0; round < 5; ++round) {
      findings_.clear();
      ChainBuilder chain(snapshot_, environment_, "onnxruntime", wants_);
      own_distribution(chain, rule_of(chain));
      judge_python_links(chain, rule_of(chain));
      if (wants_.empty()) return chain.finish(0, findings_).imports;
      texts_answered();
    }
    return Verdict::undetermined;
  };
  EXPECT_EQ(verdict("1.17.1"), Verdict::no);
  EXPECT_EQ(verdict("1.16.3"), Verdict::yes);
  ASSERT_NE(finding("numpy2-abi-break"), nullptr);
  EXPECT_EQ(finding("numpy2-abi-break")->severity, Severity::warning);
}

TEST_F(InterpreterLink, generated_code_newer_than_the_protobuf_runtime_raises) {
  healthy_tensorflow("2.21.0");
  replace("ml-dtypes", "0.5.4");
  text(folder() + "/core/framework/graph_pb2.py",
       "_runtime_version.ValidateProtobufRuntimeVersion(\n    _runtime_version.Domain.PUBLIC,\n    6,\n    31,\n    "
       "1,\n    '',\n    'x.proto'\n)\n");
  for (const auto* bad : {"4.25.9", "5.29.6", "6.30.2", "6.31.0"}) {
    replace("protobuf", bad);
    EXPECT_EQ(judge("tensorflow").cause, "protobuf-too-old") << bad;
  }
  for (const auto* good : {"6.31.1", "6.33.0", "7.36.2"}) {
    replace("protobuf", good);
    EXPECT_EQ(judge("tensorflow").imports, Verdict::yes) << good;
  }
  replace("protobuf", "6.30.2");
  snapshot_.variables["TEMPORARILY_DISABLE_PROTOBUF_VERSION_CHECK"] = "true";
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
}

TEST_F(InterpreterLink, descriptors_made_by_hand_need_protobuf_3_or_its_python_implementation) {
  healthy_tensorflow("2.10.1");
  text(folder() + "/core/framework/graph_pb2.py",
       "_GRAPHDEF = _descriptor.Descriptor(fields=[_descriptor.FieldDescriptor(name='node')])\n");
  replace("protobuf", "4.21.12");
  EXPECT_EQ(judge("tensorflow").cause, "protobuf-too-new");
  snapshot_.variables["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python";
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
  snapshot_.variables.clear();
  replace("protobuf", "3.20.3");
  EXPECT_EQ(judge("tensorflow").imports, Verdict::yes);
}

TEST_F(InterpreterLink, a_wheel_for_another_python_fails) {
  healthy_tensorflow("2.15.1");
  environment_.packages.front().wheel_tags = {"cp310-cp310-manylinux_2_17_x86_64"};
  EXPECT_EQ(judge("tensorflow").cause, "no-wheel-for-python-version");
}

TEST_F(InterpreterLink, a_processor_without_avx_ends_tensorflow_and_a_virtual_machine_is_told_apart) {
  healthy_tensorflow("2.15.1");
  snapshot_.system.cpu_flags = Fact<std::vector<std::string>>::known({"sse4_2"}, {});
  EXPECT_EQ(judge("tensorflow").cause, "cpu-without-avx");
  snapshot_.system.cpu_flags = Fact<std::vector<std::string>>::known({"hypervisor", "sse4_2"}, {});
  const auto chain = judge("tensorflow");
  EXPECT_EQ(chain.cause, "vm-cpu-type-hides-avx");
  EXPECT_EQ(chain.imports, Verdict::crashes);
}

TEST_F(InterpreterLink, jaxlib_must_be_between_the_minimum_that_jax_names_and_jax_itself) {
  for (const auto* name : {"jax", "jaxlib", "ml_dtypes", "numpy", "opt_einsum"}) module(name);
  installed("jax", "0.12.0.1");
  installed("ml-dtypes", "0.5.4");
  text(std::string(kSite) + "/jax/version.py", "_version = \"0.12.0.1\"\n_minimum_jaxlib_version = '0.11.2'\n");
  text(std::string(kSite) + "/jax/_src/dtypes.py", "  if _ml_dtypes_version < (0, 5):\n    raise ValueError()\n");
  for (const auto* bad : {"0.4.38", "0.11.0", "0.12.1"}) {
    replace("jaxlib", bad);
    EXPECT_EQ(judge("jax").cause, "jax-plugin-version-mismatch") << bad;
  }
  for (const auto* good : {"0.11.2", "0.12.0", "0.12.0.1"}) {
    replace("jaxlib", good);
    EXPECT_EQ(judge("jax").imports, Verdict::yes) << good;
  }
  replace("ml-dtypes", "0.4.1");
  EXPECT_EQ(judge("jax").cause, "ml-dtypes-conflict");
}

TEST_F(InterpreterLink, a_measured_version_conflict_is_an_error_with_its_fix) {
  healthy_tensorflow("2.14.1");
  replace("ml-dtypes", "0.4.1");
  EXPECT_EQ(judge("tensorflow").cause, "ml-dtypes-conflict");
  EXPECT_EQ(finding("ml-dtypes-conflict")->next_step.commands,
            std::vector<std::string>{"/env/bin/python -m pip install ml-dtypes==0.2.0"});
}

TEST_F(InterpreterLink, a_numpy_of_the_major_release_before_is_no_conflict_of_a_small_dependency) {
  for (const auto* name : {"jax", "jaxlib", "ml_dtypes", "numpy", "opt_einsum"}) module(name);
  installed("jax", "0.12.0.1");
  installed("jaxlib", "0.12.0.1");
  installed("ml-dtypes", "0.5.4");
  installed("numpy", "1.26.4");
  text(std::string(kSite) + "/jax/version.py", "_version = \"0.12.0.1\"\n_minimum_jaxlib_version = '0.11.2'\n");
  EXPECT_EQ(judge("jax").cause, "numpy2-abi-break");
  EXPECT_EQ(std::get<std::string>(finding("numpy2-abi-break")->args.at("built")), "2");
  healthy_tensorflow("2.14.1");
  replace("ml-dtypes", "0.6.0");
  replace("numpy", "1.24.4");
  judge("tensorflow");
  EXPECT_NE(finding("numpy-too-old"), nullptr);
}

TEST_F(InterpreterLink, numpy_without_the_old_names_ends_the_import_of_a_tensorflow_that_uses_them) {
  healthy_tensorflow("2.6.5");
  replace("numpy", "1.24.4");
  EXPECT_EQ(judge("tensorflow").cause, "numpy-too-new");
  EXPECT_EQ(finding("numpy-too-new")->next_step.commands,
            std::vector<std::string>{"/env/bin/python -m pip install 'numpy<1.24'"});
  findings_.clear();
  replace("numpy", "1.23.5");
  judge("tensorflow");
  EXPECT_EQ(finding("numpy-too-new"), nullptr);
}

TEST_F(InterpreterLink, the_release_after_no_longer_uses_the_old_names_of_numpy) {
  healthy_tensorflow("2.7.4");
  replace("numpy", "1.24.4");
  judge("tensorflow");
  EXPECT_EQ(finding("numpy-too-new"), nullptr);
}

TEST_F(InterpreterLink, a_dependency_that_is_only_recorded_is_told_from_one_that_is_not_installed) {
  healthy_tensorflow("2.15.1");
  std::erase_if(environment_.imports, [](const ImportCandidate& candidate) { return candidate.module == "wrapt"; });
  EXPECT_EQ(judge("tensorflow").cause, "dependency-missing");
  installed("wrapt", "1.14.1");
  EXPECT_EQ(judge("tensorflow").cause, "dependency-incomplete");
}

TEST(GeneratedCode, the_three_numbers_are_read_and_anything_else_is_not) {
  const auto version =
      generated_code_version("x.ValidateProtobufRuntimeVersion(\n  Domain.PUBLIC,\n  5,\n  28,\n  3,\n  '',\n");
  ASSERT_TRUE(version.has_value());
  EXPECT_EQ((*version)[0], 5u);
  EXPECT_EQ((*version)[1], 28u);
  EXPECT_EQ((*version)[2], 3u);
  EXPECT_FALSE(generated_code_version("ValidateProtobufRuntimeVersion(PUBLIC, 5, x, 3)").has_value());
  EXPECT_FALSE(generated_code_version("ValidateProtobufRuntimeVersion(").has_value());
  EXPECT_FALSE(generated_code_version("").has_value());
}

}  // namespace
}  // namespace gpuway
