"""The real environments: which packages, which Python, which stub set, which questions they can be asked.

Built with uv under WORK/env from the package index that pip is configured for. The NVIDIA wheels are left out (stubs take
their place) except in the one environment that is judged with the vendor's real files."""

import glob
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass
class Environment:
    name: str
    framework: str
    python: str                     # "3.11"
    packages: list                  # installed with their dependencies
    bare: list = field(default_factory=list)   # installed without (their NVIDIA dependencies are replaced by stubs)
    set: str = ""                   # of stubs.SETS; empty: the vendor's own libraries are installed
    place: str = "wheels"           # where that set belongs: "wheels" or "ldpath"
    fast: bool = False              # can be asked by tf_fast
    healthy_path: list = field(default_factory=list)  # LD_LIBRARY_PATH without which a right machine finds no GPU
    release: tuple = ()
    # From 9.0 on the plug-in asks for the device's bus id through the vendor's runtime inside it, which refuses the driver
    # double and ends the process: nothing can be asked there.
    below_hopper: bool = False
    backend: str = ""               # of Keras: the framework that computes
    variables: dict = field(default_factory=dict)  # what the right machine sets
    shares: str = ""                # the environment whose prefix this one is asked in
    cpu: bool = False               # a build without CUDA wins: the right answer is no

    @property
    def engine(self):
        """The framework whose libraries and packages decide."""
        return self.backend or self.framework

    @property
    def real(self):
        """Whether it holds the vendor's own libraries, which refuse the driver double."""
        return self.name.endswith("-real")

    def prefix(self, work):
        return os.path.join(work, "env", self.shares or self.name)


def _tensorflow(version, python, stubs, place="wheels", path=()):
    release = tuple(int(part) for part in version.split("."))
    packages = [f"tensorflow=={version}"]
    if release < (2, 9):
        packages.append("protobuf<3.21")  # likewise: their generated code ends with protobuf 3
    if release < (2, 15):
        packages.append("numpy<2")  # these wheels' own requirement has no upper bound
    return Environment(f"tf-{version}", "tensorflow", python, packages, set=stubs, place=place, fast=True,
                       healthy_path=list(path), release=release)


def _keras(name, backend, python, stubs, shares, release):
    """Keras asked in the environment of its backend, which brings it."""
    return Environment(name, "keras", python, [], set=stubs, release=release, backend=backend, shares=shares)


