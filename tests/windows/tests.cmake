# The Linux half of the wsl.exe double.
add_executable(wsl_relay ${CMAKE_SOURCE_DIR}/tests/windows/wsl_double/relay.c)
# The Windows program under Wine. What it runs is built by the preset `windows`; without it, or without Wine, it is skipped.
add_test(NAME windows_program
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\" \"$3\" \"$4\" \"$5\"" sh
                 ${CMAKE_SOURCE_DIR}/tests/windows/run.py ${CMAKE_SOURCE_DIR}/build/windows $<TARGET_FILE:gpuway> $<TARGET_FILE:machines_runner> $<TARGET_FILE:wsl_relay>)
set_tests_properties(windows_program PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 LABELS wine)
