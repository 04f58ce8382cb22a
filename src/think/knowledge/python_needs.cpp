#include "think/knowledge/python_needs.h"

namespace gpuway {
namespace {

constexpr std::string_view k_hard_tensorflow[] = {
    "absl",       "astunparse", "certifi", "flatbuffers", "gast",      "google",           "idna",    "numpy",
    "opt_einsum", "packaging",  "requests", "six",        "termcolor", "typing_extensions", "urllib3", "wrapt"};
constexpr std::string_view k_hard_jax[] = {"jaxlib", "ml_dtypes", "numpy", "opt_einsum"};
constexpr std::string_view k_hard_pytorch[] = {"typing_extensions"};
constexpr std::string_view k_hard_onnxruntime[] = {"numpy"};

constexpr std::string_view k_shadowed_jax[] = {
    "__future__", "_blake2", "_compat_pickle", "_compression", "_contextvars", "_datetime", "_hashlib",
    "_posixsubprocess", "_random", "_socket", "_struct", "_sysconfigdata__linux_x86_64-linux-gnu", "_uuid",
    "_weakrefset", "ast", "base64", "binascii", "bisect", "cmd", "collections", "contextlib", "contextvars",
    "copyreg", "dataclasses", "datetime", "decimal", "dis", "email", "enum", "functools", "heapq", "http",
    "importlib", "inspect", "jaxlib", "keyword", "logging", "math", "ml_dtypes", "numbers", "numpy", "opcode",
    "operator", "opt_einsum", "pathlib", "platform", "quopri", "random", "re", "reprlib", "select", "selectors",
    "socket", "socketserver", "string", "struct", "sysconfig", "textwrap", "threading", "token", "tokenize",
    "types", "typing", "urllib", "warnings", "weakref", "zlib"};

constexpr std::string_view k_shadowed_onnxruntime[] = {
    "__future__", "_compat_pickle", "_contextvars", "_datetime", "_struct", "_weakrefset", "ast", "collections",
    "contextlib", "contextvars", "copyreg", "datetime", "dis", "enum", "functools", "importlib", "inspect",
    "keyword", "linecache", "math", "numbers", "numpy", "opcode", "operator", "platform", "re", "reprlib", "struct",
    "textwrap", "token", "tokenize", "types", "typing", "warnings"};

constexpr std::string_view k_shadowed_pytorch[] = {
    "__future__", "_asyncio", "_blake2", "_compat_pickle", "_compression", "_contextvars", "_csv", "_ctypes",
    "_datetime", "_hashlib", "_posixsubprocess", "_random", "_socket", "_struct", "_uuid", "_weakrefset", "ast",
    "asyncio", "base64", "binascii", "bisect", "cmath", "collections", "concurrent", "contextlib", "contextvars",
    "copy", "copyreg", "ctypes", "dataclasses", "datetime", "dill", "dis", "email", "enum", "fnmatch", "functools",
    "gettext", "glob", "heapq", "http", "importlib", "inspect", "json", "keyword", "linecache", "logging", "math",
    "mmap", "multiprocessing", "numbers", "numpy", "opcode", "operator", "pathlib", "pickle", "platform", "pydot",
    "queue", "quopri", "random", "re", "reprlib", "select", "selectors", "socket", "ssl", "string", "struct",
    "subprocess", "tempfile", "textwrap", "threading", "timeit", "token", "tokenize", "traceback", "types",
    "typing", "typing_extensions", "unittest", "urllib", "warnings", "weakref", "zlib"};

constexpr std::string_view k_shadowed_tensorflow[] = {
    "__future__", "_asyncio", "_blake2", "_compat_pickle", "_compression", "_contextvars", "_csv", "_ctypes",
    "_datetime", "_hashlib", "_posixsubprocess", "_random", "_socket", "_struct", "_uuid", "_weakrefset", "absl",
    "ast", "asyncio", "base64", "bdb", "binascii", "bisect", "brotli", "brotlicffi", "calendar", "certifi", "cmd",
    "codeop", "concurrent", "contextvars", "copyreg", "ctypes", "dataclasses", "datetime", "decimal", "dis",
    "email", "enum", "flatbuffers", "fnmatch", "gast", "gettext", "heapq", "http", "inspect", "ipaddress", "json",
    "linecache", "logging", "math", "multiprocessing", "numbers", "numpy", "opcode", "packaging", "pathlib",
    "pickle", "platform", "queue", "quopri", "random", "re", "select", "selectors", "simplejson", "six", "socket",
    "ssl", "string", "struct", "subprocess", "tempfile", "textwrap", "threading", "token", "tokenize", "traceback",
    "typing", "typing_extensions", "unicodedata", "unittest", "urllib", "urllib3", "weakref", "wrapt", "xml", "zlib"};

constexpr BreakingRange k_ranges[] = {
    {"tensorflow", 10, 17, "numpy", "", "2", "numpy2-abi-break", "numpy<2"},
    {"tensorflow", 18, 99, "numpy", "1.26", "", "ml-dtypes-conflict", "numpy>=1.26"},
    {"onnxruntime", 17, 18, "numpy", "", "2", "numpy2-abi-break", "numpy<2"},
    {"jax", 10, 99, "numpy", "2", "", "ml-dtypes-conflict", "numpy>=2"},
    {"tensorflow", 10, 10, "protobuf", "", "4", "protobuf-too-new", "protobuf<3.20"},
    {"tensorflow", 12, 19, "protobuf", "3.20", "", "ml-dtypes-conflict", "protobuf>=3.20.3"},
    {"tensorflow", 20, 99, "protobuf", "5.28.3", "", "ml-dtypes-conflict", "protobuf>=5.28.3"},
    {"tensorflow", 15, 17, "ml-dtypes", "0.2", "", "ml-dtypes-conflict", "ml_dtypes>=0.2"},
    {"tensorflow", 18, 19, "ml-dtypes", "0.4", "", "ml-dtypes-conflict", "ml_dtypes>=0.4"},
    {"tensorflow", 20, 99, "ml-dtypes", "0.5", "", "ml-dtypes-conflict", "ml_dtypes>=0.5"},
    {"jax", 4, 6, "ml-dtypes", "0.4", "", "ml-dtypes-conflict", "ml_dtypes>=0.4"},
    {"jax", 7, 99, "ml-dtypes", "0.5", "", "ml-dtypes-conflict", "ml_dtypes>=0.5"},
    {"tensorflow", 20, 99, "typing-extensions", "4.6", "", "ml-dtypes-conflict", "typing_extensions>=4.6"},
    {"pytorch", 6, 99, "typing-extensions", "4.6", "", "ml-dtypes-conflict", "typing_extensions>=4.10"},
};

}  // namespace

std::vector<std::string_view> hard_modules(std::string_view framework, int major, int minor) {
  std::vector<std::string_view> out;
  if (framework == "tensorflow" && major == 2 && minor >= 10) {
    out.assign(std::begin(k_hard_tensorflow), std::end(k_hard_tensorflow));
    if (minor >= 14) out.emplace_back("ml_dtypes");
  }
  if (framework == "jax" && (major > 0 || minor >= 4)) out.assign(std::begin(k_hard_jax), std::end(k_hard_jax));
  if (framework == "pytorch" && major == 2 && minor >= 6) out.assign(std::begin(k_hard_pytorch), std::end(k_hard_pytorch));
  if (framework == "onnxruntime") out.assign(std::begin(k_hard_onnxruntime), std::end(k_hard_onnxruntime));
  return out;
}

std::span<const std::string_view> modules_that_break_when_shadowed(std::string_view framework) {
  if (framework == "tensorflow") return k_shadowed_tensorflow;
  if (framework == "pytorch") return k_shadowed_pytorch;
  if (framework == "jax") return k_shadowed_jax;
  if (framework == "onnxruntime") return k_shadowed_onnxruntime;
  return {};
}

std::span<const BreakingRange> breaking_ranges() { return k_ranges; }

std::set<std::string> modules_of_python_needs() {
  std::set<std::string> out = {"ml_dtypes"};
  for (const auto framework : {"tensorflow", "pytorch", "jax", "onnxruntime"}) {
    for (const auto name : modules_that_break_when_shadowed(framework)) out.emplace(name);
  }
  for (const auto name : k_hard_tensorflow) out.emplace(name);
  for (const auto name : k_hard_jax) out.emplace(name);
  return out;
}

}  // namespace gpuway
