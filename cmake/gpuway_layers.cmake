# One folder is one library that links only what the arrows of docs/architecture.md allow.
#   gpuway_layer(name folder [allowed layers and libraries...])
# Files of a folder and the folders in it are picked up by name, so that a new file needs no edit here.
function(gpuway_layer name folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC gpuway_options ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE gpuway_options ${ARGN})
  endif()
endfunction()
