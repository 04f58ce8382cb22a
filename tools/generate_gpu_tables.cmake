# data/tables/{gpus,cuda}.toml -> generated/knowledge/{gpus,cuda}_data.inc, and the newest date of all tables ->
# generated/knowledge/knowledge_date.inc, by a generator that the build machine's compiler builds.
file(GLOB all_tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/tables/*.toml)
set(gpu_tables ${CMAKE_SOURCE_DIR}/data/tables/gpus.toml ${CMAKE_SOURCE_DIR}/data/tables/cuda.toml)
set(gpu_tables_folder ${CMAKE_BINARY_DIR}/generated/knowledge)
set(gpu_tables_out ${gpu_tables_folder}/gpus_data.inc ${gpu_tables_folder}/cuda_data.inc ${gpu_tables_folder}/knowledge_date.inc)
if(CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${gpu_tables_out}
    COMMAND c++ -std=c++20 -O0 -o ${CMAKE_BINARY_DIR}/generate_gpu_tables ${CMAKE_CURRENT_LIST_DIR}/generate_gpu_tables.cpp
    COMMAND ${CMAKE_BINARY_DIR}/generate_gpu_tables ${gpu_tables_folder} ${gpu_tables} ${all_tables}
    DEPENDS ${all_tables} ${CMAKE_CURRENT_LIST_DIR}/generate_gpu_tables.cpp ${CMAKE_CURRENT_LIST_DIR}/toml_rows.h)
else()
  add_executable(generate_gpu_tables ${CMAKE_CURRENT_LIST_DIR}/generate_gpu_tables.cpp)
  add_custom_command(OUTPUT ${gpu_tables_out}
    COMMAND generate_gpu_tables ${gpu_tables_folder} ${gpu_tables} ${all_tables} DEPENDS ${all_tables} generate_gpu_tables)
endif()
add_custom_target(gpuway_gpu_tables DEPENDS ${gpu_tables_out})
if(NOT TARGET gpuway_tables)
  add_custom_target(gpuway_tables)
endif()
add_dependencies(gpuway_tables gpuway_gpu_tables)
