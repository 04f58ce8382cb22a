# Machines made for the tests: each folder with a case.json is one test (docs/machines.md).
add_executable(machines_runner ${CMAKE_CURRENT_SOURCE_DIR}/machines/runner.cpp)
target_link_libraries(machines_runner PRIVATE gpuway_commands nlohmann_json::nlohmann_json)
file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/machines/*/case.json)
foreach(case ${cases})
  get_filename_component(folder ${case} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  add_test(NAME machine_${name} COMMAND machines_runner ${folder})
endforeach()
