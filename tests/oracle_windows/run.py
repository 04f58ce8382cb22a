#!/usr/bin/env python3
"""The real TensorFlow 2.10.1 for Windows, under Wine, judges gpuway.exe: seeded layouts of DLLs and process states, both asked
in the same machine. See docs/oracle.md. Exit code: 0 all agree, 1 a disagreement, 2 the rig failed, 77 something is missing.

    run.py --gpuway build/windows/gpuway.exe --seed 1 --count 300"""

import argparse
import hashlib
import json
import pathlib
import re
import shutil
import sys
import time

import laboratory
from scenarios import DLLS, Scenario

HERE = pathlib.Path(__file__).resolve().parent
MISSED = re.compile(r"Could not load dynamic library '([^']+)'")


class Rig:
    def __init__(self, lab: laboratory.Laboratory, gpuway: pathlib.Path):
        self.lab = lab
        self.gpuway = gpuway
        self.folder = lab.work / "machine"
        self.answers = lab.work / "answers"
        self.answers.mkdir(exist_ok=True)
        self.placed = []
        sources = b"".join((HERE / name).read_bytes() for name in ("ask.py", "nvcuda_double.c", "pe.py", "laboratory.py", "run.py"))
        self.sources = hashlib.sha256(sources).hexdigest()

    def resolve(self, text: str) -> str:
        return (text.replace("{s}", str(self.folder)).replace("{app}", str(self.lab.python)).replace("{system32}", str(self.lab.system32))
                .replace("{site}", str(self.lab.python / "Lib/site-packages")))

    def place(self, scenario: Scenario) -> dict:
        self.clear()
        for name in ("path1", "path2", "work/relative", "announced", "nowhere"):
            (self.folder / name).mkdir(parents=True)
        files = dict(scenario.files)
        if scenario.driver:
            files[scenario.driver + "/nvcuda.dll"] = self.lab.driver.read_bytes()
        for key, data in files.items():
            path = pathlib.Path(self.resolve(key))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            self.placed.append(path)
        turned = [self.resolve(part) if not part.startswith("C:") else part for part in scenario.path]
        turned = [laboratory.windows_path(part) + ("\\" if part.endswith("/") else "") if part.startswith("/") else part.replace("/", "\\") for part in turned]
        variables = {name: laboratory.windows_path(self.resolve(value).replace("\\", "/")) if "{s}" in value else value
                     for name, value in scenario.variables.items()}
        announced = "|".join(laboratory.windows_path(self.resolve(part)) for part in scenario.announced)
        return {"WINEPATH": ";".join(turned), "ASK_DLL_DIRECTORIES": announced, **variables}

    def clear(self) -> None:
        for path in self.placed:
            path.unlink(missing_ok=True)
        self.placed = []
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.lab.python / "Lib/site-packages/nvidia", ignore_errors=True)

    def ask_tensorflow(self, scenario: Scenario, variables: dict, fresh: bool) -> dict:
        what = json.dumps([self.sources, sorted((key, hashlib.sha256(data).hexdigest()) for key, data in scenario.files.items()),
                           scenario.driver, variables], sort_keys=True)
        kept = self.answers / (hashlib.sha256(what.encode()).hexdigest() + ".json")
        if kept.exists() and not fresh:
            return json.loads(kept.read_text())
        command = [laboratory.windows_path(self.lab.python / "python.exe"), laboratory.windows_path(HERE / "ask.py")]
        code, out, err = self.lab.wine(command, cwd=self.folder / "work", more=variables.items(), timeout=90)
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        answer = lines[-1] if lines else {}
        if "sees_gpu" not in answer and answer.get("imports") != "no":
            answer = {"imports": answer.get("imports", "crashes"), "sees_gpu": "crashes", "rc": code, "log": err[-2000:]}
        answer.setdefault("sees_gpu", "no")
        answer["missed"] = sorted(set(MISSED.findall(err)) - {"nvcuda.dll"})
        answer["no_driver"] = "nvcuda.dll" in MISSED.findall(err)
        kept.write_text(json.dumps(answer))
        return answer

    def ask_gpuway(self, variables: dict) -> dict:
        command = [laboratory.windows_path(self.gpuway), "check", "--json", "--framework", "tensorflow", "--env",
                   laboratory.windows_path(self.lab.python)]
        code, out, err = self.lab.wine(command, cwd=self.folder / "work", more=variables.items())
        if code not in (0, 1):
            return {"error": f"exit code {code}: {err[-400:]}"}
        document = json.loads(out)
        chains = [chain for chain in document["chains"] if chain["framework"] == "tensorflow"]
        if not chains:
            return {"error": "no chain"}
        return {**chains[0], "all": document["findings"]}


