# One place for what counts as a fault at compile time. Every target of ours links gpuway_options.
add_library(gpuway_options INTERFACE)
target_compile_options(gpuway_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough -Werror
  -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 takes a std::variant or std::optional in an inlined std::expected for uninitialised.
  target_compile_options(gpuway_options INTERFACE -Wno-maybe-uninitialized -Wno-null-dereference -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ 12 uses its own deprecated get_temporary_buffer in std::stable_sort.
  target_compile_options(gpuway_options INTERFACE -Wno-deprecated-declarations)
endif()
target_link_options(gpuway_options INTERFACE -Wl,--gc-sections)
target_include_directories(gpuway_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(gpuway_options INTERFACE GPUWAY_VERSION="${PROJECT_VERSION}")
