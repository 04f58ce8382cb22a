# data/tables/{imports,python_pins}.toml -> generated/knowledge/{imports,python_pins}_data.inc, by a generator that the
# build machine's compiler builds. gpuway_tables is what src/CMakeLists.txt lets the knowledge layer wait for.
set(import_tables ${CMAKE_SOURCE_DIR}/data/tables/imports.toml ${CMAKE_SOURCE_DIR}/data/tables/python_pins.toml)
set(import_tables_out ${CMAKE_BINARY_DIR}/generated/knowledge/imports_data.inc)
set(import_tables_also ${CMAKE_BINARY_DIR}/generated/knowledge/python_pins_data.inc)
if(CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${import_tables_out} ${import_tables_also}
    COMMAND c++ -std=c++20 -O0 -o ${CMAKE_BINARY_DIR}/generate_import_tables ${CMAKE_CURRENT_LIST_DIR}/generate_import_tables.cpp
    COMMAND ${CMAKE_BINARY_DIR}/generate_import_tables ${import_tables_out} ${import_tables}
    DEPENDS ${import_tables} ${CMAKE_CURRENT_LIST_DIR}/generate_import_tables.cpp ${CMAKE_CURRENT_LIST_DIR}/toml_rows.h)
else()
  add_executable(generate_import_tables ${CMAKE_CURRENT_LIST_DIR}/generate_import_tables.cpp)
  add_custom_command(OUTPUT ${import_tables_out} ${import_tables_also}
    COMMAND generate_import_tables ${import_tables_out} ${import_tables} DEPENDS ${import_tables} generate_import_tables)
endif()
add_custom_target(gpuway_import_tables DEPENDS ${import_tables_out} ${import_tables_also})
if(NOT TARGET gpuway_tables)
  add_custom_target(gpuway_tables)
endif()
add_dependencies(gpuway_tables gpuway_import_tables)
