# data/tables/findings.toml -> generated/knowledge/findings_data.inc. The generator sees the pins too, whose rows name findings.
set(findings_tables ${CMAKE_SOURCE_DIR}/data/tables/findings.toml ${CMAKE_SOURCE_DIR}/data/tables/python_pins.toml)
set(findings_out ${CMAKE_BINARY_DIR}/generated/knowledge/findings_data.inc)
gpuway_generate(generate_findings OUT ${findings_out} ARGUMENTS ${findings_out} ${findings_tables} DEPENDS ${findings_tables})
gpuway_generated_table(gpuway_findings_table ${findings_out})
