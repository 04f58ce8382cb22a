#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "commands/run.h"

namespace gpuway {

/// Says on stderr what is going on when it takes longer than a second, and takes the line away again at the end.
class Progress {
 public:
  Progress(Program& program, std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  Program& program_;
  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false, shown_ = false;
  std::thread thread_;
};

}  // namespace gpuway
