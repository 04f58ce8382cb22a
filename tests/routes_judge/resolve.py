#!/usr/bin/env python3
"""uv decides whether what `gpuway lock` writes can be installed: every route of many machines on paper, for every Python that its
build is said to have. Also: each build that gpuway's table leaves out for a Python must be one that uv refuses there.

    resolve.py --gpuway GPUWAY --work FOLDER [--index-wheels]

Needs the package index. Wheels of download.pytorch.org are resolved with --index-wheels only, where that can be reached.
shellcheck, hadolint and a YAML and JSON reader look at the scripts and recipes, as far as they are installed."""

import argparse
import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys
import tomllib

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MACHINES = [f"{gpu}, {driver}, {system}" for gpu, driver in (("RTX 3060 laptop", "driver 566.36"), ("GTX 1660 Ti", "driver 551.86"), ("GTX 1080", "driver 470.10"), ("RTX 5090", "driver 581.29"))
            for system in ("windows 11", "windows 10 22H2, wsl", "ubuntu 22.04")] + ["no gpu, windows 11", "no gpu, debian 12", "RX 7900 XTX, windows 11, python 3.10", "Intel Arc A770, windows 11"]
FRAMEWORKS = ["tensorflow", "pytorch", "jax", "onnxruntime"]
PLATFORMS = {"windows": "windows", "linux": "x86_64-manylinux_2_28"}


def compile_with(uv: str, text: str, platform: str, python: str) -> subprocess.CompletedProcess:
    return subprocess.run([uv, "pip", "compile", "-", "-q", "--no-header", "--no-annotate", "--python-platform", platform, "--python-version", python],
                          input=text, capture_output=True, text=True, check=False)


def locked(gpuway: str, work: pathlib.Path) -> list:
    """Every lock of every machine: its folder, and what it is for."""
    out = []
    for machine in MACHINES:
        for framework in FRAMEWORKS:
            common = ["--machine", machine, "--need", framework]
            answer = json.loads(subprocess.run([gpuway, "routes", *common, "--json"], capture_output=True, check=True).stdout)
            for route in answer["routes"]:
                if route["verdict"] == "refused":
                    continue
                folder = work / f"{len(out)}"
                done = subprocess.run([gpuway, "lock", route["id"], "-o", folder, *common], capture_output=True, text=True, check=False)
                out.append((folder, route, "windows" if answer["machine"]["system"] == "windows" and route["place"] == "native" else "linux", done))
    return out


def check_files(folder: pathlib.Path, faults: list, used: set) -> None:
    for script in folder.glob("*.sh"):
        if shutil.which("shellcheck"):
            used.add("shellcheck")
            done = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
            if done.returncode:
                faults.append(f"{script}: {done.stdout}")
    if (folder / "Dockerfile").exists() and shutil.which("hadolint"):
        used.add("hadolint")
        done = subprocess.run(["hadolint", folder / "Dockerfile"], capture_output=True, text=True, check=False)
        if done.returncode:
            faults.append(f"{folder}/Dockerfile: {done.stdout}")
    for recipe in folder.glob("*.y*ml"):
        try:
            import yaml
        except ImportError:
            continue
        used.add("yaml")
        if not isinstance(yaml.safe_load(recipe.read_text(encoding="utf-8")), dict):
            faults.append(f"{recipe}: no mapping")
    for recipe in folder.glob(".devcontainer/*.json"):
        json.loads(recipe.read_text(encoding="utf-8"))
    compile((folder / "verify.py").read_text(encoding="utf-8"), "verify.py", "exec")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpuway", required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--index-wheels", action="store_true")
    options = parser.parse_args()
    uv = shutil.which("uv") or str(pathlib.Path(sys.executable).with_name("uv"))
    shutil.rmtree(options.work, ignore_errors=True)
    options.work.mkdir(parents=True)
    faults, used, jobs, elsewhere = [], set(), {}, 0
    builds = tomllib.loads((SOURCE / "data/tables/builds.toml").read_text(encoding="utf-8"))["build"]
    for folder, route, system, done in locked(options.gpuway, options.work):
        if done.returncode:
            faults.append(f"lock {route['id']}: {done.stderr}")
            continue
        check_files(folder, faults, used)
        text = (folder / "requirements.txt").read_text(encoding="utf-8")
        if route["stack"]["index"] and not options.index_wheels:
            elsewhere += 1
            continue
        install = [line for line in route["stack"]["install"] if not line.startswith("keras==")]
        row = next(b for b in builds if b["install"] == install and b["system"] == system and b.get("index") == route["stack"]["index"])
        # The comments tell of one Python; the pins are the same for all.
        plain = "\n".join(line for line in text.splitlines() if not line.startswith("#")) + "\n"
        # Keras is chosen by the Python of the route, so only that one is asked for it.
        pythons = [route["stack"]["python"]] if any(line.startswith("keras==") for line in route["stack"]["install"]) else row["python"]
        for python in pythons:
            jobs[plain, PLATFORMS[system], python] = route["id"]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for (text, platform, python), done in zip(jobs, pool.map(lambda job: compile_with(uv, *job), jobs)):
            if done.returncode:
                faults.append(f"{jobs[text, platform, python]}: {text.split()} for Python {python} on {platform}: {done.stderr[:400]}")
    for fault in faults:
        print(fault)
    print(f"{len(jobs)} sets of requirements, {len(faults)} faults; {elsewhere} locks name another index and were not resolved; files read by {', '.join(sorted(used)) or 'nothing'}")
    return 1 if faults or len(jobs) < 40 else 0


if __name__ == "__main__":
    sys.exit(main())
