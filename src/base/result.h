#pragma once

#include <expected>
#include <string>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace gpuway {

/// A value or an Error. Never discarded, never a reference or raw pointer inside.
template <class T>
class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_pointer_v<T>, "a Result owns its value");

 public:
  Result(T value) : content_(std::move(value)) {}                        // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::unexpected(std::move(error))) {}   // NOLINT(google-explicit-constructor)

  bool has_value() const { return content_.has_value(); }
  explicit operator bool() const { return has_value(); }

  T& value() & { return content_.value(); }
  const T& value() const& { return content_.value(); }
  T&& value() && = delete;  // no value out of an unchecked temporary
  T& operator*() & { return *content_; }
  const T& operator*() const& { return *content_; }
  T* operator->() { return &*content_; }
  const T* operator->() const { return &*content_; }

  /// Moves the value out. Only after has_value().
  T take() { return std::move(*content_); }
  T value_or(T other) const& { return content_.value_or(std::move(other)); }

  const Error& error() const { return content_.error(); }
  Error take_error() { return std::move(content_.error()); }

 private:
  std::expected<T, Error> content_;
};

/// Success without a value.
struct Done {};
using Status = Result<Done>;

/// Builds an Error without frames.
inline Error make_error(ErrorCode code, std::string detail) { return Error{code, std::move(detail), std::nullopt, {}}; }

/// Adds an outer frame to an error on its way up.
inline Error in_frame(Error error, std::string frame) {
  if (!frame.empty()) error.frames.push_back(std::move(frame));
  return error;
}

namespace detail {
template <class T>
Error leave(Result<T>& result, std::string frame = {}) {
  return in_frame(result.take_error(), std::move(frame));
}
}  // namespace detail

}  // namespace gpuway

#define GPUWAY_JOIN_(a, b) a##b
#define GPUWAY_JOIN(a, b) GPUWAY_JOIN_(a, b)

/// GPUWAY_TRY(expression [, "frame"]): leaves the function with the error, or goes on.
#define GPUWAY_TRY(expression, ...)                                       \
  do {                                                                    \
    auto gpuway_result_ = (expression);                                   \
    if (!gpuway_result_) return ::gpuway::detail::leave(gpuway_result_ __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)

/// GPUWAY_TRY_ASSIGN(auto x, expression [, "frame"]): the same, and names the value.
#define GPUWAY_TRY_ASSIGN(target, expression, ...) \
  GPUWAY_TRY_ASSIGN_(GPUWAY_JOIN(gpuway_result_, __LINE__), target, expression __VA_OPT__(, ) __VA_ARGS__)
#define GPUWAY_TRY_ASSIGN_(name, target, expression, ...)                       \
  auto name = (expression);                                                     \
  if (!name) return ::gpuway::detail::leave(name __VA_OPT__(, ) __VA_ARGS__);   \
  target = name.take()
