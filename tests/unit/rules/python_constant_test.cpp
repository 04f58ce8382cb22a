#include <gtest/gtest.h>

#include "think/rules/frameworks/framework_chains.h"

namespace gpuway {
namespace {

TEST(PythonConstant, is_read_from_an_assignment_with_or_without_annotation) {
  EXPECT_EQ(python_constant("cuda = '12.4'\n", "cuda"), "12.4");
  EXPECT_EQ(python_constant("cuda: Optional[str] = '13.2'\nhip: Optional[str] = None\n", "cuda"), "13.2");
  EXPECT_EQ(python_constant("cuda: Optional[str] = None\n", "cuda"), "None");
}

TEST(PythonConstant, is_read_from_a_pair_and_from_braces) {
  EXPECT_EQ(python_constant("build_info = OrderedDict([('cuda_version', '11.2'), ('is_cuda_build', True)])", "is_cuda_build"), "True");
  EXPECT_EQ(python_constant("build_info = OrderedDict([('cuda_version', '11.2'), ('is_cuda_build', True)])", "cuda_version"), "11.2");
  EXPECT_EQ(python_constant("{\"backend\": \"torch\"}", "backend"), "torch");
}

// torch 2.15's version.py names its constants in __all__ first, and a CPU build says None for cuda.
TEST(PythonConstant, a_list_of_names_gives_no_value) {
  EXPECT_EQ(python_constant("__all__ = ['__version__', 'debug', 'cuda', 'git_version']\ncuda: Optional[str] = None\n", "cuda"), "None");
  EXPECT_EQ(python_constant("__all__ = ('cuda', 'hip')\n", "cuda"), "");
}

TEST(PythonConstant, other_uses_of_the_name_give_no_value) {
  EXPECT_EQ(python_constant("if cuda == '1': pass\nmy_cuda = 'x'\nversion.cuda = 'y'\n", "cuda"), "");
  EXPECT_EQ(python_constant("", "cuda"), "");
  EXPECT_EQ(python_constant("cuda", "cuda"), "");
}

}  // namespace
}  // namespace gpuway
