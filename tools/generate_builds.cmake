# data/tables/builds.toml -> generated/knowledge/builds_data.inc.
set(builds_table ${CMAKE_SOURCE_DIR}/data/tables/builds.toml)
set(builds_out ${CMAKE_BINARY_DIR}/generated/knowledge/builds_data.inc)
gpuway_generate(generate_builds OUT ${builds_out} ARGUMENTS ${builds_table} ${builds_out} DEPENDS ${builds_table})
gpuway_generated_table(gpuway_builds_table ${builds_out})
