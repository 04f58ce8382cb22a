# data/messages/<lang>.json -> generated/say/messages_data.inc, by a generator that the build machine's compiler builds.
file(GLOB message_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/messages/*.json)
set(messages_out ${CMAKE_BINARY_DIR}/generated/say/messages_data.inc)
if(CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${messages_out}
    COMMAND c++ -std=c++20 -O0 -o ${CMAKE_BINARY_DIR}/generate_messages ${CMAKE_CURRENT_LIST_DIR}/generate_messages.cpp
    COMMAND ${CMAKE_BINARY_DIR}/generate_messages ${messages_out} ${message_files}
    DEPENDS ${message_files} ${CMAKE_CURRENT_LIST_DIR}/generate_messages.cpp)
else()
  add_executable(generate_messages ${CMAKE_CURRENT_LIST_DIR}/generate_messages.cpp)
  target_link_libraries(generate_messages PRIVATE nlohmann_json::nlohmann_json)
  add_custom_command(OUTPUT ${messages_out} COMMAND generate_messages ${messages_out} ${message_files} DEPENDS ${message_files} generate_messages)
endif()
add_custom_target(gpuway_messages_data DEPENDS ${messages_out})
