# Generated trees of small DLLs: Wine's loader against the replay of Windows'.
set(wine_judge ${CMAKE_CURRENT_SOURCE_DIR}/wine_judge)
add_executable(windows_driver ${wine_judge}/windows_driver.cpp ${wine_judge}/wine_host.cpp)
target_link_libraries(windows_driver PRIVATE gpuway_loader gpuway_probes gpuway_platform)
add_test(NAME wine_loader
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" --driver \"$2\" --work \"$3\" --seed 1 --trees 60" sh
                 ${wine_judge}/trees.py $<TARGET_FILE:windows_driver> ${CMAKE_BINARY_DIR}/wine-judge)
set_tests_properties(wine_loader PROPERTIES LABELS wine SKIP_RETURN_CODE 77 TIMEOUT 600)
