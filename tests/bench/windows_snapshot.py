"""A saved Windows machine with many environments, made of the parts of tests/machines."""

import json
import pathlib
import subprocess

PARTS = pathlib.Path(__file__).resolve().parent.parent / "machines" / "parts"
MACHINE = ["windows-11", "windows-rtx-3060", "windows-driver-566", "windows-cuda-11.2", "windows-cudnn-8.1", "windows-cuda-12.4"]
PYTHONS = {"3.10": "windows-python-3.10.11", "3.12": "windows-python-3.12.4"}
# What an environment holds, and the release of its Python.
CONTENTS = [("windows-tensorflow-2.10.1", "3.10"), ("windows-tensorflow-2.15.1", "3.10"), ("windows-tensorflow-directml", "3.10"),
            ("windows-torch-2.6.0-cu124", "3.12"), ("windows-torch-2.6.0-cpu", "3.12"), ("windows-jax", "3.12"),
            ("windows-onnxruntime-gpu", "3.12"), ("windows-onnxruntime-directml", "3.12")]


def description(count: int) -> dict:
    layers, options = list(MACHINE), ["check"]
    for python, part in PYTHONS.items():
        layers.append({"part": part, "python": python, "base": base_of(python)})
    for i in range(count):
        part, python = CONTENTS[i % len(CONTENTS)]
        place = {"python": python, "base": base_of(python), "prefix": f"C:/Users/ada/projects/p{i:02}/.venv"}
        layers += [{"part": f"windows-venv-{python}", **place}, {"part": part, **place}]
        options += ["--env", place["prefix"]]
    return {"title": f"{count} environments on one Windows machine", "source": "the parts of tests/machines", "layers": layers, "options": options}


def base_of(python: str) -> str:
    return "C:/Users/ada/AppData/Local/Programs/Python/Python" + python.replace(".", "")


def saved_machine(runner: pathlib.Path, work: pathlib.Path, count: int) -> pathlib.Path:
    """The Snapshot of such a machine, as `gpuway check --save` writes it."""
    folder = work / "machines" / "many"
    folder.mkdir(parents=True, exist_ok=True)
    parts = folder.parent / "parts"
    if not parts.exists():
        parts.symlink_to(PARTS)
    (folder / "case.json").write_text(json.dumps(description(count)))
    file = work / "windows-snapshot.json"
    subprocess.run([runner, "--save", file, folder], check=True)
    environments = json.loads(file.read_text())["environments"]
    if len(environments) != count:
        raise RuntimeError(f"{len(environments)} environments in the Snapshot, {count} are wanted")
    return file
