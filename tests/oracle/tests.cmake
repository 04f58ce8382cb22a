# The small selection of the oracle: real TensorFlow and ONNX Runtime against the program that was just built.
add_test(NAME oracle_smoke COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/oracle/run.py --gpuway $<TARGET_FILE:gpuway>
  --work ${CMAKE_SOURCE_DIR}/build/oracle --smoke)
set_tests_properties(oracle_smoke PROPERTIES TIMEOUT 1500 RUN_SERIAL ON SKIP_RETURN_CODE 77)
