# The real loader and the published schema against `gpuway inspect`.
add_test(NAME inspect_judge
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\" \"$3\"" sh
                 ${CMAKE_CURRENT_SOURCE_DIR}/inspect_judge/judge.py $<TARGET_FILE:gpuway> ${CMAKE_SOURCE_DIR}/docs/schema/inspect.schema.json)
set_tests_properties(inspect_judge PROPERTIES TIMEOUT 300)
