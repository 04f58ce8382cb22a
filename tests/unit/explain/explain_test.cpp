#include "think/explain/explain.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "think/explain/log_facts.h"

namespace gpuway {
namespace {

Explanation explain(std::string_view text) {
  LogReader reader;
  reader.add(text);
  return reader.finish();
}

std::string first_of(const Explanation& explanation) { return explanation.causes.empty() ? "" : explanation.causes[0].id; }

bool names(const Explanation& explanation, std::string_view id) {
  return std::any_of(explanation.causes.begin(), explanation.causes.end(), [&](const NamedCause& cause) { return cause.id == id; });
}

constexpr const char* kCudart =
    "2022-03-01 10:00:00.1: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library "
    "'cudart64_110.dll'; dlerror: cudart64_110.dll not found\n";

TEST(Explain, what_proves_a_cause_decides) {
  const auto answer = explain("line\nRuntimeError: The NVIDIA driver on your system is too old (found version 11040).\n");
  EXPECT_TRUE(answer.decided);
  EXPECT_EQ(first_of(answer), "driver-too-old");
  EXPECT_EQ(answer.causes[0].lines, (std::vector<std::size_t>{2}));
  EXPECT_TRUE(answer.missing_facts.empty());
}

TEST(Explain, causes_that_print_the_same_compete) {
  const auto answer = explain(kCudart);
  EXPECT_FALSE(answer.decided);
  EXPECT_EQ(first_of(answer), "cuda-libraries-missing");
  EXPECT_TRUE(names(answer, "cuda-version-mismatch"));
  ASSERT_EQ(answer.missing_facts.size(), 1U);
  EXPECT_NE(answer.missing_facts[0].command.find("where"), std::string::npos);   // the log is of Windows
}

TEST(Explain, another_toolkit_in_the_text_settles_the_version) {
  const auto answer = explain(std::string("Cuda compilation tools, release 12.4, V12.4.99\n") + kCudart);
  EXPECT_TRUE(answer.decided);
  EXPECT_EQ(first_of(answer), "cuda-version-mismatch");
}

TEST(Explain, a_newer_tensorflow_on_windows_explains_the_rest) {
  const auto answer = explain("C:\\Users\\a> python\n>>> tf.__version__\n'2.15.0'\n>>> tf.config.list_physical_devices('GPU')\n[]\n");
  EXPECT_EQ(first_of(answer), "tf-windows-native-gpu-ended");
  EXPECT_TRUE(answer.decided);
}

TEST(Explain, harmless_lines_are_no_cause) {
  const auto answer = explain("E cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory\n");
  EXPECT_TRUE(answer.causes.empty());
  ASSERT_EQ(answer.harmless.size(), 1U);
  EXPECT_EQ(answer.harmless[0].lines, (std::vector<std::size_t>{1}));
}

TEST(Explain, tensorrt_is_not_blamed) {
  EXPECT_TRUE(explain("Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file: No such file\n").causes.empty());
}

TEST(Explain, an_ordinary_log_has_no_cause) {
  const auto answer = explain("Epoch 1/3\n100/100 - 3s - loss: 0.3\nCreated device /job:localhost/replica:0/task:0/device:GPU:0 with 22000 MB memory\n");
  EXPECT_TRUE(answer.causes.empty());
  EXPECT_FALSE(answer.decided);
}

TEST(Explain, an_ordinary_installation_has_no_cause) {
  const auto answer = explain(
      "Collecting nvidia-cudnn-cu12==9.1.0.70 (from torch==2.5.1)\nInstalling collected packages: numpy, torch\n"
      "Successfully installed numpy-2.1.3 torch-2.5.1\nUsing device: cuda\nThis DataLoader will create 8 worker processes in total\n");
  EXPECT_TRUE(answer.causes.empty());
}

TEST(Explain, a_device_that_was_created_had_its_libraries) {
  const auto answer = explain(std::string(kCudart) + "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 5000 MB memory\n");
  EXPECT_TRUE(answer.causes.empty());
}

TEST(Explain, dlerror_that_names_another_file_tells_of_a_dependency) {
  const auto answer = explain(
      "Could not load dynamic library 'libcusolver.so.11'; dlerror: libcublasLt.so.11: cannot open shared object file: No such file or directory\n");
  EXPECT_EQ(first_of(answer), "library-own-dependency-missing");
}

TEST(Explain, re_wrapping_changes_nothing) {
  std::string wrapped;
  for (std::size_t i = 0; kCudart[i] != '\0'; ++i) {
    wrapped += kCudart[i];
    if (i % 60 == 59) wrapped += '\n';
  }
  EXPECT_EQ(first_of(explain(wrapped)), first_of(explain(kCudart)));
}

TEST(Explain, memory_does_not_hold_every_line) {
  LogReader reader;
  for (int i = 0; i < 20'000; ++i) reader.add(kCudart);
  const auto answer = reader.finish();
  EXPECT_EQ(answer.lines, 20'000U);
  EXPECT_LE(answer.texts.size(), 10U);
}

TEST(LogFacts, reads_what_stands_beside_a_literal) {
  EXPECT_EQ(version_in(": 2.10.0+cu118"), "2.10.0");
  EXPECT_EQ(version_in(" of nothing"), "");
  EXPECT_EQ(python_in("312/Lib"), "3.12");
  EXPECT_EQ(python_in(" 3.9.7"), "3.9.7");
  EXPECT_EQ(library_in("", "'; dlerror: libcudnn.so.8: cannot open"), "libcudnn.so.8");
  EXPECT_EQ(library_in("ImportError: libcudart.so.11.0: ", " file"), "libcudart.so.11.0");
  EXPECT_EQ(library_in("", "cudart64_1\n10.dll' not found"), "cudart64_110.dll");
  EXPECT_EQ(foreign_path_in("\xe5\xbc\xa0/x"), "\xe5\xbc\xa0/x");
  EXPECT_EQ(foreign_path_in("ada/x"), "");
}

TEST(LogFacts, conditions) {
  const std::map<std::string, LogFact> facts{{"tensorflow", {"2.10.1", 1}}, {"system", {"wsl", 1}}, {"toolkit", {"12.4", 2}}, {"wanted-cuda", {"11.0", 2}}};
  EXPECT_TRUE(holds("tensorflow<2.11", facts));
  EXPECT_FALSE(holds("tensorflow>=2.11", facts));
  EXPECT_TRUE(holds("system=wsl", facts));
  EXPECT_FALSE(holds("system!=wsl", facts));
  EXPECT_TRUE(holds("python!=3.9", facts));
  EXPECT_TRUE(holds("-python", facts));
  EXPECT_TRUE(holds("toolkit!~@wanted-cuda", facts));
  EXPECT_FALSE(holds("python>=3.9", facts));
}

}  // namespace
}  // namespace gpuway
