#!/usr/bin/env python3
"""A grid of machines on paper and wishes; a brute force over data/tables/builds.toml decides, with none of gpuway's code.

    grid.py ROUTES_DRIVER [--count N] [--seed N]

What is proposed must violate no row and no wish; what is refused must be impossible with every row, and each reason given must
be true of the row it is given for; a further wish takes routes away and adds none. Exit code 77 without `packaging`."""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tomllib

try:
    from packaging.specifiers import SpecifierSet
except ImportError:
    print("no packaging: nothing was checked (pip install -r tests/requirements.txt)")
    sys.exit(77)

BUILDS = tomllib.loads((pathlib.Path(__file__).resolve().parents[2] / "data/tables/builds.toml").read_text(encoding="utf-8"))["build"]
# Compute capability, and the last driver branch that knows it (0: none is last yet). From NVIDIA's own lists.
GPUS = {"GeForce GTX 780": ("3.5", 470), "Tesla K80": ("3.7", 470), "GTX 980": ("5.2", 580), "GTX 1060 6GB": ("6.1", 580), "GTX 1080 Ti": ("6.1", 580),
        "Tesla V100-SXM2-16GB": ("7.0", 580), "GTX 1660 Ti": ("7.5", 0), "RTX 2080 Ti": ("7.5", 0), "RTX 3060": ("8.6", 0), "RTX 3060 laptop": ("8.6", 0), "A100 SXM4 40GB": ("8.0", 0),
        "RTX 4090": ("8.9", 0), "H100 PCIe": ("9.0", 0), "RTX 5090": ("12.0", 0)}
OTHERS = {"no gpu": "none", "RX 7900 XTX": "amd", "Intel Arc A770": "intel", "": "unknown"}
DRIVERS = ["", "driver 418.96", "driver 452.39", "driver 470.223.02", "driver 528.33", "driver 551.86", "driver 566.36", "driver 581.29"]
SYSTEMS = ["windows 11", "windows 10 22H2", "windows 10 1809", "windows 11, wsl", "windows 11, no wsl", "ubuntu 22.04", "debian 12"]
PYTHONS = ["", "python 3.8", "python 3.10", "python 3.11", "python 3.12", "python 3.13", "python 3.10, python 3.12"]
VERSIONS = {"tensorflow": ["", ">=2.16", "==2.10.*", "<2.11", ">=2.30"], "pytorch": ["", ">=2.9", "<2.7"], "jax": ["", ">=0.7"], "onnxruntime": ["", ">=1.20"]}
WISHES = ["", "no-wsl", "no-admin", "offline", "numpy", "windows-only", "no-wsl no-admin", "no-admin numpy"]


def number(version: str) -> tuple:
    return tuple(int(part) for part in version.split("."))


def cuda_major_of(driver: str) -> int:
    """CUDA's majors by driver branch: 450 runs 11, 525 runs 12, 580 runs 13 (release notes of the toolkit)."""
    if not driver:
        return 0
    branch = int(driver.split()[1].split(".")[0])
    return 13 if branch >= 580 else 12 if branch >= 525 else 11 if branch >= 450 else 10


def has_code(build: dict, cc: str) -> bool:
    major, minor = number(cc)
    return any(number(code)[0] == major and number(code)[1] <= minor for code in build["code"]) or any(number(ptx) <= (major, minor) for ptx in build.get("ptx", []))


class Machine:
    def __init__(self, chance: random.Random):
        self.gpu = chance.choice([*GPUS, *OTHERS])
        self.driver = chance.choice(DRIVERS) if self.gpu in GPUS else ""
        self.system = chance.choice(SYSTEMS)
        self.pythons = chance.choice(PYTHONS)
        self.framework = chance.choice(list(VERSIONS))
        self.versions = chance.choice(VERSIONS[self.framework])
        self.keep = chance.choice(["", "", "", "3.9", "3.11", "3.14"])
        self.wishes = chance.choice(WISHES)

    def line(self, wishes: str | None = None) -> str:
        text = ", ".join(part for part in (self.gpu, self.driver, self.system, self.pythons) if part)
        return "\t".join([text, self.framework, self.versions, self.keep, self.wishes if wishes is None else wishes])

    @property
    def windows(self) -> bool:
        return self.system.startswith("windows")

    def against(self, build: dict, place: str, framework: str) -> set:
        """Every reason why this row is impossible here, by the ids that gpuway uses."""
        out = set()
        if framework == self.framework and self.versions and build["version"] not in SpecifierSet(self.versions, prereleases=True):
            out.add("version-wish")
        if self.keep and self.keep not in build["python"]:
            out.add("python-wish")
        if "numpy" in self.wishes and any(pin.startswith("numpy<") for pin in build.get("extra", [])):
            out.add("numpy-wish")
        brings = not (build["framework"] == "tensorflow" and (build["system"] == "windows" or "and-cuda" not in build["install"][0]))
        if build.get("fault") and brings:
            out.add("known-fault")
        if framework != self.framework and self.framework == "tensorflow" and self.keep and not any(
                self.keep in keras["python"] for keras in BUILDS if keras["framework"] == "keras" and keras["system"] == build["system"]):
            out.add("no-build")
        kind, vendor = build["gpu"], {"cuda": "nvidia", "rocm": "amd", "xpu": "intel"}.get(build["gpu"])
        here = "nvidia" if self.gpu in GPUS else OTHERS[self.gpu]
        if kind == "directml" and here == "none":
            out.add("no-gpu")
        if vendor and here not in (vendor, "unknown"):
            out.add("no-gpu-of-vendor")
        if kind == "cuda" and here == "nvidia":
            cc, last = GPUS[self.gpu]
            if not has_code(build, cc):
                out.add("no-gpu-code")
            needed = number(build["cuda"])[0]
            if cuda_major_of(self.driver) < needed:
                if last and cuda_major_of(f"driver {last}.0") < needed:
                    out.add("driver-ended")
                elif self.driver and "no-admin" in self.wishes:
                    out.add("no-admin")
        if place in ("wsl", "container") and self.windows:
            if "no-wsl" in self.wishes or "windows-only" in self.wishes:
                out.add("wsl-not-wanted")
            if self.system.endswith("no wsl"):
                out.add("wsl-forbidden")
            if self.system.endswith("1809"):
                out.add("windows-too-old")
        if place == "container" or (place == "wsl" and not self.system.endswith(", wsl")):
            out |= {"no-admin"} if "no-admin" in self.wishes else set()
            out |= {"offline"} if "offline" in self.wishes else set()
        return out

    def rows(self, place: str, gpu: str, framework: str) -> list:
        system = "windows" if place == "native" and self.windows else "linux"
        return [build for build in BUILDS if (build["framework"], build["gpu"], build["system"]) == (framework, gpu, system)]


