#include "think/rules/frameworks/onnxruntime_provider.h"

#include "base/path.h"
#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {

bool judge_provider_gone(ChainBuilder& chain, const std::string& capi, const std::string& file) {
  if (chain.takes_gpu("several-onnxruntime-packages") || !is_file_of_package(chain, file)) return false;
  auto& finding = chain.add(LinkId::import, "incomplete-package-install", Effect::no_gpu, Severity::error);
  set_args(finding, {{"package", chain.chain.package}, {"detail", "onnxruntime/capi/" + file}});
  add_evidence(finding, "file", join_path(capi, file), "not there");
  add_evidence(finding, "file", join_path(chain.package(chain.chain.package)->location, "RECORD"), "lists it");
  set_next_step(finding, "reinstall-package",
                {install_command(chain, {chain.chain.package + "==" + chain.chain.version}, {"--force-reinstall"})});
  return true;
}

}  // namespace gpuway
