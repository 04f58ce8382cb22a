# What every live host must do, the same source on every system: beside it, the driver library that it is asked with.
set(host_contract ${CMAKE_SOURCE_DIR}/tests/host_contract)
file(GLOB contract_sources CONFIGURE_DEPENDS ${host_contract}/*_test.cpp)
add_executable(host_contract ${contract_sources} ${host_contract}/contract_main.cpp ${host_contract}/system_${GPUWAY_PLATFORM}.cpp)
target_link_libraries(host_contract PRIVATE gpuway_gtest gpuway_platform)
target_include_directories(host_contract PRIVATE ${CMAKE_SOURCE_DIR}/tests)
add_library(driver_double SHARED ${host_contract}/driver_double.c)
set_target_properties(driver_double PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
add_dependencies(host_contract driver_double)
