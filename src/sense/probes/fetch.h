#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "sense/host/host.h"
#include "think/formats/elf_symbols.h"
#include "think/model/snapshot.h"

namespace gpuway {

/// Fetches what the rules still want to know. One Fetcher serves all rounds of a run, so that a library is opened and its
/// symbols are parsed once.
class Fetcher {
 public:
  /// `limit` is how long a program or a driver library may take to answer.
  Fetcher(const Host& host, std::chrono::milliseconds limit);

  /// Fetches everything in `wants` into the Snapshot. Returns false when nothing new could be added (all of it was known
  /// already), so that a caller's loop ends. A fault becomes an undetermined fact with its reason.
  bool fetch(const Wants& wants, Snapshot& snapshot);

 private:
  const Host& host_;
  std::chrono::milliseconds limit_;
  std::vector<std::unique_ptr<ByteSource>> files_;   // symbols point into their views
  SymbolStore symbols_;
};

}  // namespace gpuway
