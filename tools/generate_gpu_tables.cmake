# data/tables/{gpus,cuda}.toml -> generated/knowledge/{gpus,cuda}_data.inc, and the newest date of all tables ->
# generated/knowledge/knowledge_date.inc.
file(GLOB all_tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/tables/*.toml)
set(gpu_tables ${CMAKE_SOURCE_DIR}/data/tables/gpus.toml ${CMAKE_SOURCE_DIR}/data/tables/cuda.toml)
set(gpu_tables_folder ${CMAKE_BINARY_DIR}/generated/knowledge)
set(gpu_tables_out ${gpu_tables_folder}/gpus_data.inc ${gpu_tables_folder}/cuda_data.inc ${gpu_tables_folder}/knowledge_date.inc)
gpuway_generate(generate_gpu_tables OUT ${gpu_tables_out} ARGUMENTS ${gpu_tables_folder} ${gpu_tables} ${all_tables} DEPENDS ${all_tables})
gpuway_generated_table(gpuway_gpu_tables ${gpu_tables_out})
