#pragma once

#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "think/loader/glibc/glibc_loader.h"
#include "think/model/answer.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// The links of a chain, in the order in which they break.
enum class LinkId : std::uint8_t { import, wheel, interpreter, gpu_libraries, driver_library, driver_version, device, gpu_code };
std::string_view to_word(LinkId id);
inline constexpr LinkId kLinks[] = {LinkId::import,         LinkId::wheel,          LinkId::interpreter, LinkId::gpu_libraries,
                                    LinkId::driver_library, LinkId::driver_version, LinkId::device,      LinkId::gpu_code};

/// Whether a finding breaks its link, and what of the three answers it takes away.
enum class Effect : std::uint8_t {
  harmless,       // a note; breaks nothing
  no_compute,     // the GPU is listed and cannot compute
  no_gpu,         // the framework does not list the GPU
  import_fails,   // `import` raises
  process_dies,   // the process ends by a signal when the GPU is asked for
  import_dies,    // it ends by a signal during `import`
};

/// Collects what is found about one framework in one environment, and closes it into a Chain.
/// The first broken link in LinkId order becomes the cause; within a link the first finding that was added.
class ChainBuilder {
 public:
  ChainBuilder(const Snapshot& snapshot, const PythonEnvironment& environment, std::string framework, Wants& wants);

  const Snapshot& snapshot() const { return snapshot_; }
  const PythonEnvironment& environment() const { return environment_; }
  Wants& wants() const { return wants_; }

  // ---- facts of the environment
  /// The candidate that wins `import module`, or nullptr.
  const ImportCandidate* import_of(std::string_view module) const;
  /// All distributions of a normalised name, in search-path order.
  std::vector<const PythonPackage*> packages(std::string_view name) const;
  /// The first of them, or nullptr.
  const PythonPackage* package(std::string_view name) const;
  /// A small text file, fetched through Wants; nullptr when it is not known (yet) or absent.
  const std::string* text(const std::string& path) const;
  /// Whether the Snapshot knows that `path` is (not) there as a text; undetermined while not fetched.
  FactState text_state(const std::string& path) const;
  /// A variable of this process, or nullptr when unset or not live.
  const std::string* variable(std::string_view name) const;

  // ---- results
  Chain chain;                      // package, version, flavour are set by the framework's own file
  int cuda_major = 0;               // of the CUDA that the build was made for; 0 when it is not known
  bool cuda_expected = false;       // the build wants a CUDA GPU (so GPU links are judged at all)

  /// Adds a finding to a link; returns it for args and evidence. The id must be one of data/tables/findings.toml.
  Finding& add(LinkId link, std::string id, Effect effect, Severity severity, Certainty certainty = Certainty::proven);
  /// A link that could not be judged, with the reason as a word or text.
  void undetermined(LinkId link, Effect would_take, std::string reason);
  /// Records a library that was missed, under its file name when it was asked for by path.
  void missing(const std::string& library, const std::string& asked_by, bool needed, Effect effect);
  /// True when some finding so far takes this answer away.
  bool broken(Effect at_least) const;
  /// Whether a finding of this id that takes the GPU away was added already.
  bool takes_gpu(std::string_view id) const;
  /// Findings of this id that take the GPU away take `effect` away here: what one framework bears, another that stands
  /// on it does not.
  void deepen(std::string_view id, Effect effect);

  /// On a machine that has no NVIDIA GPU that is the cause, and everything else about the GPU is only what would come
  /// next: notes, no alarm. `evidence` says how it is known.
  void settle_without_gpu(const Evidence& evidence);

  /// Closes the chain: link states, three answers, cause. `findings` receives this chain's findings with their keys.
  Chain finish(int index, std::vector<Finding>& findings);

 private:
  struct Entry {
    LinkId link;
    Effect effect;
    Finding finding;
  };
  struct Doubt {
    LinkId link;
    Effect effect;
    std::string reason;
  };
  const Snapshot& snapshot_;
  const PythonEnvironment& environment_;
  Wants& wants_;
  std::deque<Entry> entries_;   // a deque, so that the Finding that add() returned stays where it is
  std::vector<Doubt> doubts_;
  bool without_gpu_ = false;
};

/// Sets named arguments in one go: set_args(finding, {{"library", "libcudnn.so.9"}, ...}).
void set_args(Finding& finding, std::initializer_list<std::pair<const char*, FindingValue>> args);
void add_evidence(Finding& finding, std::string source, std::string where, std::string what);
void set_next_step(Finding& finding, std::string id, std::vector<std::string> commands);

}  // namespace gpuway
