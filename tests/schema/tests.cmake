# The published schemas: the Snapshot's is what the code says, and real answers keep to all of them.
add_executable(describe_snapshot ${CMAKE_SOURCE_DIR}/tools/describe_snapshot.cpp)
target_link_libraries(describe_snapshot PRIVATE gpuway_model nlohmann_json::nlohmann_json)
target_include_directories(describe_snapshot PRIVATE ${CMAKE_SOURCE_DIR}/tools)
add_test(NAME snapshot_schema COMMAND sh -c "\"$1\" \"$2\" | diff -u \"$3\" - || { echo 'run: describe_snapshot data/schema/snapshot.toml > docs/schema/snapshot.schema.json'; exit 1; }" sh
  $<TARGET_FILE:describe_snapshot> ${CMAKE_SOURCE_DIR}/data/schema/snapshot.toml ${CMAKE_SOURCE_DIR}/docs/schema/snapshot.schema.json)
add_test(NAME schemas
         COMMAND sh -c "exec \"\${GPUWAY_TEST_PYTHON:-python3}\" \"$1\" \"$2\" \"$3\"" sh
                 ${CMAKE_CURRENT_SOURCE_DIR}/schema/check_schemas.py $<TARGET_FILE:gpuway> ${CMAKE_SOURCE_DIR})
set_tests_properties(schemas PROPERTIES TIMEOUT 300)
