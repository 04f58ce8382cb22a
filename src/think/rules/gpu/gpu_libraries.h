#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "think/rules/chain_builder.h"
#include "think/rules/python/python_process.h"

namespace gpuway {

/// "libcudart.so.12" -> "libcudart"; the whole name when it is no library name.
std::string_view library_stem(std::string_view name);

/// Where GPU libraries lie on a machine although the loader may not search there: the environment's NVIDIA wheels, the
/// environment's own lib folder (conda), toolkit folders, other folders of the loader cache. Wants the listings it lacks.
struct LibraryHome {
  std::string folder;
  enum class Owner : std::uint8_t { wheel, environment, toolkit, configured, system } owner = Owner::system;
};
std::vector<LibraryHome> library_homes(ChainBuilder& chain);

/// Every file of this stem in library_homes, as full paths; exact names first.
struct FoundElsewhere {
  std::vector<std::string> exact;    // same name, somewhere the search did not go
  LibraryHome::Owner exact_owner = LibraryHome::Owner::system;   // of the first
  std::vector<std::string> other;    // same stem, another version
};
FoundElsewhere find_elsewhere(ChainBuilder& chain, std::string_view name);

/// Gathers the requests of one framework that failed, and turns them into findings: one finding per cause, not one per
/// library.
class LibraryFaults {
 public:
  /// `expects_wheels`: the framework is built to find NVIDIA's wheels through its own run path.
  LibraryFaults(ChainBuilder& chain, bool expects_wheels) : chain_(chain), expects_wheels_(expects_wheels) {}

  /// Notes how a request ended. Returns true when the object is loaded. `dying` is what a file that is cut off does.
  bool note(const LoadOutcome& outcome, const std::string& requested, const std::string& asked_by, Effect effect,
            LinkId link = LinkId::gpu_libraries, Effect dying = Effect::process_dies);
  /// Writes the findings.
  void finish();

 private:
  struct Fault {
    LoadFailure failure;
    std::string requested, asked_by;
    bool dies = false;
    Effect effect;
    LinkId link;
  };
  void add_not_found(const std::vector<const Fault*>& faults);
  void add_damaged(const Fault& fault);
  void add_symbol(const Fault& fault);
  void add_version(const Fault& fault);

  ChainBuilder& chain_;
  bool expects_wheels_;
  std::vector<Fault> faults_;
};

}  // namespace gpuway
