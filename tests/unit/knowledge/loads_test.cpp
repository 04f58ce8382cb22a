#include "think/knowledge/loads.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

// The names that real releases were seen to open (shared facts: loads-linux.toml, oracle-windows.md).
TEST(CudaLibraryFile, is_the_name_that_real_releases_open_on_linux) {
  const auto name = [](const char* library, CudaVersion cuda) { return cuda_library_file("linux", library, cuda); };
  EXPECT_EQ(name("cudart", {11, 2}), "libcudart.so.11.0");
  EXPECT_EQ(name("cusolver", {11, 0}), "libcusolver.so.10");   // TensorFlow 2.4.4
  EXPECT_EQ(name("cusolver", {11, 2}), "libcusolver.so.11");   // TensorFlow 2.6.5
  EXPECT_EQ(name("cufft", {11, 8}), "libcufft.so.10");         // TensorFlow 2.12.1
  EXPECT_EQ(name("cufft", {12, 2}), "libcufft.so.11");         // TensorFlow 2.15.1
  EXPECT_EQ(name("cusparse", {12, 5}), "libcusparse.so.12");   // TensorFlow 2.18.1
  EXPECT_EQ(name("cusolver", {13, 2}), "libcusolver.so.12");   // PyTorch 2.15.0
  EXPECT_EQ(name("curand", {12, 4}), "libcurand.so.10");       // PyTorch 2.6.0
  EXPECT_EQ(name("cublas", {10, 0}), "libcublas.so.10.0");     // TensorFlow 1.15
  EXPECT_EQ(name("nvJitLink", {11, 8}), "");
  EXPECT_EQ(name("nothing", {12, 4}), "");
  EXPECT_EQ(name("cublas", {}), "");
}

TEST(CudaLibraryFile, is_the_name_that_tensorflow_2_10_misses_on_windows) {
  std::vector<std::string> names;
  for (const auto* row : loads_of("tensorflow", "windows", {2, 10}, LoadStage::devices)) names.push_back(file_of_load(*row, {11, 2}, 8));
  EXPECT_EQ(names, (std::vector<std::string>{"cudart64_110.dll", "cublas64_11.dll", "cublasLt64_11.dll", "cufft64_10.dll", "curand64_10.dll",
                                             "cusolver64_11.dll", "cusparse64_11.dll", "cudnn64_8.dll"}));
  EXPECT_EQ(cuda_library_file("windows", "cublas", {10, 0}), "cublas64_100.dll");
  EXPECT_EQ(cuda_library_file("windows", "cudart", {10, 1}), "cudart64_101.dll");
}

TEST(Loads, a_release_takes_the_rows_that_hold_for_it) {
  EXPECT_TRUE(loads_of("tensorflow", "windows", {2, 11}, LoadStage::devices).empty());
  EXPECT_EQ(holder_of("tensorflow", "windows", {2, 11}), nullptr);
  EXPECT_EQ(holder_of("tensorflow", "linux", {2, 10})->opens, "_pywrap_tensorflow_internal.so");
  EXPECT_EQ(holder_of("tensorflow", "linux", {2, 21})->code, "libtensorflow_cc.so.2");
  EXPECT_EQ(loads_of("tensorflow", "linux", {2, 15}, LoadStage::import).at(1)->library, "libnvinfer.so.8.6.1");
  EXPECT_EQ(loads_of("tensorflow", "linux", {2, 21}, LoadStage::devices).front()->library, "cudnn");
  EXPECT_TRUE(loads_of("nothing", "linux", {2, 21}, LoadStage::devices).empty());
}

}  // namespace
}  // namespace gpuway
