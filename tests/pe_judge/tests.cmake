# pefile against what is read of PE images; the images are Wine's own.
set(pe_judge ${CMAKE_CURRENT_SOURCE_DIR}/pe_judge)
add_executable(pe_driver ${pe_judge}/pe_driver.cpp)
target_link_libraries(pe_driver PRIVATE gpuway_formats nlohmann_json::nlohmann_json)
add_test(NAME pe_judge COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" --driver \"$2\" --limit 120" sh
                               ${pe_judge}/judge.py $<TARGET_FILE:pe_driver>)
set_tests_properties(pe_judge PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
