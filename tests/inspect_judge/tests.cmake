# The real loader and the published schema against `gpuway inspect`.
add_test(NAME inspect_judge
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\" \"$3\"" sh
                 ${CMAKE_CURRENT_SOURCE_DIR}/inspect_judge/judge.py $<TARGET_FILE:gpuway> ${CMAKE_SOURCE_DIR}/docs/schema/inspect.schema.json)
set_tests_properties(inspect_judge PROPERTIES TIMEOUT 300)
# Every library of this system, as the loader itself lists it (the big run takes the oracle's environments too: docs/loader.md).
add_test(NAME loader_real
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\" /usr/lib/x86_64-linux-gnu --limit 1500" sh
                 ${CMAKE_SOURCE_DIR}/tests/loader_judge/judge_real.py $<TARGET_FILE:gpuway>)
set_tests_properties(loader_real PROPERTIES TIMEOUT 300)
