#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gpuway {

/// How many terminal columns a UTF-8 text takes: East Asian wide and full-width characters two, combining marks none.
/// Bytes that are no UTF-8 count as one each.
std::size_t columns_of(std::string_view text);

/// Prose broken into lines of at most `width` columns, at blanks, and between wide characters. A word that is wider than
/// the line (a path, a command) stays whole. A closing mark never begins a line, an opening one never ends it.
std::vector<std::string> wrap(std::string_view text, std::size_t width);
/// The same with another width for the first line, which stays empty when its first word finds more room on the second.
std::vector<std::string> wrap(std::string_view text, std::size_t width, std::size_t first_width);

}  // namespace gpuway
