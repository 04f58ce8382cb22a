# Programs that tests/windows runs under Wine, built by the `windows` preset.
include(${CMAKE_SOURCE_DIR}/tests/host_contract/programs.cmake)
target_sources(host_contract PRIVATE ${CMAKE_CURRENT_LIST_DIR}/registry_test.cpp ${CMAKE_CURRENT_LIST_DIR}/graphics_test.cpp)
target_link_libraries(host_contract PRIVATE shell32)
add_library(dxgi_double SHARED ${CMAKE_CURRENT_LIST_DIR}/dxgi_double.cpp)
set_target_properties(dxgi_double PROPERTIES PREFIX "" OUTPUT_NAME dxgi RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles)
target_link_options(dxgi_double PRIVATE -static)
