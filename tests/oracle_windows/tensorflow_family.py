"""TensorFlow 2.10.1 for Windows as a judge: how it is asked, and what counts as agreement."""

import re

import laboratory
from scenarios import DLLS, Scenario

MISSED = re.compile(r"Could not load dynamic library '([^']+)'")


class TensorFlow:
    framework = "tensorflow"
    question = "ask.py"
    variables = {}
    sources = ("ask.py", "nvcuda_double.c", "pe.py", "laboratory.py", "run.py", "tensorflow_family.py")

    def __init__(self, work):
        self.laboratories = [laboratory.Laboratory(work)]

    def prepare(self):
        self.laboratories[0].prepare()

    def scenario(self, seed, index):
        made = Scenario(seed, index)
        made.laboratory = self.laboratories[0]
        return made

    def read(self, answer, log):
        """Completes the answer by what the framework logged."""
        answer["missed"] = sorted(set(MISSED.findall(log)) - {"nvcuda.dll"})
        answer["no_driver"] = "nvcuda.dll" in MISSED.findall(log)

    def searched(self, truth):
        return truth["sees_gpu"] == "yes" or len(truth["missed"]) > 1

    def compare(self, scenario, truth, said):
        return compare(scenario, truth, said)


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
