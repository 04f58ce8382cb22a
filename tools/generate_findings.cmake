# data/tables/findings.toml -> generated/knowledge/findings_data.inc, by a generator that the build machine's compiler
# builds. It sees the pins too, whose rows name findings. gpuway_tables is what the knowledge layer waits for.
set(findings_tables ${CMAKE_SOURCE_DIR}/data/tables/findings.toml ${CMAKE_SOURCE_DIR}/data/tables/python_pins.toml)
set(findings_out ${CMAKE_BINARY_DIR}/generated/knowledge/findings_data.inc)
if(CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${findings_out}
    COMMAND c++ -std=c++20 -O0 -o ${CMAKE_BINARY_DIR}/generate_findings ${CMAKE_CURRENT_LIST_DIR}/generate_findings.cpp
    COMMAND ${CMAKE_BINARY_DIR}/generate_findings ${findings_out} ${findings_tables}
    DEPENDS ${findings_tables} ${CMAKE_CURRENT_LIST_DIR}/generate_findings.cpp ${CMAKE_CURRENT_LIST_DIR}/toml_rows.h)
else()
  add_executable(generate_findings ${CMAKE_CURRENT_LIST_DIR}/generate_findings.cpp)
  add_custom_command(OUTPUT ${findings_out}
    COMMAND generate_findings ${findings_out} ${findings_tables} DEPENDS ${findings_tables} generate_findings)
endif()
add_custom_target(gpuway_findings_table DEPENDS ${findings_out})
if(NOT TARGET gpuway_tables)
  add_custom_target(gpuway_tables)
endif()
add_dependencies(gpuway_tables gpuway_findings_table)
