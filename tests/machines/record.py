#!/usr/bin/env python3
"""Writes a part of a machine from a real environment: file names, package metadata, ELF edges and GPU code, no code.

    record.py --gpuway build/dev/gpuway framework ENVIRONMENT > parts/NAME.json
    record.py --gpuway build/dev/gpuway nvidia ENVIRONMENT > parts/NAME.json

`framework` takes what gpuway reads of the packages in the environment's site-packages; `nvidia` takes the libraries of the
nvidia-* wheels in it. ELF files become stand-ins with the real SONAME, NEEDED, run path and GPU architectures.
"""

import argparse
import glob
import json
import os
import re
import subprocess
import tempfile

LIBRARIES = ["torch/lib/*.so*", "torch/_C.*.so", "tensorflow/*.so.*", "tensorflow/python/_pywrap_tensorflow_internal.so",
             "tensorflow/python/lib_pywrap_tensorflow_common.so", "tensorflow/python/util/_pywrap_checkpoint_reader.so",
             "tensorflow/python/platform/_pywrap_*.so", "jax_plugins/xla_cuda*/*.so",
             "jax_cuda*_plugin/_solver.so", "jax_cuda*_plugin/_versions.so", "jaxlib/cpu_feature_guard.so",
             "onnxruntime/capi/*.so*"]


def dynamic(path):
    text = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=False).stdout
    row = {}
    for kind, value in re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\).*\[(.*)\]", text):
        if kind == "NEEDED":
            row.setdefault("needed", []).append(value)
        else:
            # The loader drops what stands earlier already; some wheels repeat the same folders 500 times.
            row[kind.lower()] = value if kind == "SONAME" else ":".join(dict.fromkeys(value.split(":")))
    return row


def gpu_code(gpuway, path):
    out = subprocess.run([gpuway, "inspect", "--json", path], capture_output=True, text=True, check=False).stdout
    rows = []
    for file in json.loads(out)["files"]:
        found = (file.get("gpu_code") or {}).get("architectures") or []
        most = max((row["count"] for row in found), default=0)
        for row in found:
            if row["count"] * 20 >= most:   # a few stray rows say nothing about what a build supports
                rows.append(row["name"] + (" " + row["ptx_isa"] if row["kind"] == "ptx" else ""))
    return rows


def stub(gpuway, path, with_code):
    row = dynamic(path)
    code = gpu_code(gpuway, path) if with_code else []
    if code:
        row["gpu_code"] = code
    return row


def reduced(path, text):
    """Of a text that rules read, only the statements that matter to them."""
    name = os.path.basename(path)
    if name == "version.py":
        return [line for line in text.splitlines() if re.match(r"(__version__|cuda|hip|xpu)\b", line)]
    if name == "build_info.py":
        values = re.findall(r"\('(is_cuda_build|is_rocm_build|cuda_version|cudnn_version)', ([^)]*)\)", text)
        return ["build_info = collections.OrderedDict([" + ", ".join(f"('{k}', {v})" for k, v in values) + "])"]
    if path.endswith("torch/__init__.py"):
        lines = []
        for folder, pattern in re.findall(r'"(\w+)":\s*"(lib\w+\.so\.\*\[0-9\])"', text):
            lines.append(f'"{folder}": "{pattern}",')
        for call, folder, pattern in re.findall(r'(_preload_cuda_(?:deps|lib))\("(\w+)",\s*"(lib\w+\.so\.\*\[0-9\])"', text):
            lines.append(f'{call}("{folder}", "{pattern}")')
        if "_preload_cuda_deps(required=False)" in text:
            lines.append("_preload_cuda_deps(required=False)")
        return lines
    if re.search(r"jax_plugins/xla_cuda\d+/__init__.py$", path):
        return [f'_load("{a}", [{b}])' for a, b in re.findall(r'_load\("(\w+)",\s*\[([^\]]*)\]\)', text)]
    if name == "graph_pb2.py":
        found = re.search(r"ValidateProtobufRuntimeVersion\(([^)]*)\)", text)
        return ["_runtime_version.ValidateProtobufRuntimeVersion(" + " ".join(found.group(1).split()) + ")"] if found else [""]
    return [""]


