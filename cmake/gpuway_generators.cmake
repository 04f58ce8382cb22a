# gpuway_generate(name OUT files... ARGUMENTS arguments... DEPENDS files... [LINK libraries...])
# builds tools/<name>.cpp for the machine that builds, also in a cross build, and runs it to make the files of OUT.
function(gpuway_generate name)
  cmake_parse_arguments(one "" "" "OUT;ARGUMENTS;DEPENDS;LINK" ${ARGN})
  set(source ${CMAKE_SOURCE_DIR}/tools/${name}.cpp)
  if(CMAKE_CROSSCOMPILING)
    find_program(GPUWAY_NATIVE_CXX c++ NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    set(program ${CMAKE_BINARY_DIR}/native/${name})
    add_custom_command(OUTPUT ${program}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/native
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${GPUWAY_NATIVE_CXX} -std=c++20 -O0 -o ${program} ${source}
      DEPENDS ${source} ${CMAKE_SOURCE_DIR}/tools/toml_rows.h)
  else()
    set(program ${name})
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${one_LINK})
  endif()
  add_custom_command(OUTPUT ${one_OUT} COMMAND ${program} ${one_ARGUMENTS} DEPENDS ${one_DEPENDS} ${program})
endfunction()

# gpuway_generated_table(target files...): the knowledge layer waits for these files.
function(gpuway_generated_table target)
  add_custom_target(${target} DEPENDS ${ARGN})
  if(NOT TARGET gpuway_tables)
    add_custom_target(gpuway_tables)
  endif()
  add_dependencies(gpuway_tables ${target})
endfunction()
