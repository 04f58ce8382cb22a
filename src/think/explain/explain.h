#pragma once

#include <memory>
#include <string_view>

#include "think/model/explanation.h"

namespace gpuway {

/// Reads a log piece by piece and says what it means. Memory does not grow with its length.
class LogReader {
 public:
  LogReader();
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  void add(std::string_view bytes);
  /// False when the rest need not be read: the input is no text.
  bool wants_more() const;
  Explanation finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuway
