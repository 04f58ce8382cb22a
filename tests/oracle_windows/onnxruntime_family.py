"""ONNX Runtime for Windows as a judge: a session on CUDA is asked for, and Wine's loader says which DLL it lacks.

Older releases say only "LoadLibrary failed with error 126", newer ones (1.23.2) name a DLL of their own finding; Wine names in
either case what the loader itself did not get."""

import re

import doubles
import laboratory
from onnxruntime_scenarios import CAPI, Scenario

# (release, Python), one of each kind that runs in Wine 8.0: CUDA 11 with cuDNN 8, the driver looked up while loading (1.18), CUDA 12
# with cuDNN 9, CUDA 13 with the CUDA runtime inside. 1.22 imports dxcore.dll, which Wine 8 does not have.
RELEASES = [("1.15.1", "3.10"), ("1.17.1", "3.10"), ("1.18.1", "3.10"), ("1.20.2", "3.10"), ("1.23.2", "3.10"), ("1.31.1", "3.12")]
NUMPY = "numpy==1.26.4"   # NumPy 2 for Python 3.12 calls what Wine 8's ucrtbase.dll does not have
NOT_GIVEN = re.compile(r"err:module:\w+ (?:Library|Loading library) (\S+) \(which is needed by L\"([^\"]+)\"\) (?:not found|failed)")
OWN_WORDS = re.compile(r'Error loading "[^"]+"((?: which depends on "[^"]+")*) which is missing')


def base_name(path: str) -> str:
    return path.replace("\\\\", "\\").rsplit("\\", 1)[-1].lower()


class OnnxRuntime:
    framework = "onnxruntime"
    question = "ask_onnxruntime.py"
    variables = {"WINEDEBUG": "-all,err+module"}
    sources = ("ask_onnxruntime.py", "nvcuda_double.c", "cudart_double.c", "pe.py", "doubles.py", "laboratory.py", "run.py", "onnxruntime_family.py")

    def __init__(self, work):
        self.laboratories = []
        for release, python in RELEASES:
            made = laboratory.Laboratory(work / f"onnxruntime-{release}", [f"onnxruntime-gpu=={release}", NUMPY], work / "prefix", python)
            made.label = release
            self.laboratories.append(made)

    def prepare(self):
        for one in self.laboratories:
            one.prepare()
            one.doubles = doubles.of_provider(one.python / "Lib/site-packages/onnxruntime/capi/onnxruntime_providers_cuda.dll", one.work / "doubles")

    def scenario(self, seed, index):
        return Scenario(seed, index, self.laboratories)

    def read(self, answer, log):
        """Completes the answer: `missed` in the order in which the loader gave up, `named` in ONNX Runtime's own words."""
        answer["missed"] = [[base_name(name), base_name(asker)] for name, asker in NOT_GIVEN.findall(log)]
        own = OWN_WORDS.search(log)
        answer["named"] = re.findall(r'"([^"]+)"', own[1]) if own else []

    def searched(self, truth):
        return bool(truth.get("provider_loaded")) or bool(truth["missed"])

    def compare(self, scenario, truth, said):
        if "error" in said:
            return [said["error"]]
        keys = ["imports", "sees_gpu"]
        # A CUDA runtime inside the provider refuses a driver double: there only the loading is judged.
        if truth.get("provider_loaded") and not any(name.startswith("cudart64_") for name in scenario.names):
            keys.remove("sees_gpu")
        faults = [f"{key}: framework {truth[key]}, gpuway {said[key]}" for key in keys if truth[key] != said[key]]
        if truth["sees_gpu"] == "yes":
            errors = [finding["id"] for finding in said["all"] if finding["severity"] == "error"]
            if errors and said["can_compute"] != "no":
                faults.append(f"false alarms: {errors}")
        if truth["imports"] != "yes" and not truth["missed"]:
            return faults   # Python itself gave up before any DLL was asked for; gpuway says all the same what would come next
        # The first that the loader lacks, and who asked for it: all else it meets on its way out.
        rows = [row for row in said["missing"] if row["effect"] != "harmless" and row["library"].lower() != "nvcuda.dll"]
        expected = truth["missed"][0] if truth["missed"] else None
        said_first = [base_name(rows[0]["library"]), base_name(rows[0]["asked_by"])] if rows else None
        if expected is None and said_first is not None and said_first[0] in scenario.not_told:
            return faults   # a file that is asked for by its path: Wine has no line for it
        if expected != said_first:
            faults.append(f"the loader lacks {expected}, gpuway names {said_first}")
        # ONNX Runtime looks for the name that it tells by the plain search, which leaves out the provider's folder.
        if truth["named"] and not any(key.startswith(CAPI + "/") for key in scenario.of(truth["named"][-1])) and said_first is not None:
            if truth["named"][-1].lower() != said_first[0]:
                faults.append(f"ONNX Runtime names {truth['named'][-1]}, gpuway {said_first[0]}")
        if len(rows) > 1 and truth["imports"] == "yes" and not scenario.not_told:
            faults.append(f"named and not asked for: {[row['library'] for row in rows[1:]]}")
        return faults
