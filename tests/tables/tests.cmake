# Faulty tables must stop the build with a message that names the row.
add_test(NAME table_refusals COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/tables/check_refusals.py
  $<TARGET_FILE:generate_gpu_tables> $<TARGET_FILE:generate_loads> $<TARGET_FILE:generate_wsl_keys> ${CMAKE_SOURCE_DIR}/data/tables)
