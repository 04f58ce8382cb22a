#pragma once

#include <compare>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"

namespace gpuway {

/// Where a fact comes from, exact enough that a person can look again.
struct Source {
  enum class Kind : unsigned char { none, file, folder, variable, command, library_call, registry, table, derived };
  Kind kind = Kind::none;
  std::string where;  // path (with `:line` or `@offset`), variable name, command line, symbol, table and row

  auto operator<=>(const Source&) const = default;
};

enum class FactState : unsigned char { undetermined, absent, known };

/// Three answers, never two: known with a value, proven absent, or undetermined with the reason.
/// An empty string or list is a value; it never stands for "could not look".
template <class T>
struct Fact {
  FactState state = FactState::undetermined;
  std::optional<T> value;                      // set exactly when known
  ErrorCode reason = ErrorCode::not_looked;    // why undetermined; meaningless otherwise
  std::string detail;                          // the numbers behind `reason`, or empty
  Source source;

  bool is_known() const { return state == FactState::known; }
  bool is_absent() const { return state == FactState::absent; }
  bool is_undetermined() const { return state == FactState::undetermined; }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
  T value_or(T other) const { return value ? *value : std::move(other); }

  static Fact known(T what, Source from) {
    return {FactState::known, std::move(what), ErrorCode::not_looked, {}, std::move(from)};
  }
  static Fact absent(Source from) { return {FactState::absent, std::nullopt, ErrorCode::not_looked, {}, std::move(from)}; }
  static Fact undetermined(ErrorCode why, std::string detail, Source from) {
    return {FactState::undetermined, std::nullopt, why, std::move(detail), std::move(from)};
  }
  /// not_found becomes absent; every other error becomes undetermined with its reason.
  static Fact from_error(const Error& error, Source from) {
    if (error.code == ErrorCode::not_found) return absent(std::move(from));
    return undetermined(error.code, error.detail, std::move(from));
  }
};

}  // namespace gpuway