_TORCH = ["typing-extensions", "mpmath", "filelock", "networkx", "jinja2", "fsspec", "markupsafe", "numpy", "setuptools"]
_CUSOLVER = ["{site}/nvidia/cusolver/lib"]  # 2.21.0's run path lacks it (a real fault of that release)
ENVIRONMENTS = {environment.name: environment for environment in [
    _tensorflow("2.5.3", "3.9", "cu11-cudnn8", "ldpath"),
    _tensorflow("2.8.4", "3.10", "cu11-cudnn8", "ldpath"),
    _tensorflow("2.10.1", "3.10", "cu11-cudnn8", "ldpath"),
    _tensorflow("2.12.1", "3.11", "cu11-cudnn8", "ldpath"),
    _tensorflow("2.14.1", "3.11", "cu11-cudnn8", "ldpath"),
    _tensorflow("2.15.1", "3.11", "cu12-cudnn8"),
    _tensorflow("2.16.2", "3.12", "cu12-cudnn8"),
    _tensorflow("2.17.1", "3.11", "cu12-cudnn8"),
    _tensorflow("2.18.1", "3.11", "cu12-cudnn9"),
    _tensorflow("2.19.1", "3.11", "cu12-cudnn9"),
    _tensorflow("2.20.0", "3.12", "cu12-cudnn9"),
    _tensorflow("2.21.0", "3.12", "cu12-cudnn9", path=_CUSOLVER),
    Environment("tf-2.21.0-real", "tensorflow", "3.12", ["tensorflow[and-cuda]==2.21.0"], fast=True, healthy_path=_CUSOLVER,
                release=(2, 21, 0)),
    Environment("tf-cpu-2.18.1", "tensorflow", "3.11", ["tensorflow-cpu==2.18.1"], set="cu12-cudnn9", fast=True, release=(2, 18, 1), cpu=True),
    Environment("torch-2.4.1", "pytorch", "3.11", [*_TORCH, "sympy"], ["torch==2.4.1"], "cu12-torch", release=(2, 4, 1)),
    Environment("torch-2.6.0", "pytorch", "3.11", [*_TORCH, "sympy==1.13.1"], ["torch==2.6.0"], "cu12-torch", release=(2, 6, 0)),
    Environment("torch-2.15.0", "pytorch", "3.12", [*_TORCH, "sympy"], ["torch==2.15.0"], "cu13-torch", release=(2, 15, 0)),
    Environment("jax-0.4.30", "jax", "3.11", ["jax==0.4.30", "jaxlib==0.4.30", "numpy<2.3"],
                ["jax-cuda12-plugin==0.4.30", "jax-cuda12-pjrt==0.4.30"], "cu12-jax", release=(0, 4, 30)),
    Environment("jax-0.6.2", "jax", "3.11", ["jax==0.6.2"], ["jax-cuda12-plugin==0.6.2", "jax-cuda12-pjrt==0.6.2"],
                "cu12-jax", release=(0, 6, 2), below_hopper=True),
    Environment("jax-0.12.0.1", "jax", "3.12", ["jax==0.12.0.1"], ["jax-cuda12-plugin==0.12.0.1", "jax-cuda12-pjrt==0.12.0.1"],
                "cu12-jax", release=(0, 12, 0)),
    Environment("ort-1.18.1", "onnxruntime", "3.11", ["onnxruntime-gpu==1.18.1", "numpy<2"], set="cu11-ort", place="ldpath",
                release=(1, 18, 1)),
    Environment("ort-1.16.3", "onnxruntime", "3.11", ["onnxruntime-gpu==1.16.3", "numpy<2"], set="cu11-ort", place="ldpath",
                release=(1, 16, 3)),
    Environment("ort-1.20.2", "onnxruntime", "3.11", ["onnxruntime-gpu==1.20.2"], set="cu12-ort", place="ldpath", release=(1, 20, 2)),
    Environment("ort-1.23.2", "onnxruntime", "3.11", ["onnxruntime-gpu==1.23.2"], set="cu12-ort", place="ldpath", release=(1, 23, 2)),
    Environment("ort-1.31.1", "onnxruntime", "3.12", ["onnxruntime-gpu==1.31.1"], set="cu13-ort", place="ldpath",
                release=(1, 31, 1)),
    Environment("ort-cpu-1.31.1", "onnxruntime", "3.12", ["onnxruntime==1.31.1"], set="cu13-ort", place="ldpath", release=(1, 31, 1),
                cpu=True),
    # Both builds in one folder: what was installed last has written over the other's modules.
    Environment("ort-two-cpu-last", "onnxruntime", "3.12", ["onnxruntime==1.31.1"], ["onnxruntime-gpu==1.31.1"], "cu13-ort", "ldpath",
                release=(1, 31, 1), cpu=True),
    Environment("ort-two-gpu-last", "onnxruntime", "3.12", ["onnxruntime-gpu==1.31.1"], ["onnxruntime==1.31.1"], "cu13-ort", "ldpath",
                release=(1, 31, 1)),
    _keras("keras-2.15-tf", "tensorflow", "3.11", "cu12-cudnn8", "tf-2.15.1", (2, 15, 1)),
    _keras("keras-3-tf-2.18", "tensorflow", "3.11", "cu12-cudnn9", "tf-2.18.1", (2, 18, 1)),
    Environment("keras-3-torch", "keras", "3.11", [*_TORCH, "sympy==1.13.1", "keras==3.15.1"], ["torch==2.6.0"], "cu12-torch",
                release=(2, 6, 0), backend="pytorch", variables={"KERAS_BACKEND": "torch"}),
    Environment("keras-3-jax", "keras", "3.11", ["jax==0.6.2", "keras==3.15.1"], ["jax-cuda12-plugin==0.6.2", "jax-cuda12-pjrt==0.6.2"],
                "cu12-jax", release=(0, 6, 2), below_hopper=True, backend="jax", variables={"KERAS_BACKEND": "jax"}),
    # What `gpuway lock native-cuda` writes for most machines.
    Environment("tf-2.20.0-real", "tensorflow", "3.12", ["tensorflow[and-cuda]==2.20.0"], fast=True, release=(2, 20, 0)),
    Environment("torch-2.15.0-real", "pytorch", "3.12", ["torch==2.15.0", "numpy", "setuptools"], release=(2, 15, 0)),
    Environment("jax-0.12.0.1-real", "jax", "3.12", ["jax[cuda12]==0.12.0.1"], release=(0, 12, 0)),
    Environment("ort-1.31.1-real", "onnxruntime", "3.12", ["onnxruntime-gpu[cuda,cudnn]==1.31.1"],
                healthy_path=["{site}/nvidia/cu13/lib", "{site}/nvidia/cudnn/lib"],  # or onnxruntime.preload_dlls() in the program
                release=(1, 31, 1)),
]}

