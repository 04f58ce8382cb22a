#include "think/explain/signatures.h"

namespace gpuway {
namespace {

#include "explain/signatures_data.inc"

}  // namespace

std::span<const LiteralRow> literal_rows() { return kLiterals; }
std::span<const SignatureRow> signature_rows() { return kSignatures; }
std::span<const FactRow> fact_rows() { return kFacts; }
std::span<const QuestionRow> question_rows() { return kQuestions; }

std::span<const std::uint16_t> rows_using(const LiteralRow& literal) {
  return std::span(kUsers).subspan(literal.users.first, literal.users.count);
}
std::span<const std::uint16_t> literals_of(Slice slice) { return std::span(kIndexes).subspan(slice.first, slice.count); }

}  // namespace gpuway
