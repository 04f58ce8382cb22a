# Judges from outside for what is read of Python: the `packaging` library and real interpreters. The Python that runs
# them is GPUWAY_TEST_PYTHON (made by ./dev test with tests/requirements.txt); without it the first is skipped, loudly.
set(python_judge ${CMAKE_CURRENT_SOURCE_DIR}/python_judge)
add_executable(pep_driver ${python_judge}/pep_driver.cpp)
target_link_libraries(pep_driver PRIVATE gpuway_formats)
add_test(NAME python_judge_pep
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\"" sh ${python_judge}/judge_pep.py $<TARGET_FILE:pep_driver>)
set_tests_properties(python_judge_pep PROPERTIES SKIP_RETURN_CODE 77)

add_executable(python_env_dump ${python_judge}/python_env_dump.cpp)
target_link_libraries(python_env_dump PRIVATE gpuway_probes gpuway_platform)
add_test(NAME python_judge_environments
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\"" sh ${python_judge}/judge_environments.py $<TARGET_FILE:python_env_dump>)