def compare(scenario: Scenario, truth: dict, said: dict) -> list:
    if "error" in said:
        return [said["error"]]
    faults = [f"{key}: framework {truth[key]}, gpuway {said[key]}" for key in ("imports", "sees_gpu") if truth[key] != said[key]]
    if truth["sees_gpu"] == "yes":
        if truth["device_count"] != said["device_count"]:
            faults.append(f"devices: framework {truth['device_count']}, gpuway {said['device_count']}")
        errors = [finding["id"] for finding in said["all"] if finding["severity"] == "error"]
        if errors:
            faults.append(f"false alarms: {errors}")
    if truth["imports"] != "yes":
        return faults
    # Where no device is offered TensorFlow opens no further library; gpuway says all the same what would come next.
    named = {}
    for row in said["missing"]:
        if row["effect"] == "harmless" or row["library"].lower() == "nvcuda.dll":
            continue
        top = row["library"].lower()
        for name in (row["library"].lower(), row["asked_by"].lower()):
            top = scenario.owner.get(name, name) if name in scenario.owner or name in map(str.lower, DLLS) else top
        named[top.lower()] = row["library"]
    missed = {name.lower() for name in truth["missed"]}
    devices = truth["sees_gpu"] == "yes" or "cublas64_11.dll" in missed or len(missed) > 1 or "Cannot dlopen" in truth.get("log", "")
    if not missed <= set(named):
        faults.append(f"missed by the framework and not named: {sorted(missed - set(named))}")
    if devices and not set(named) <= missed:
        faults.append(f"named and not missed: {sorted(set(named) - missed)}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuway", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/oracle-windows"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", help="one scenario by its id")
    parser.add_argument("--fresh", action="store_true", help="do not use kept answers")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    lab = laboratory.Laboratory(options.work.resolve())
    try:
        lab.prepare()
    except laboratory.Missing as missing:
        print(missing)
        return 77
    rig = Rig(lab, options.gpuway.resolve())
    counts = {"yes": 0, "no": 0, "crashes": 0}
    differing, start = 0, time.monotonic()
    scenarios = [Scenario(options.seed, index) for index in range(options.count)]
    if options.only:
        scenarios = [scenario for scenario in scenarios if scenario.id == options.only]
    named = searched = 0
    try:
        for scenario in scenarios:
            variables = rig.place(scenario)
            truth = rig.ask_tensorflow(scenario, variables, options.fresh)
            said = rig.ask_gpuway(variables)
            counts[truth["sees_gpu"]] = counts.get(truth["sees_gpu"], 0) + 1
            named += bool(truth["missed"])
            searched += truth["sees_gpu"] == "yes" or len(truth["missed"]) > 1
            faults = compare(scenario, truth, said)
            differing += bool(faults)
            if faults or options.verbose:
                print(f"{scenario.id}  {'; '.join(scenario.notes)}")
                for fault in faults:
                    print("    " + fault)
                if options.verbose:
                    print(json.dumps({"variables": variables, "framework": truth, "gpuway": said}, indent=1))
                sys.stdout.flush()
    finally:
        rig.clear()
        lab.stop()
    print(f"{len(scenarios)} scenarios in {time.monotonic() - start:.0f} s, {differing} differ {counts}; DLLs missed in {named}, "
          f"the search order decided in {searched}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
