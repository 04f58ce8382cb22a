#include "think/rules/python/python_release.h"

#include <gtest/gtest.h>

namespace gpuway {
namespace {

TEST(TagsFit, only_the_same_python_or_a_stable_abi_fits) {
  EXPECT_TRUE(tags_fit({"cp311-cp311-manylinux_2_17_x86_64"}, PythonRelease{3, 11, false, false}));
  EXPECT_FALSE(tags_fit({"cp311-cp311-manylinux_2_17_x86_64"}, PythonRelease{3, 12, false, false}));
  EXPECT_FALSE(tags_fit({"cp313-cp313-manylinux_2_17_x86_64"}, PythonRelease{3, 13, true, false}));
  EXPECT_TRUE(tags_fit({"cp313-cp313t-manylinux_2_17_x86_64"}, PythonRelease{3, 13, true, false}));
  EXPECT_TRUE(tags_fit({"cp38-abi3-manylinux2014_x86_64"}, PythonRelease{3, 12, false, false}));
  EXPECT_FALSE(tags_fit({"cp312-abi3-manylinux2014_x86_64"}, PythonRelease{3, 11, false, false}));
  EXPECT_TRUE(tags_fit({"py2-none-any", "py3-none-any"}, PythonRelease{3, 14, false, false}));
  EXPECT_FALSE(tags_fit({"py2-none-any"}, PythonRelease{3, 11, false, false}));
  EXPECT_TRUE(tags_fit({}, PythonRelease{3, 11, false, false}));
}

TEST(TagsFit, compiled_modules_of_cpython_are_not_pypys) {
  const PythonRelease pypy{3, 10, false, true};
  EXPECT_FALSE(tags_fit({"cp310-cp310-manylinux_2_17_x86_64"}, pypy));
  EXPECT_FALSE(tags_fit({"cp38-abi3-manylinux_2_17_x86_64"}, pypy));
  EXPECT_TRUE(tags_fit({"pp310-pypy310_pp73-manylinux_2_17_x86_64"}, pypy));
  EXPECT_TRUE(tags_fit({"py3-none-any"}, pypy));
  EXPECT_FALSE(tags_fit({"pp310-pypy310_pp73-manylinux_2_17_x86_64"}, PythonRelease{3, 10, false, false}));
}

TEST(PythonLabel, says_what_a_version_alone_does_not) {
  PythonEnvironment environment;
  EXPECT_EQ(python_label(environment), "");
  environment.version = Fact<std::string>::known("3.13.0", {});
  EXPECT_EQ(python_label(environment), "3.13.0");
  environment.free_threaded = true;
  EXPECT_EQ(python_label(environment), "3.13.0t");
  environment.free_threaded = false;
  environment.implementation = "pypy";
  EXPECT_EQ(python_label(environment), "PyPy 3.13.0");
}

TEST(ImportHook, is_known_by_the_names_that_build_tools_give_its_pth_file) {
  PythonEnvironment environment;
  environment.pth_code = {"/site/distutils-precedence.pth", "/editable/coloredlogs.pth"};
  EXPECT_FALSE(has_import_hook(environment));
  for (const auto* name : {"__editable__.torch-2.6.0.pth", "numpy-editable.pth", "_onnxruntime_editable.pth"}) {
    environment.pth_code = {std::string("/site/") + name};
    EXPECT_TRUE(has_import_hook(environment)) << name;
  }
}

TEST(ExtensionAmong, takes_the_file_of_this_python) {
  const std::vector<std::string> names = {"_C.cpython-312-x86_64-linux-gnu.so", "_C.cpython-311-x86_64-linux-gnu.so",
                                          "_Cold.so"};
  EXPECT_EQ(extension_among(names, "_C", PythonRelease{3, 11, false, false}), "_C.cpython-311-x86_64-linux-gnu.so");
  EXPECT_EQ(extension_among(names, "_C", PythonRelease{3, 13, false, false}), std::nullopt);
}

}  // namespace
}  // namespace gpuway
