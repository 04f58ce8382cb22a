# data/tables/loads.toml -> generated/knowledge/loads_data.inc.
set(loads_table ${CMAKE_SOURCE_DIR}/data/tables/loads.toml)
set(loads_out ${CMAKE_BINARY_DIR}/generated/knowledge/loads_data.inc)
gpuway_generate(generate_loads OUT ${loads_out} ARGUMENTS ${loads_table} ${loads_out} DEPENDS ${loads_table})
gpuway_generated_table(gpuway_loads_table ${loads_out})
