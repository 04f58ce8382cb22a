# data/tables/signatures.toml -> generated/explain/signatures_data.inc.
set(signatures_table ${CMAKE_SOURCE_DIR}/data/tables/signatures.toml)
set(signatures_findings ${CMAKE_SOURCE_DIR}/data/tables/findings.toml)
set(signatures_out ${CMAKE_BINARY_DIR}/generated/explain/signatures_data.inc)
gpuway_generate(generate_signatures OUT ${signatures_out}
  ARGUMENTS ${signatures_out} ${signatures_table} ${signatures_findings}
  DEPENDS ${signatures_table} ${signatures_findings})
gpuway_generated_table(gpuway_signatures_table ${signatures_out})
