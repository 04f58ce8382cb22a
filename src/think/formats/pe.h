#pragma once

#include <functional>
#include <string>

#include "base/byte_source.h"
#include "think/model/binary.h"

namespace gpuway {

/// What the loader and people need of a PE image (PE32 and PE32+): headers, import tables, the version resource and the
/// manifest. Exported names are counted, not kept. Fails with `malformed` (which table, which value, which limit) and with
/// what reading the source fails with. Layout: Microsoft's PE Format.
Result<PeSummary> summarize_pe(const ByteSource& source);

/// The same as the outcome that opening the file as a DLL has.
BinaryView classify_pe(const ByteSource& source);

/// Answers which of the importer's imports the exporter does not give, and where its forwarders lead. `open` gives the bytes
/// of a file by its path; they must live until the call ends.
ImportCheck run_import_check(const ImportCheck& question, const std::function<Result<ByteView>(const std::string& path)>& open);

}  // namespace gpuway
