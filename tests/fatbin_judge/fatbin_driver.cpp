// Prints what summarize_gpu_code reads of each file named: one line "FILE", then one per row "KIND ARCH PTX-ISA COUNT".
//   fatbin_driver FILE...
#include <fstream>
#include <iostream>

#include "think/formats/fatbin.h"

namespace {

// A file that is read in pieces, without a view: the judged path is the one with windows.
class FileSource final : public gpuway::ByteSource {
 public:
  explicit FileSource(const char* path) : in_(path, std::ios::binary) {
    in_.seekg(0, std::ios::end);
    size_ = in_ ? static_cast<std::uint64_t>(in_.tellg()) : 0;
  }
  bool is_open() const { return in_.is_open(); }
  std::uint64_t size() const override { return size_; }
  gpuway::Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> out) const override {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    return static_cast<std::size_t>(in_.gcount());
  }

 private:
  mutable std::ifstream in_;
  std::uint64_t size_ = 0;
};

constexpr const char* kKinds[] = {"elf", "ptx", "lto", "other"};

}  // namespace

int main(int argc, char** argv) {
  int failures = 0;
  for (int i = 1; i < argc; ++i) {
    const FileSource source(argv[i]);
    if (!source.is_open()) {
      std::cerr << argv[i] << ": cannot be opened\n";
      return 2;
    }
    const auto summary = gpuway::summarize_gpu_code(source);
    if (!summary) {
      std::cerr << argv[i] << ": " << summary.error().text() << "\n";
      ++failures;
      continue;
    }
    std::cout << argv[i] << "\n";
    for (const auto& row : summary->rows) {
      std::cout << kKinds[static_cast<int>(row.kind)] << " " << row.arch;
      if (row.variant != 0) std::cout << row.variant;
      std::cout << " " << row.ptx_major << "." << row.ptx_minor << " " << row.count << "\n";
    }
    std::cout << "containers " << summary->containers << " damaged " << summary->damaged
              << (summary->truncated ? " truncated" : "") << "\n";
  }
  return failures == 0 ? 0 : 1;
}
