#include "say/lock/lock_files.h"

#include <string_view>

namespace gpuway {
namespace {


std::string requirements(const Route& route) {
  std::string out = "# " + route.id + ": " + route.package + " " + route.version + " for Python " + route.python + "\n";
  if (!route.index.empty()) out += "--extra-index-url " + route.index + "\n";
  for (const auto& one : route.install) out += one + "\n";
  if (!route.extra.empty()) out += "# Without these bounds the newest ones would be taken, which do not work with it.\n";
  for (const auto& one : route.extra) out += one + "\n";
  return out;
}

// A question that each framework answers by itself.
std::string verify(const Route& route) {
  if (route.framework == "pytorch" && route.gpu == "directml") {
    return "import torch, torch_directml\n\ndevice = torch_directml.device()\nprint(torch_directml.device_name(0), (torch.ones(2, device=device) + 1).cpu())\n";
  }
  if (route.framework == "pytorch") {
    const std::string module = route.gpu == "xpu" ? "xpu" : "cuda";
    return "import torch\n\nassert torch." + module + ".is_available(), \"torch sees no GPU\"\nprint(torch." + module + ".get_device_name(0), (torch.ones(2, device=\"" + module + "\") + 1).cpu())\n";
  }
  if (route.framework == "jax") return "import jax, jax.numpy\n\nassert jax.default_backend() == \"gpu\", jax.devices()\nprint(jax.devices(), jax.numpy.ones(2) + 1)\n";
  if (route.framework == "onnxruntime") {
    const std::string provider = route.gpu == "directml" ? "DmlExecutionProvider" : "CUDAExecutionProvider";
    const std::string preload = route.gpu == "cuda" ? "onnxruntime.preload_dlls()   # finds the libraries of NVIDIA's wheels\n" : "";
    return "import onnxruntime\n\n" + preload + "assert \"" + provider + "\" in onnxruntime.get_available_providers()\nprint(onnxruntime.get_available_providers())\n";
  }
  return "import tensorflow as tf\n\ngpus = tf.config.list_physical_devices(\"GPU\")\nassert gpus, \"TensorFlow sees no GPU\"\nwith tf.device(\"GPU:0\"):\n    print(gpus, (tf.ones(2) + 1).numpy())\n";
}

std::string cpu_verify(const Route& route) {
  const auto module = route.framework == "pytorch" ? std::string("torch") : route.framework;
  return "import " + module + "\n\nprint(" + module + ".__version__)\n";
}

std::string keras_line(const Route& route) {
  return route.keeps_code ? std::string() : route.framework == "pytorch" ? "torch" : "jax";
}

std::string setup_sh(const Route& route) {
  const auto backend = keras_line(route);
  std::string out =
      "#!/bin/sh\n"
      "# Makes the environment ./gpu-env and installs what requirements.txt names. May be run again.\n"
      "set -eu\n"
      "cd \"$(dirname \"$0\")\"\n"
      "python=python" + route.python + "\n"
      "if ! command -v \"$python\" >/dev/null; then\n"
      "  echo \"$python is not installed; 'uv python install " + route.python + "' or the system's packages bring it\" >&2\n"
      "  exit 1\n"
      "fi\n"
      "[ -x gpu-env/bin/python ] || \"$python\" -m venv gpu-env\n"
      "gpu-env/bin/python -m pip install --upgrade pip\n"
      "gpu-env/bin/python -m pip install -r requirements.txt\n";
  if (!backend.empty()) out += "export KERAS_BACKEND=" + backend + "   # set it wherever the programs run\n";
  return out + "gpu-env/bin/python verify.py\n";
}

// Windows PowerShell 5 is on every Windows; nothing here needs a newer one.
std::string setup_ps1(const Route& route) {
  const auto backend = keras_line(route);
  std::string out =
      "# Makes the environment .\\gpu-env and installs what requirements.txt names. May be run again.\n"
      "$ErrorActionPreference = 'Stop'\n"
      "Set-Location $PSScriptRoot\n"
      "function Assert-Success { if ($LASTEXITCODE -ne 0) { throw \"the last command ended with $LASTEXITCODE\" } }\n";
  if (!route.cuda.empty()) {
    out += "# CUDA and cuDNN come from conda, beside Python.\n"
           "if (-not (Test-Path gpu-env)) { conda env create --prefix .\\gpu-env --file environment.yml; Assert-Success }\n"
           "conda run --prefix .\\gpu-env python verify.py\n"
           "Assert-Success\n";
    return out;
  }
  out += "if (-not (Test-Path gpu-env\\Scripts\\python.exe)) { py -" + route.python + " -m venv gpu-env; Assert-Success }\n"
         "gpu-env\\Scripts\\python.exe -m pip install --upgrade pip\nAssert-Success\n"
         "gpu-env\\Scripts\\python.exe -m pip install -r requirements.txt\nAssert-Success\n";
  if (!backend.empty()) out += "$env:KERAS_BACKEND = '" + backend + "'   # set it wherever the programs run\n";
  return out + "gpu-env\\Scripts\\python.exe verify.py\nAssert-Success\n";
}

std::string environment_yml(const Route& route) {
  std::string out = "# CUDA " + route.cuda + " and cuDNN " + route.cudnn + " lie in the environment itself, where this build finds them.\nname: gpu-env\nchannels:\n  - conda-forge\ndependencies:\n  - python=" +
                    route.python + "\n  - cudatoolkit=" + route.cuda + "\n  - cudnn=" + route.cudnn + "\n  - pip\n  - pip:\n";
  for (const auto* list : {&route.install, &route.extra}) {
    for (const auto& one : *list) out += "      - \"" + one + "\"\n";
  }
  return out;
}

std::string dockerfile(const Route& route) {
  const auto backend = keras_line(route);
  return "# The wheels bring CUDA; the driver's libraries come from the machine that the container runs on.\n"
         "FROM python:" + route.python + "-slim\n"
         "ENV NVIDIA_VISIBLE_DEVICES=all \\\n    NVIDIA_DRIVER_CAPABILITIES=compute,utility" + (backend.empty() ? "" : " \\\n    KERAS_BACKEND=" + backend) + "\n"
         "WORKDIR /app\n"
         "COPY requirements.txt verify.py ./\n"
         "RUN pip install --no-cache-dir -r requirements.txt\n"
         "CMD [\"python\", \"verify.py\"]\n";
}

constexpr std::string_view kCompose =
    "services:\n  gpu:\n    build: .\n    deploy:\n      resources:\n        reservations:\n          devices:\n            - driver: nvidia\n              count: all\n              capabilities: [gpu]\n";
constexpr std::string_view kDevcontainer =
    "{\n  \"name\": \"gpu\",\n  \"build\": { \"dockerfile\": \"../Dockerfile\", \"context\": \"..\" },\n  \"runArgs\": [\"--gpus\", \"all\"]\n}\n";

std::string setup_wsl(const Route& route, const RouteMachine& machine) {
  std::string out = "# Runs setup.sh inside WSL 2. May be run again.\n$ErrorActionPreference = 'Stop'\nSet-Location $PSScriptRoot\n";
  if (machine.wsl != "ready") {
    out += "# As administrator; Windows may want a restart, after which this is run once more.\nwsl.exe --install\nif ($LASTEXITCODE -ne 0) { throw \"wsl.exe --install ended with $LASTEXITCODE\" }\n";
  }
  const auto distribution = machine.distribution.empty() ? std::string() : " -d " + machine.distribution;
  static_cast<void>(route);
  return out + "wsl.exe" + distribution + " --exec /bin/sh ./setup.sh\nif ($LASTEXITCODE -ne 0) { throw \"setup.sh ended with $LASTEXITCODE\" }\n";
}

}  // namespace

std::map<std::string, std::string> lock_files(const Route& route, const RouteMachine& machine) {
  std::map<std::string, std::string> files;
  if (route.install.empty()) return files;
  files["requirements.txt"] = requirements(route);
  files["verify.py"] = route.gpu == "none" ? cpu_verify(route) : verify(route);
  if (route.place == "container") {
    files["Dockerfile"] = dockerfile(route);
    files["compose.yaml"] = kCompose;
    files[".devcontainer/devcontainer.json"] = kDevcontainer;
    return files;
  }
  if (route.place == "wsl" || machine.system != "windows") files["setup.sh"] = setup_sh(route);
  if (route.place == "wsl") files["setup.ps1"] = setup_wsl(route, machine);
  if (route.place == "native" && machine.system == "windows") {
    files["setup.ps1"] = setup_ps1(route);
    if (!route.cuda.empty()) files["environment.yml"] = environment_yml(route);
  }
  return files;
}

}  // namespace gpuway
