include(${CMAKE_CURRENT_LIST_DIR}/programs.cmake)
add_test(NAME host_contract COMMAND host_contract)
set_tests_properties(host_contract PROPERTIES TIMEOUT 120)
