# Generated trees of small libraries: the machine's own loader against the replay.
set(loader_judge ${CMAKE_CURRENT_SOURCE_DIR}/loader_judge)
add_executable(trees_driver ${loader_judge}/trees_driver.cpp)
target_link_libraries(trees_driver PRIVATE gpuway_loader gpuway_probes gpuway_platform)
add_test(NAME loader_trees
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" --driver \"$2\" --work \"$3\" --seed 1 --trees 400" sh
                 ${loader_judge}/trees.py $<TARGET_FILE:trees_driver> ${CMAKE_BINARY_DIR}/loader-trees)
set_tests_properties(loader_trees PROPERTIES TIMEOUT 300)
# The folders of ld.so.conf, as ldconfig takes them.
add_test(NAME loader_conf
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\"" sh ${loader_judge}/conf.py $<TARGET_FILE:gpuway>)
set_tests_properties(loader_conf PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
