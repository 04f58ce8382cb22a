# Machines on paper: a brute-force program of its own decides whether a route may be proposed or refused.
set(routes_judge ${CMAKE_CURRENT_SOURCE_DIR}/routes_judge)
add_executable(routes_driver ${routes_judge}/routes_driver.cpp)
target_link_libraries(routes_driver PRIVATE gpuway_routes gpuway_render)
add_test(NAME routes_grid
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\" --count 2400 --seed 1" sh ${routes_judge}/grid.py $<TARGET_FILE:routes_driver>)
set_tests_properties(routes_grid PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
