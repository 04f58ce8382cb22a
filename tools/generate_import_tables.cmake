# data/tables/{imports,python_pins}.toml -> generated/knowledge/{imports,python_pins}_data.inc.
set(import_tables ${CMAKE_SOURCE_DIR}/data/tables/imports.toml ${CMAKE_SOURCE_DIR}/data/tables/python_pins.toml)
set(import_tables_out ${CMAKE_BINARY_DIR}/generated/knowledge/imports_data.inc)
set(import_tables_also ${CMAKE_BINARY_DIR}/generated/knowledge/python_pins_data.inc)
gpuway_generate(generate_import_tables OUT ${import_tables_out} ${import_tables_also} ARGUMENTS ${import_tables_out} ${import_tables} DEPENDS ${import_tables})
gpuway_generated_table(gpuway_import_tables ${import_tables_out} ${import_tables_also})
