#include "think/rules/gpu/cuda_names.h"

#include <gtest/gtest.h>

#include "think/rules/frameworks/framework_chains.h"

namespace gpuway {
namespace {

TEST(CudaNames, a_level_reads_as_the_runtime_writes_it) {
  EXPECT_EQ(CudaVersion::of_number(12040).text(), "12.4");
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
