#include "commands/progress.h"

#include <chrono>
#include <ostream>

namespace gpuway {

Progress::Progress(Program& program, std::string what) : program_(program), what_(std::move(what)) {
  // Without a terminal nobody watches, and a log needs no progress.
  if (!program_.terminal.err_is_terminal) return;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    if (ended_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; })) return;
    shown_ = true;
    program_.err << what_ << " ..." << std::flush;
  });
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    done_ = true;
  }
  ended_.notify_all();
  thread_.join();
  if (shown_) program_.err << "\r\x1b[K" << std::flush;
}

}  // namespace gpuway
