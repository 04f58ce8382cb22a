# The program as people and scripts call it: stdout, stderr and exit code.
add_test(NAME cli COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.py $<TARGET_FILE:gpuway> $<TARGET_FILE:machines_runner>)
set_tests_properties(cli PROPERTIES TIMEOUT 120)
