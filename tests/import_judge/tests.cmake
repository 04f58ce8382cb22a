# The small part of the import judge: ONNX Runtime's CPU package in a real environment, 40 generated scenarios.
# The big run, with every framework: python3 tests/import_judge/judge.py --gpuway build/dev/gpuway --work build/import_judge
add_test(NAME import_judge_small COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/import_judge/judge.py
  --gpuway $<TARGET_FILE:gpuway> --work ${CMAKE_SOURCE_DIR}/build/import_judge --small --count 40)
set_tests_properties(import_judge_small PROPERTIES TIMEOUT 600 RUN_SERIAL ON)
