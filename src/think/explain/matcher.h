#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// Finds many literals at once in lines that follow each other, also where one is broken over lines: between words or
/// within one, as terminals and mail programs do. Letters match in either case. Keeps the last few hundred bytes.
class Matcher {
 public:
  struct Hit {
    std::size_t literal = 0;
    std::size_t first_line = 0, last_line = 0;
    std::size_t begin = 0, end = 0;   // where it stands in `around`
    std::string_view around;          // the text so far, lines joined with one blank; valid during the call
  };
  using Sink = std::function<void(const Hit&)>;

  /// `literals`: small letters, single blanks, at least six other characters each.
  explicit Matcher(std::vector<std::string_view> literals);

  /// The next line. `starts` is false when it goes on with the one before without a line end.
  void add_line(std::size_t number, bool starts, std::string_view text, const Sink& sink);

 private:
  struct Tail {
    std::uint64_t key = 0;
    std::uint32_t literal = 0;
  };

  bool verify(std::string_view literal, std::size_t last, std::size_t& first) const;
  void forget();

  std::vector<std::string_view> literals_;
  std::vector<Tail> tails_;             // sorted by key
  std::vector<std::uint64_t> filter_;   // one bit for each hash of a tail
  // The text without blanks, byte by byte, with what was left out before each byte; where each part of it begins.
  enum class Gap : std::uint8_t { none, blank, line_end };
  struct Part {
    std::size_t packed = 0, text = 0, line = 0;
  };
  const Part& part_of(std::size_t packed) const;
  std::size_t place_of(std::size_t packed) const;

  std::string packed_, text_;
  std::vector<Gap> gap_;
  std::vector<Part> parts_;
};

}  // namespace gpuway
