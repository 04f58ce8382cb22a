#pragma once

#include "think/formats/pe_layout.h"
#include "think/model/binary.h"

namespace gpuway::pe {

/// The version resource and the manifest of an image, put into its summary. Faults in resources break nothing that the
/// loader does: what cannot be read is left out.
void read_resources(BlockReader& reader, const Layout& layout, PeSummary& out);

}  // namespace gpuway::pe
