#include "think/rules/python/companion_packages.h"

#include "unit/rules/import_fixture.h"

namespace gpuway {
namespace {

class TorchCompanions : public ImportFixture {
 protected:
  std::vector<std::string> ids(const std::string& torch, const std::string& flavour, PythonPackage companion) {
    environment_.packages.clear();
    installed("torch", torch);
    environment_.packages.push_back(std::move(companion));
    ChainBuilder chain(snapshot_, environment_, "pytorch", wants_);
    chain.chain.version = torch;
    chain.chain.flavour = flavour;
    judge_torch_companions(chain);
    findings_.clear();
    chain.finish(0, findings_);
    std::vector<std::string> found;
    for (const auto& finding : findings_) found.push_back(finding.id);
    return found;
  }
  static PythonPackage torchvision(const std::string& version, const std::string& requirement) {
    PythonPackage package;
    package.name = "torchvision";
    package.version = version;
    package.requires_dist = {"numpy", requirement};
    return package;
  }
  using Ids = std::vector<std::string>;
};

TEST_F(TorchCompanions, one_that_names_this_torch_fits_with_any_local_label) {
  EXPECT_EQ(ids("2.6.0+cu124", "cuda", torchvision("0.21.0+cu124", "torch (==2.6.0)")), Ids{});
}

TEST_F(TorchCompanions, one_that_names_another_torch_is_warned_about) {
  EXPECT_EQ(ids("2.7.1", "cuda", torchvision("0.21.0", "torch==2.6.0")), Ids{"torch-extension-built-for-other-torch"});
}

TEST_F(TorchCompanions, a_range_of_torch_releases_tells_nothing_about_compiled_parts) {
  EXPECT_EQ(ids("2.7.1", "cuda", torchvision("0.21.0", "torch>=2.8")), Ids{});
  EXPECT_EQ(ids("2.7.1", "cuda", torchvision("0.21.0", "torch ((( ==")), Ids{});
}

TEST_F(TorchCompanions, a_cpu_build_beside_a_cuda_build_of_torch_is_warned_about) {
  EXPECT_EQ(ids("2.6.0+cu124", "cuda", torchvision("0.21.0+cpu", "torch==2.6.0")), Ids{"torchvision-cpu-torch-cuda"});
  EXPECT_EQ(ids("2.6.0+cpu", "cpu", torchvision("0.21.0+cpu", "torch==2.6.0")), Ids{});
}

}  // namespace
}  // namespace gpuway
