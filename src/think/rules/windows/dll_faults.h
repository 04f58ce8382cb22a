#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "think/rules/chain_builder.h"
#include "think/rules/windows/dll_homes.h"
#include "think/rules/windows/windows_python.h"

namespace gpuway {

/// How a framework loads: whether PATH plays a part decides why a DLL that lies on it was not found.
enum class DllSearch : std::uint8_t { with_path, without_path };

/// Gathers the loads of one framework that failed, and turns them into findings: one finding per cause, not one per DLL.
class DllFaults {
 public:
  explicit DllFaults(ChainBuilder& chain) : chain_(chain) {}

  /// Notes how a load ended. Returns true when the DLL is loaded.
  bool note(const DllOutcome& outcome, const std::string& requested, const std::string& asked_by, Effect effect, LinkId link, DllSearch search);
  /// Writes the findings.
  void finish();

 private:
  struct Fault {
    DllFailure failure;
    std::string asked_by;
    Effect effect;
    LinkId link;
    DllSearch search;
  };
  struct Group {
    std::vector<std::string> names;
    const Fault* first = nullptr;
    Effect effect = Effect::harmless;
    DllElsewhere elsewhere;
  };
  std::string cause_of(const Fault& fault, const DllElsewhere& elsewhere) const;
  void add_not_found(const std::vector<const Fault*>& faults);
  void add_missing_group(const std::string& id, LinkId link, const Group& group);
  void set_remedy(Finding& finding, const std::string& id, const Group& group);
  void add_damaged(const Fault& fault);
  void add_symbol(const Fault& fault);
  std::vector<std::string> install_commands() const;

  ChainBuilder& chain_;
  std::vector<Fault> faults_;
};

}  // namespace gpuway
