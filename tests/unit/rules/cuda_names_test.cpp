#include "think/rules/gpu/cuda_names.h"

#include <gtest/gtest.h>

#include "think/rules/frameworks/framework_chains.h"

namespace gpuway {
namespace {

// The names that real releases were seen to open (shared facts: loads-linux.toml, measured with LD_DEBUG).
TEST(CudaNames, sonames_are_those_that_real_releases_open) {
  EXPECT_EQ(cuda_soname("cudart", {11, 2}), "libcudart.so.11.0");
  EXPECT_EQ(cuda_soname("cusolver", {11, 0}), "libcusolver.so.10");   // TensorFlow 2.4.4
  EXPECT_EQ(cuda_soname("cusolver", {11, 2}), "libcusolver.so.11");   // TensorFlow 2.6.5
  EXPECT_EQ(cuda_soname("cufft", {11, 8}), "libcufft.so.10");         // TensorFlow 2.12.1
  EXPECT_EQ(cuda_soname("cufft", {12, 2}), "libcufft.so.11");         // TensorFlow 2.15.1
  EXPECT_EQ(cuda_soname("cusparse", {12, 5}), "libcusparse.so.12");   // TensorFlow 2.18.1
  EXPECT_EQ(cuda_soname("cusolver", {13, 2}), "libcusolver.so.12");   // PyTorch 2.15.0
  EXPECT_EQ(cuda_soname("curand", {12, 4}), "libcurand.so.10");       // PyTorch 2.6.0
  EXPECT_EQ(cuda_soname("nothing", {12, 4}), "");
}

TEST(CudaNames, a_level_reads_as_the_runtime_writes_it) {
  EXPECT_EQ(CudaLevel::of(12040).text(), "12.4");
  EXPECT_EQ(level_of_cudart("libcudart.so.11.0").major, 11);
  EXPECT_EQ(level_of_cudart("libcublas.so.11").major, 0);
}

TEST(PythonConstant, reads_every_form_that_build_files_have_had) {
  const std::string ordered =
      "build_info = collections.OrderedDict([('cuda_version', '12.5.1'), ('is_cuda_build', True), ('is_rocm_build', False)])";
  EXPECT_EQ(python_constant(ordered, "cuda_version"), "12.5.1");
  EXPECT_EQ(python_constant(ordered, "is_cuda_build"), "True");
  EXPECT_EQ(python_constant(ordered, "is_rocm_build"), "False");
  EXPECT_EQ(python_constant("is_cuda_build = True\n", "is_cuda_build"), "True");
  EXPECT_EQ(python_constant("cuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n", "cuda"), "12.4");
  EXPECT_EQ(python_constant("cuda: Optional[str] = '12.4'\nhip: Optional[str] = None\n", "hip"), "None");
  EXPECT_EQ(python_constant("my_cuda_version = '1'\n", "cuda_version"), "");
  EXPECT_EQ(python_constant("", "cuda"), "");
}

}  // namespace
}  // namespace gpuway
