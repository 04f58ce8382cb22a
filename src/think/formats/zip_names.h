#pragma once

#include <string>
#include <vector>

#include "base/byte_source.h"

namespace gpuway {

/// The names of the members of a ZIP archive, in the order of its directory, as far as Python's zipimport gets with it
/// (CPython, Lib/zipimport.py): bytes before the archive and a comment behind it do no harm, a damaged entry ends the
/// list. Malformed without an end record or when the directory does not lie in the file; too large above 16 MiB of
/// directory. ZIP64 archives give the names that the 32-bit record reaches.
Result<std::vector<std::string>> read_zip_names(const ByteSource& file);

}  // namespace gpuway
