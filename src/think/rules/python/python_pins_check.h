#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "think/rules/python/import_link.h"

namespace gpuway {

/// Judges versions of Python dependencies that make the import fail although everything is there: NumPy's ABI, protobuf
/// against the generated code, jax against jaxlib, and the measured rows of python_pins.toml.
/// A requirement of METADATA that is merely violated is not reported: most such imports work.
void judge_python_pins(ChainBuilder& chain, const FrameworkRule& rule, const ImportResult& import);

/// The three numbers of `ValidateProtobufRuntimeVersion(domain, major, minor, patch, ...)` in generated code.
std::optional<std::array<std::uint64_t, 3>> generated_code_version(std::string_view pb2_text);

}  // namespace gpuway
