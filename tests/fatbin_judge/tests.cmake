# NVIDIA's own cuobjdump (from the package index) against what is read of the GPU code in NVIDIA's libraries.
set(fatbin_judge ${CMAKE_CURRENT_SOURCE_DIR}/fatbin_judge)
add_executable(fatbin_driver ${fatbin_judge}/fatbin_driver.cpp)
target_link_libraries(fatbin_driver PRIVATE gpuway_formats)
add_test(NAME fatbin_judge
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" --driver \"$2\" --work \"$3\"" sh
                 ${fatbin_judge}/judge.py $<TARGET_FILE:fatbin_driver> ${CMAKE_SOURCE_DIR}/build/fatbin-judge)
set_tests_properties(fatbin_judge PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
