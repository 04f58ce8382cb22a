#!/usr/bin/env python3
"""Real frameworks for Windows, under Wine, judge gpuway.exe: seeded layouts of DLLs and process states, both asked in the same
machine. See docs/oracle.md. Exit code: 0 all agree, 1 a disagreement, 2 the rig failed, 77 something is missing.

    run.py --gpuway build/windows/gpuway.exe --family tf --seed 1 --count 300"""

import argparse
import hashlib
import json
import pathlib
import shutil
import sys
import time

import laboratory
from onnxruntime_family import OnnxRuntime
from tensorflow_family import TensorFlow

HERE = pathlib.Path(__file__).resolve().parent
FAMILIES = {"tf": TensorFlow, "ort": OnnxRuntime}


class Rig:
    def __init__(self, family, work: pathlib.Path, gpuway: pathlib.Path):
        self.family = family
        self.lab = family.laboratories[0]
        self.gpuway = gpuway
        self.folder = work / "machine"
        self.aside = work / "aside"
        self.answers = work / "answers"
        self.answers.mkdir(exist_ok=True)
        self.placed = []
        self.restore()   # what a run that was killed left put aside
        self.sources = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in family.sources)).hexdigest()

    def resolve(self, text: str) -> str:
        return (text.replace("{s}", str(self.folder)).replace("{app}", str(self.lab.python)).replace("{system32}", str(self.lab.system32))
                .replace("{site}", str(self.lab.python / "Lib/site-packages")))

    def _put_aside(self, path: pathlib.Path) -> None:
        """What the machine itself has there comes back when the scenario is over."""
        if path.exists() and path not in self.placed:
            kept = self.aside / path.relative_to(self.aside.parent)
            kept.parent.mkdir(parents=True, exist_ok=True)
            path.rename(kept)
            (kept.parent / (kept.name + ".aside")).touch()

    def restore(self) -> None:
        for mark in list(self.aside.rglob("*.aside")):
            kept = mark.with_suffix("")
            path = self.aside.parent / kept.relative_to(self.aside)
            if kept.exists():
                kept.rename(path)
        shutil.rmtree(self.aside, ignore_errors=True)

    def place(self, scenario) -> dict:
        self.clear()
        self.lab = scenario.laboratory
        for name in ("path1", "path2", "work/relative", "announced", "nowhere"):
            (self.folder / name).mkdir(parents=True)
        files = dict(scenario.files)
        if scenario.driver:
            files[scenario.driver + "/nvcuda.dll"] = self.lab.driver.read_bytes()
        for key in getattr(scenario, "taken_away", ()):
            self._put_aside(pathlib.Path(self.resolve(key)))
        for key, data in files.items():
            path = pathlib.Path(self.resolve(key))
            path.parent.mkdir(parents=True, exist_ok=True)
            self._put_aside(path)
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
        self.restore()
        self.placed = []
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.lab.python / "Lib/site-packages/nvidia", ignore_errors=True)

    def ask_framework(self, scenario, variables: dict, fresh: bool) -> dict:
        what = json.dumps([self.sources, sorted((key, hashlib.sha256(data).hexdigest()) for key, data in scenario.files.items()),
                           sorted(getattr(scenario, "taken_away", ())), str(self.lab.python), scenario.driver, variables], sort_keys=True)
        kept = self.answers / (hashlib.sha256(what.encode()).hexdigest() + ".json")
        if kept.exists() and not fresh:
            return json.loads(kept.read_text())
        command = [laboratory.windows_path(self.lab.python / "python.exe"), laboratory.windows_path(HERE / self.family.question)]
        code, out, err = self.lab.wine(command, cwd=self.folder / "work", more={**variables, **self.family.variables}.items(), timeout=90)
        err = err.replace("\0", "")   # some write wide characters there
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        answer = lines[-1] if lines else {}
        if "sees_gpu" not in answer and answer.get("imports") != "no":
            answer = {"imports": answer.get("imports", "crashes"), "sees_gpu": "crashes", "rc": code, "log": err[-2000:]}
        answer.setdefault("sees_gpu", "no")
        self.family.read(answer, err)
        kept.write_text(json.dumps(answer))
        return answer

    def ask_gpuway(self, variables: dict) -> dict:
        command = [laboratory.windows_path(self.gpuway), "check", "--json", "--framework", self.family.framework, "--env",
                   laboratory.windows_path(self.lab.python)]
        code, out, err = self.lab.wine(command, cwd=self.folder / "work", more=variables.items())
        if code not in (0, 1):
            return {"error": f"exit code {code}: {err[-400:]}"}
        document = json.loads(out)
        chains = [chain for chain in document["chains"] if chain["framework"] == self.family.framework]
        if not chains:
            return {"error": "no chain"}
        return {**chains[0], "all": document["findings"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuway", type=pathlib.Path, required=True)
    parser.add_argument("--family", choices=sorted(FAMILIES), default="tf")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/oracle-windows"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--only", help="one scenario by its id")
    parser.add_argument("--fresh", action="store_true", help="do not use kept answers")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    family = FAMILIES[options.family](options.work.resolve())
    try:
        family.prepare()
    except laboratory.Missing as missing:
        print(missing)
        return 77
    rig = Rig(family, options.work.resolve(), options.gpuway.resolve())
    counts = {"yes": 0, "no": 0, "crashes": 0}
    differing, start = 0, time.monotonic()
    scenarios = [family.scenario(options.seed, index) for index in range(options.count)]
    if options.only:
        scenarios = [scenario for scenario in scenarios if scenario.id == options.only]
    named = searched = 0
    try:
        for scenario in scenarios:
            variables = rig.place(scenario)
            truth = rig.ask_framework(scenario, variables, options.fresh)
            said = rig.ask_gpuway(variables)
            counts[truth["sees_gpu"]] = counts.get(truth["sees_gpu"], 0) + 1
            named += bool(truth["missed"])
            searched += family.searched(truth)
            faults = family.compare(scenario, truth, said)
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
        family.laboratories[0].stop()
    print(f"{len(scenarios)} scenarios in {time.monotonic() - start:.0f} s, {differing} differ {counts}; DLLs missed in {named}, "
          f"the search order decided in {searched}")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
