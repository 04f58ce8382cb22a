#include "think/rules/gpu/cudnn_parts.h"

#include "think/rules/install_command.h"
#include "think/rules/next_steps.h"
#include "think/rules/python/python_links.h"

namespace gpuway {

void judge_cudnn_call(ChainBuilder& chain, PythonProcess& process, LibraryFaults& faults, int cudnn_major,
                      const std::string& function) {
  auto& loader = process.loader();
  const auto index = loader.find_loaded("libcudnn.so." + std::to_string(cudnn_major));
  if (index < 0) return;
  const auto path = loader.objects()[static_cast<std::size_t>(index)].path;
  const auto is_front = holds_bytes(chain, path, "libcudnn_graph");
  if (is_front.is_undetermined()) {
    chain.undetermined(LinkId::gpu_libraries, Effect::process_dies, path + ": not read");
    return;
  }
  if (!is_front.value_or(false)) return;
  const auto part = "libcudnn_graph.so." + std::to_string(cudnn_major);
  const auto outcome = loader.open({.name = part, .caller = index});
  if (!faults.note(outcome, part, path, Effect::process_dies)) return;
  const auto part_path = loader.objects()[static_cast<std::size_t>(outcome.object)].path;
  const auto answers = holds_bytes(chain, part_path, function);
  if (answers.is_undetermined()) chain.undetermined(LinkId::gpu_libraries, Effect::process_dies, part_path + ": not read");
  if (!answers.is_known() || *answers) return;
  auto& finding = chain.add(LinkId::gpu_libraries, "cuda-library-missing-symbol", Effect::process_dies, Severity::error);
  set_args(finding, {{"framework", chain.chain.framework},
                     {"library", part},
                     {"symbol", function},
                     {"version", std::string()},
                     {"asked_by", path}});
  add_evidence(finding, "file", part_path, "does not define " + function);
  set_next_step(finding, "align-cuda-libraries", {install_command(chain, {cudnn_distribution(chain)}, {"--force-reinstall"})});
  chain.missing(part, path, false, Effect::process_dies);
}

}  // namespace gpuway