def judge(machine: Machine, answer: dict) -> list:
    faults = []
    routes = answer["routes"]
    if [route["rank"] for route in routes] != list(range(1, len(routes) + 1)):
        faults.append("ranks are not 1, 2, 3, …")
    refused = [route["verdict"] == "refused" for route in routes]
    if refused != sorted(refused):
        faults.append("a refused route stands before one that is not")
    for route in routes:
        stack, place = route["stack"], route["place"]
        rows = machine.rows(place, stack["gpu"], stack["framework"])
        said = {reason["id"] for reason in route["reasons"]}
        if not rows:
            if said & {"no-build"} != {"no-build"}:
                faults.append(f"{route['id']}: there is no such build, and that is not said: {said}")
            continue
        install = [line for line in stack["install"] if not line.startswith("keras==")]
        row = next((b for b in rows if b["install"] == install and b.get("index") == stack["index"]), None)
        if row is None:
            faults.append(f"{route['id']}: {install} from {stack['index']} is in no row")
            continue
        true = machine.against(row, place, stack["framework"])
        if said != true:
            faults.append(f"{route['id']}: says {sorted(said)} against {install}, true is {sorted(true)}")
        if (route["verdict"] == "refused") != bool(said):
            faults.append(f"{route['id']}: {route['verdict']} with reasons {said}")
        if route["verdict"] == "refused":
            possible = [b["install"] for b in rows if not machine.against(b, place, stack["framework"])]
            if possible:
                faults.append(f"{route['id']}: refused, and {possible[0]} is possible")
            continue
        if stack["python"] not in row["python"] or (machine.keep and stack["python"] != machine.keep):
            faults.append(f"{route['id']}: Python {stack['python']}")
        conditions = {condition["id"] for condition in route["conditions"]}
        driver = machine.gpu in GPUS and row["gpu"] == "cuda" and cuda_major_of(machine.driver) < number(row["cuda"])[0]
        if driver != bool(conditions & {"driver-needed", "driver-update"}):
            faults.append(f"{route['id']}: the driver {machine.driver} for CUDA {row['cuda']}: {conditions}")
        if (route["verdict"] == "works") != (not conditions):
            faults.append(f"{route['id']}: {route['verdict']} with conditions {conditions}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--count", type=int, default=2400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    machines = [Machine(chance) for _ in range(options.count)]
    lines = [machine.line() for machine in machines] + [machine.line("") for machine in machines]
    done = subprocess.run([options.driver], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    answers = done.stdout.split("\x1e")[: len(lines)]
    failed, works, refused = 0, 0, 0
    for i, machine in enumerate(machines):
        if not answers[i]:
            print(f"{machine.line()!r}: not understood")
            failed += 1
            continue
        answer, free = json.loads(answers[i]), json.loads(answers[i + options.count])
        faults = judge(machine, answer)
        possible = {route["id"] for route in answer["routes"] if route["verdict"] != "refused"}
        before = {route["id"] for route in free["routes"] if route["verdict"] != "refused"}
        if possible - before:
            faults.append(f"the wishes {machine.wishes!r} made {sorted(possible - before)} possible")
        if not machine.wishes and answers[i] != answers[i + options.count]:
            faults.append("the same question is answered otherwise")
        works, refused = works + len(possible), refused + len(answer["routes"]) - len(possible)
        if faults:
            failed += 1
            if failed <= 8:
                print(f"{machine.line()!r}:\n  " + "\n  ".join(faults[:4]))
    print(f"{options.count} machines, {failed} with a fault; {works} routes proposed, {refused} refused")
    return 1 if failed or works < options.count or refused < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
