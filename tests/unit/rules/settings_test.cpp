#include "think/rules/frameworks/settings.h"

#include "think/knowledge/imports.h"
#include "think/rules/frameworks/framework_chains.h"
#include "think/rules/frameworks/jax_settings.h"
#include "think/rules/python/keras_backend.h"
#include "unit/rules/import_fixture.h"

namespace gpuway {
namespace {

class Settings : public ImportFixture {
 protected:
  // Runs `rule` until it wants nothing more, and closes the chain.
  template <class Rule>
  Chain closed(const std::string& framework, Rule&& rule) {
    for (int round = 0; round < 5; ++round) {
      findings_.clear();
      ChainBuilder chain(snapshot_, environment_, framework, wants_);
      chain.chain.flavour = "cuda";
      chain.cuda_expected = true;
      rule(chain);
      if (wants_.empty()) return chain.finish(0, findings_);
      texts_answered();
    }
    ADD_FAILURE() << "still wants something after five rounds";
    return {};
  }
  Chain with_flags(const std::string& value) {
    snapshot_.current_folder = "/work";
    snapshot_.variables["XLA_FLAGS"] = value;
    return closed("jax", [](ChainBuilder& chain) { judge_xla_flags(chain, "XLA_FLAGS", {"/lib/xla.so"}); });
  }
  bool cuda_with(std::map<std::string, std::string> variables) {
    snapshot_.variables = std::move(variables);
    bool chosen = false;
    closed("jax", [&](ChainBuilder& chain) { chosen = chooses_cuda(chain); });
    EXPECT_EQ(chosen, findings_.empty());
    return chosen;
  }
  Chain keras(const std::string& version, std::map<std::string, std::string> variables) {
    environment_.packages.clear();
    environment_.imports.clear();
    installed("keras", version);
    module("keras");
    for (const auto name : ImportKnowledge::of("keras", version)->modules(ModuleNeed::hard)) module(std::string(name));
    if (has_scipy_) module("scipy");
    snapshot_.variables = std::move(variables);
    text(std::string(kSite) + "/keras/src/backend/__init__.py",
         "if backend() == \"numpy\":\nelif backend() == \"openvino\":\n");
    return closed("keras", [](ChainBuilder& chain) { judge_keras(chain); });
  }
  bool has_scipy_ = true;   // which Keras needs on NumPy and JAX
};

TEST_F(Settings, xla_ends_the_process_at_a_flag_whose_name_its_library_does_not_hold) {
  needle("/lib/xla.so", "xla_gpu_cuda_data_dir", true);
  EXPECT_EQ(with_flags("--xla_gpu_cuda_data_dir=/usr/local/cuda").sees_gpu, Verdict::yes);
  EXPECT_EQ(with_flags("--xla_gpu_cuda_data_dir=/a --xla_nothing=1").sees_gpu, Verdict::crashes);
  EXPECT_NE(finding("setting-rejected"), nullptr);
}

TEST_F(Settings, xla_takes_a_value_without_dashes_for_a_file_of_flags) {
  EXPECT_EQ(with_flags("flags.txt").sees_gpu, Verdict::crashes);
  text("/work/here.txt", "--xla_nothing=1\n");
  EXPECT_EQ(with_flags("here.txt").sees_gpu, Verdict::crashes);
  text("/work/here.txt", "\n");
  EXPECT_EQ(with_flags("here.txt").sees_gpu, Verdict::yes);
}

TEST_F(Settings, a_flag_is_not_judged_while_no_library_could_be_searched) {
  snapshot_.needles[needle_key("/lib/xla.so", "xla_nothing")] = Fact<bool>::absent({});
  EXPECT_EQ(with_flags("--xla_nothing").sees_gpu, Verdict::undetermined);
}

TEST_F(Settings, words_inside_a_quoted_value_are_no_flags) {
  needle("/lib/xla.so", "xla_extra", true);
  EXPECT_EQ(with_flags("--xla_extra='a b' c").sees_gpu, Verdict::yes);
}

// Judged by jax 0.4.30, 0.6.2 and 0.12.0.1 in the oracle.
TEST_F(Settings, jax_takes_the_first_of_its_platforms_and_needs_all_of_them) {
  EXPECT_TRUE(cuda_with({}));
  EXPECT_TRUE(cuda_with({{"JAX_PLATFORMS", ""}}));
  EXPECT_TRUE(cuda_with({{"JAX_PLATFORMS", "cuda"}}));
  EXPECT_TRUE(cuda_with({{"JAX_PLATFORMS", "cuda,cpu"}}));
  EXPECT_FALSE(cuda_with({{"JAX_PLATFORMS", "cpu,cuda"}}));
  for (const auto* value : {"gpu", "rocm,cuda", "cuda,tpu", "CUDA", "cuda,"}) {
    EXPECT_FALSE(cuda_with({{"JAX_PLATFORMS", value}})) << value;
    EXPECT_NE(finding("setting-rejected"), nullptr) << value;
  }
}

TEST_F(Settings, jax_platform_name_comes_before_the_order_of_the_platforms) {
  EXPECT_TRUE(cuda_with({{"JAX_PLATFORM_NAME", "gpu"}}));
  EXPECT_TRUE(cuda_with({{"JAX_PLATFORM_NAME", "GPU"}}));
  EXPECT_FALSE(cuda_with({{"JAX_PLATFORM_NAME", "cpu"}}));
  EXPECT_TRUE(cuda_with({{"JAX_PLATFORMS", "cpu,cuda"}, {"JAX_PLATFORM_NAME", "cuda"}}));
}

TEST_F(Settings, a_switch_of_jax_that_is_neither_yes_nor_no_stops_the_import) {
  text("/jax/_src/config.py", "enable_x64 = bool_state(\n    name='jax_enable_x64',\n");
  const auto imports = [&](const char* value) {
    snapshot_.variables = {{"JAX_ENABLE_X64", value}};
    return closed("jax", [](ChainBuilder& chain) { judge_jax_switches(chain, "/jax"); }).imports;
  };
  EXPECT_EQ(imports("True"), Verdict::yes);
  EXPECT_EQ(imports("maybe"), Verdict::no);
  EXPECT_EQ(imports(""), Verdict::no);
}

TEST_F(Settings, a_choice_or_number_that_jax_does_not_take_stops_the_import) {
  text("/jax/_src/config.py",
       "a = optional_enum_state(\n    name='jax_mode',\n    enum_values=[\n        'off', \"high\",\n    ],\n    default='off')\n"
       "b = define_int_state(\n    name = \"jax_runs\",\n    default=3,\n)\n"
       "c = enum_class_state(\n    name='jax_other',\n)\nd = enum_state(\n    name='jax_open',\n    enum_values=VALUES)\n");
  const auto imports = [&](const char* name, const char* value) {
    snapshot_.variables = {{name, value}};
    return closed("jax", [](ChainBuilder& chain) { judge_jax_switches(chain, "/jax"); }).imports;
  };
  for (const auto* good : {"off", "high"}) EXPECT_EQ(imports("JAX_MODE", good), Verdict::yes) << good;
  for (const auto* bad : {"", "High", "high "}) EXPECT_EQ(imports("JAX_MODE", bad), Verdict::no) << bad;
  for (const auto* good : {"7", " -1_000 "}) EXPECT_EQ(imports("JAX_RUNS", good), Verdict::yes) << good;
  for (const auto* bad : {"", "1.5", "many", "1_", "_1", "-", "1__0"}) EXPECT_EQ(imports("JAX_RUNS", bad), Verdict::no) << bad;
  EXPECT_EQ(imports("JAX_OTHER", "x"), Verdict::yes);
  EXPECT_EQ(imports("JAX_OPEN", "x"), Verdict::yes);
}

TEST_F(Settings, keras_2_knows_only_tensorflow) {
  snapshot_.variables = {{"KERAS_BACKEND", "jax"}};
  for (const auto& [version, name] : {std::pair{"2.15.0", "tensorflow"}, {"3.0.0", "jax"}}) {
    ChainBuilder chain(snapshot_, environment_, "keras", wants_);
    chain.chain.version = version;
    EXPECT_EQ(keras_backend(chain).name, name) << version;
  }
}

TEST_F(Settings, keras_refuses_a_backend_that_its_own_text_does_not_name) {
  EXPECT_EQ(keras("3.15.1", {{"KERAS_BACKEND", "theano"}}).imports, Verdict::no);
  EXPECT_EQ(finding("setting-rejected")->next_step.id, "unset-variable");
  EXPECT_EQ(keras("3.15.1", {{"KERAS_BACKEND", "pytorch"}}).imports, Verdict::no);
  EXPECT_NE(finding("setting-rejected"), nullptr);
}

TEST_F(Settings, keras_on_numpy_imports_and_uses_no_gpu) {
  const auto chain = keras("3.15.1", {{"KERAS_BACKEND", "numpy"}});
  EXPECT_EQ(chain.imports, Verdict::yes);
  EXPECT_EQ(chain.sees_gpu, Verdict::no);
  EXPECT_EQ(chain.cause, "program-selects-cpu");
  has_scipy_ = false;
  EXPECT_EQ(keras("3.15.1", {{"KERAS_BACKEND", "numpy"}}).cause, "dependency-missing");
}

TEST_F(Settings, keras_json_in_keras_home_counts_and_the_variable_comes_first) {
  text("/k/keras.json", "{\"backend\": \"theano\"}");
  EXPECT_EQ(keras("3.15.1", {{"KERAS_HOME", "/k"}}).imports, Verdict::no);
  EXPECT_EQ(finding("setting-rejected")->next_step.id, "correct-setting");
  EXPECT_EQ(keras("3.15.1", {{"KERAS_HOME", "/k"}, {"KERAS_BACKEND", "numpy"}}).imports, Verdict::yes);
}

}  // namespace
}  // namespace gpuway
