# data/tables/loads.toml -> generated/knowledge/loads_data.inc, by a generator that the build machine's compiler builds.
set(loads_table ${CMAKE_SOURCE_DIR}/data/tables/loads.toml)
set(loads_out ${CMAKE_BINARY_DIR}/generated/knowledge/loads_data.inc)
if(CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${loads_out}
    COMMAND c++ -std=c++20 -O0 -o ${CMAKE_BINARY_DIR}/generate_loads ${CMAKE_CURRENT_LIST_DIR}/generate_loads.cpp
    COMMAND ${CMAKE_BINARY_DIR}/generate_loads ${loads_table} ${loads_out}
    DEPENDS ${loads_table} ${CMAKE_CURRENT_LIST_DIR}/generate_loads.cpp ${CMAKE_CURRENT_LIST_DIR}/toml_rows.h)
else()
  add_executable(generate_loads ${CMAKE_CURRENT_LIST_DIR}/generate_loads.cpp)
  add_custom_command(OUTPUT ${loads_out} COMMAND generate_loads ${loads_table} ${loads_out} DEPENDS ${loads_table} generate_loads)
endif()
add_custom_target(gpuway_loads_table DEPENDS ${loads_out})
if(NOT TARGET gpuway_tables)
  add_custom_target(gpuway_tables)
endif()
add_dependencies(gpuway_tables gpuway_loads_table)
