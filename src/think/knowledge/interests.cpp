#include "think/knowledge/interests.h"

#include "think/knowledge/python_needs.h"

namespace gpuway {

std::set<std::string> modules_wanted() {
  std::set<std::string> wanted = {"tensorflow", "keras", "tf_keras", "torch", "torchvision", "torchaudio", "jax", "jaxlib", "jax_plugins",
          "jax_cuda12_plugin", "jax_cuda13_plugin", "onnxruntime", "numpy", "google", "absl", "astunparse", "flatbuffers",
          "gast", "h5py", "ml_dtypes", "opt_einsum", "packaging", "requests", "six", "termcolor", "typing_extensions",
          "wrapt", "grpc", "tensorboard", "scipy", "filelock", "sympy", "networkx", "jinja2", "fsspec", "coloredlogs",
          "nvidia"};
  wanted.merge(modules_of_python_needs());
  return wanted;
}

std::set<std::string> distributions_wanted() {
  return {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-rocm", "tf-nightly", "tf-nightly-gpu",
          "tf-nightly-cpu", "intel-tensorflow", "tensorflow-directml", "tensorflow-directml-plugin", "tensorflow-cpu-aws",
          "tf-keras", "keras", "keras-nightly", "torch", "torchvision", "torchaudio", "jax", "jaxlib", "jax-cuda12-plugin",
          "jax-cuda12-pjrt", "jax-cuda13-plugin", "jax-cuda13-pjrt", "onnxruntime", "onnxruntime-gpu", "onnxruntime-directml",
          "onnxruntime-openvino", "onnxruntime-rocm", "numpy", "protobuf", "ml-dtypes", "h5py", "wrapt", "typing-extensions", "scipy"};
}

std::string knowledge_date() { return "2026-12-01"; }

}  // namespace gpuway
