# Bad input. The cases that need many files or minutes run with --big (tests/hostile/README.md).
add_test(NAME hostile COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/hostile/run.py --gpuway $<TARGET_FILE:gpuway>)
set_tests_properties(hostile PROPERTIES TIMEOUT 900)
