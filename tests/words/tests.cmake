# One vocabulary: the table of findings, the rules, the texts of both languages and docs/findings.md agree.
add_test(NAME words COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/words/check_words.py ${CMAKE_SOURCE_DIR})
add_test(NAME words_refusals COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/words/check_refusals.py
  $<TARGET_FILE:generate_findings> $<TARGET_FILE:generate_messages> ${CMAKE_SOURCE_DIR}/data)