def add_metadata(part, place, info, keep_requirements):
    lines = open(os.path.join(info, "METADATA"), encoding="utf-8").read().split("\n\n")[0].splitlines()
    keep = ("Name:", "Version:", "Requires-Python:") + (("Requires-Dist:",) if keep_requirements else ())
    lines = [line for line in lines if line.startswith(keep) and "extra ==" not in line]
    part["files"][place + "/METADATA"] = ["Metadata-Version: 2.1", *lines]
    if keep_requirements:
        tags = [line for line in open(os.path.join(info, "WHEEL"), encoding="utf-8").read().splitlines() if line.startswith("Tag:")]
        part["files"][place + "/WHEEL"] = ["Wheel-Version: 1.0", *tags]


def site_of(environment):
    return glob.glob(os.path.join(environment, "lib/python3*/site-packages"))[0]


def record_framework(gpuway, environment):
    site = site_of(environment)
    with tempfile.NamedTemporaryFile() as saved:
        subprocess.run([gpuway, "check", "--env", environment, "--save", saved.name], capture_output=True, check=False)
        snapshot = json.load(open(saved.name, encoding="utf-8"))
    python = snapshot["environments"][0]
    part = {"about": "", "source": "tests/machines/record.py framework", "files": {}, "elf": {}}

    def place(path):
        return "{site}" + os.path.normpath(path)[len(site):]

    for package in python["packages"]:
        if package["site"] == site and not package["name"].startswith("nvidia-"):
            add_metadata(part, place(package["location"]), package["location"], package["metadata_read"])
    for candidate in python["imports"]:
        path = candidate["path"]
        if not path.startswith(site + "/"):
            continue
        if candidate["kind"] == "extension":
            part["elf"][place(path)] = {}
        elif candidate["kind"] != "namespace-folder":
            part["files"][place(path)] = ""
    for path, view in snapshot["binaries"].items():
        if path.startswith(site + "/") and view["outcome"] == "other-format":
            part["files"][place(path)] = ""
    texts = {path for path, fact in snapshot["texts"].items() if fact["state"] == "known"}
    texts |= set(glob.glob(site + "/jax_plugins/xla_cuda*/__init__.py")) | set(glob.glob(site + "/torch/__init__.py"))
    for path in sorted(texts):
        if path.startswith(site + "/"):
            part["files"][place(path)] = reduced(path, open(path, encoding="utf-8").read())
    for pattern in LIBRARIES:
        for path in sorted(glob.glob(os.path.join(site, pattern))):
            large = os.path.getsize(path) > 20 << 20
            part["elf"][place(path)] = stub(gpuway, path, large)
    for key, fact in snapshot["needles"].items():
        path, text = key.split("\n", 1)
        row = part["elf"].get(place(path))
        if fact.get("value") and row is not None:
            row.setdefault("strings", []).append(text)
    return part


def record_nvidia(gpuway, environment):
    site = site_of(environment)
    part = {"about": "", "source": "tests/machines/record.py nvidia", "files": {}, "elf": {}}
    for info in sorted(glob.glob(site + "/nvidia_*.dist-info")):
        add_metadata(part, "{site}/" + os.path.basename(info), info, False)
    for path in sorted(glob.glob(site + "/nvidia/*/lib/lib*.so*")):
        if "alt" in path or "nvperf" in path or "checkpoint" in path or "pcsampling" in path:
            continue
        row = dynamic(path)
        row["strings"] = ["cudnnCreate", "cudnnGetProperty", "cudnnGetVersion"] if "libcudnn_graph" in path else []
        if not row["strings"]:
            del row["strings"]
        part["elf"]["{site}" + path[len(site):]] = row
    return part


def text_of(part):
    """One row per line: a part is read and compared by people."""
    blocks = []
    for key, value in part.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"    {json.dumps(path)}: {json.dumps(row)}" for path, row in value.items())
            blocks.append(f"  {json.dumps(key)}: {{\n{rows}\n  }}")
        else:
            blocks.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpuway", required=True)
    parser.add_argument("--about", default="")
    parser.add_argument("kind", choices=["framework", "nvidia"])
    parser.add_argument("environment")
    options = parser.parse_args()
    part = {"framework": record_framework, "nvidia": record_nvidia}[options.kind](options.gpuway, options.environment)
    part["about"] = options.about
    print(text_of(part), end="")


if __name__ == "__main__":
    main()
