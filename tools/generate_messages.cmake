# data/messages/<lang>.json -> generated/say/messages_data.inc.
file(GLOB message_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/messages/*.json)
set(messages_out ${CMAKE_BINARY_DIR}/generated/say/messages_data.inc)
gpuway_generate(generate_messages OUT ${messages_out} ARGUMENTS ${messages_out} ${message_files} DEPENDS ${message_files} LINK nlohmann_json::nlohmann_json)
add_custom_target(gpuway_messages_data DEPENDS ${messages_out})
