#include "think/formats/pep508_markers.h"

#include <algorithm>

#include "base/text.h"
#include "think/formats/pep440_specifiers.h"
#include "think/formats/python_files.h"

namespace gpuway {
namespace {

bool compares_versions(std::string_view variable) {
  return variable == "python_version" || variable == "python_full_version" || variable == "implementation_version" ||
         variable == "platform_release";
}

Error no_meaning(const Marker::Comparison& comparison) {
  return make_error(ErrorCode::unsupported, "marker: " + comparison.left.text + " " + comparison.op + " " +
                                                comparison.right.text + " has no meaning");
}

Result<bool> compare_texts(const Marker::Comparison& comparison, std::string_view left, std::string_view right) {
  const auto& op = comparison.op;
  if (op == "in") return right.find(left) != std::string_view::npos;
  if (op == "not in") return right.find(left) == std::string_view::npos;
  if (op == "==" || op == "<=" || op == ">=") return left == right;
  if (op == "!=") return left != right;
  if (op == "<" || op == ">") return false;
  return no_meaning(comparison);
}

class Evaluator {
 public:
  explicit Evaluator(const MarkerEnvironment& environment) : environment_(environment) {
    for (const auto& extra : environment.extras) extras_.insert(normalized_name(extra));
  }

  Result<bool> compare(const Marker::Comparison& comparison) const {
    const auto& [left, right, op] = comparison;
    // As installers do it: a variable on the left decides, and then the right side is text whatever it is.
    const auto& variable = left.is_variable ? left.text : right.text;
    const auto& literal = left.is_variable ? right.text : left.text;
    if (variable == "extra" && extras_.size() > 1) {
      if (op == "==") return extras_.contains(literal);
      if (op == "!=") return !extras_.contains(literal);
      return no_meaning(comparison);
    }
    GPUWAY_TRY_ASSIGN(const auto value, value_of(variable));
    const auto& left_text = left.is_variable ? value : literal;
    const auto& right_text = left.is_variable ? literal : value;
    if (compares_versions(variable) && op != "in" && op != "not in") {
      if (const auto specifier = parse_specifier(op + right_text)) return admits(*specifier, left_text);
    }
    return compare_texts(comparison, left_text, right_text);
  }

 private:
  Result<std::string> value_of(const std::string& variable) const {
    if (variable == "extra") return extras_.empty() ? std::string() : *extras_.begin();
    const auto found = environment_.values.find(variable);
    if (found == environment_.values.end()) {
      return make_error(ErrorCode::unsupported, "marker: no value for \"" + variable + "\"");
    }
    // A Python built from a checkout calls itself "3.13.0+", which is no version.
    if (variable == "python_full_version" && found->second.ends_with('+')) return found->second + "local";
    return found->second;
  }

  const MarkerEnvironment& environment_;
  std::set<std::string> extras_;
};

}  // namespace

MarkerEnvironment linux_marker_environment(std::string_view python_full_version, std::string_view machine) {
  MarkerEnvironment environment;
  const auto parts = split(python_full_version, '.');
  auto& values = environment.values;
  values["python_full_version"] = python_full_version;
  if (parts.size() >= 2) values["python_version"] = std::string(parts[0]) + "." + std::string(parts[1]);
  values["implementation_version"] = python_full_version;
  values["implementation_name"] = "cpython";
  values["platform_python_implementation"] = "CPython";
  values["os_name"] = "posix";
  values["sys_platform"] = "linux";
  values["platform_system"] = "Linux";
  if (!machine.empty()) values["platform_machine"] = machine;
  return environment;
}

Result<bool> evaluate(const Marker& marker, const MarkerEnvironment& environment) {
  const Evaluator evaluator(environment);
  std::vector<bool> stack;
  for (const auto& step : marker.steps) {
    if (step.kind == Marker::Step::Kind::compare) {
      GPUWAY_TRY_ASSIGN(const bool holds, evaluator.compare(marker.comparisons[step.index]));
      stack.push_back(holds);
      continue;
    }
    const bool right = stack.back();
    stack.pop_back();
    stack.back() = step.kind == Marker::Step::Kind::both ? stack.back() && right : stack.back() || right;
  }
  return stack.empty() || stack.back();
}

}  // namespace gpuway
