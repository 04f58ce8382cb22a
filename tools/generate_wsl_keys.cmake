# data/tables/wsl_keys.toml -> generated/knowledge/wsl_keys_data.inc.
set(wsl_keys_table ${CMAKE_SOURCE_DIR}/data/tables/wsl_keys.toml)
set(wsl_keys_out ${CMAKE_BINARY_DIR}/generated/knowledge/wsl_keys_data.inc)
gpuway_generate(generate_wsl_keys OUT ${wsl_keys_out} ARGUMENTS ${wsl_keys_table} ${wsl_keys_out} DEPENDS ${wsl_keys_table})
gpuway_generated_table(gpuway_wsl_keys_table ${wsl_keys_out})