# Other real releases laid over an environment's own (conflicting pins): name -> requirement and Python.
OVERLAYS = {
    "numpy-1.24-py39": ("numpy==1.24.4", "3.9"), "protobuf-4.25-py39": ("protobuf==4.25.8", "3.9"),
    "numpy-1.24": ("numpy==1.24.4", "3.11"), "numpy-2.3-py312": ("numpy==2.3.5", "3.12"), "numpy-1.26-py312": ("numpy==1.26.4", "3.12"),
    "numpy-2.0": ("numpy==2.0.2", "3.11"), "numpy-2.2-py310": ("numpy==2.2.6", "3.10"),
    "protobuf-3.20": ("protobuf==3.20.3", "3.11"), "protobuf-4.25": ("protobuf==4.25.8", "3.11"), "protobuf-6": ("protobuf==6.33.0", "3.11"),
    "protobuf-4.25-py310": ("protobuf==4.25.8", "3.10"), "protobuf-4.25-py312": ("protobuf==4.25.8", "3.12"),
    "ml-dtypes-0.2": ("ml-dtypes==0.2.0", "3.11"), "ml-dtypes-0.3-py312": ("ml-dtypes==0.3.2", "3.12"),
    "numpy-1.21-py310": ("numpy==1.21.6", "3.10"), "protobuf-3.20-py310": ("protobuf==3.20.3", "3.10"), "keras-3-py310": ("keras==3.9.2", "3.10"),
    "keras-3": ("keras==3.9.2", "3.11"), "keras-2.15": ("keras==2.15.0", "3.11"), "keras-2.15-py312": ("keras==2.15.0", "3.12"),
    "typing-extensions-4.5": ("typing-extensions==4.5.0", "3.11"),
}


def find_uv():
    """uv's command: the installed one, or one put into WORK by pip."""
    return shutil.which("uv")


def find_python(version):
    """An interpreter of that minor version: pyenv's, or one on PATH."""
    for root in (os.environ.get("PYENV_ROOT"), os.path.expanduser("~/.pyenv")):
        for path in sorted(glob.glob(os.path.join(root or "/nonexistent", "versions", version + ".*", "bin", "python")), reverse=True):
            return path
    return shutil.which("python" + version)


def _uv(work):
    found = find_uv()
    if found:
        return found
    local = os.path.join(work, "uv")
    if not os.path.exists(os.path.join(local, "bin", "uv")):
        subprocess.run([sys.executable, "-m", "venv", local], check=True)
        subprocess.run([os.path.join(local, "bin", "pip"), "install", "-q", "uv"], check=True)
    return os.path.join(local, "bin", "uv")


def build(work, environment):
    """The prefix of `environment`, built when it is not there yet."""
    if environment.shares:
        return build(work, ENVIRONMENTS[environment.shares])
    prefix = environment.prefix(work)
    mark = os.path.join(prefix, "oracle-built")
    wanted = "\n".join([environment.python, *environment.packages, *environment.bare])
    if os.path.exists(mark) and open(mark, encoding="utf-8").read() == wanted:
        return prefix
    python = find_python(environment.python)
    if not python:
        raise RuntimeError(f"{environment.name} needs Python {environment.python}: not under ~/.pyenv/versions nor on PATH")
    uv = _uv(work)
    shutil.rmtree(prefix, ignore_errors=True)
    os.makedirs(os.path.dirname(prefix), exist_ok=True)
    subprocess.run([uv, "venv", "-q", "--no-project", "--python", python, prefix], check=True)
    install = [uv, "pip", "install", "-q", "--python", os.path.join(prefix, "bin", "python")]
    if environment.bare:
        subprocess.run([*install, "--no-deps", *environment.bare], check=True)
    subprocess.run([*install, *environment.packages], check=True)
    with open(mark, "w", encoding="utf-8") as file:
        file.write(wanted)
    return prefix


def build_overlay(work, name):
    """WORK/extra/NAME with one other release of a package, to be laid over site-packages."""
    requirement, python = OVERLAYS[name]
    target = os.path.join(work, "extra", name)
    if not os.path.isdir(target):
        subprocess.run([_uv(work), "pip", "install", "-q", "--no-deps", "--python", find_python(python), "--target", target, requirement], check=True)
    return target
