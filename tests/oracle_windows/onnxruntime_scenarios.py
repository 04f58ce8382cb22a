"""Seeded layouts of DLLs and process states for ONNX Runtime on Windows."""

import random

import pe
from doubles import RETURN_ZERO, exports_of

CAPI = "{site}/onnxruntime/capi"
# Searched for the provider's imports, which is loaded by its path with LOAD_WITH_ALTERED_SEARCH_PATH; {app} is not.
PLACES = ["{s}/path1", "{s}/path2", "{s}/work", CAPI, "{system32}", "{s}/work/relative"]
ELSEWHERE = ["{app}", "{s}/announced", "{s}/nowhere", "{site}/nvidia/cudnn/bin"]
OTHER = ["cudart64_101.dll", "cudart64_13.dll", "cublas64_13.dll", "cudnn64_7.dll", "zlibwapi.dll", "nvrtc64_120_0.dll"]
BRIDGE, PROVIDER, MODULE = (f"{CAPI}/onnxruntime_{name}" for name in ("providers_shared.dll", "providers_cuda.dll", "pybind11_state.pyd"))


class Scenario:
    def __init__(self, seed: int, index: int, laboratories):
        self.id = f"{seed}-{index}"
        self.random = random.Random(f"onnxruntime/{seed}/{index}")
        self.laboratory = self.random.choice(laboratories)
        self.doubles = self.laboratory.doubles
        self.names = list(self.doubles)
        self.files = {}            # place/name -> bytes
        self.taken_away = set()    # what the machine has there otherwise
        self.not_told = set()      # names of which Wine's loader says nothing
        self.variables = {}
        self.path = ["{s}/path1", "{s}/path2"]
        self.announced = []
        self.driver = "{system32}"
        self.notes = [self.laboratory.label]
        self.build()

    def note(self, text: str) -> None:
        self.notes.append(text)

    def put(self, place: str, name: str, data: bytes) -> None:
        self.files[f"{place}/{name}"] = data

    def build(self) -> None:
        rng = self.random
        usual = rng.choice(PLACES[:2] + PLACES)
        spread = rng.random() < 0.5
        if usual.endswith("relative"):
            self.path.insert(rng.randrange(3), "relative")
        for name in self.names:
            place = rng.choice(PLACES[:5]) if spread else usual
            self.put(place, name.upper() if rng.random() < 0.1 else name, self.doubles[name])
        self.note("DLLs spread" if spread else f"DLLs in {usual}")
        for oddity in rng.sample(self.ODDITIES, rng.choice([0, 1, 1, 2])):
            getattr(self, oddity)()
        for fault in rng.sample(self.FAULTS, rng.choice([0, 1, 1, 1, 2])):
            getattr(self, fault)()

    def of(self, name: str) -> list:
        return [key for key in self.files if key.lower().endswith("/" + name.lower())]

    def any_but_runtime(self) -> str:
        """The runtime's double has code of its own, to which no further import can be added."""
        return self.random.choice([name for name in self.names if not name.startswith("cudart")])

    def replace(self, name: str, data: bytes) -> None:
        for key in self.of(name):
            self.files[key] = data

    def stub(self, name: str, imports) -> bytes:
        return pe.dll(name, imports=imports, exports=exports_of(self.doubles[name]), code=RETURN_ZERO)

    # ---- oddities that change nothing
    def other_versions(self):
        name = self.random.choice([name for name in OTHER if name not in self.names])
        self.put(self.random.choice(PLACES[:5]), name, pe.dll(name))
        self.note(f"{name} beside them")

    def announce(self):
        """os.add_dll_directory does not count for the provider: it is not loaded with LOAD_LIBRARY_SEARCH flags."""
        self.announced.append("{s}/announced")
        name = self.random.choice(self.names)
        self.put("{s}/announced", name, self.doubles[name])
        self.note(f"os.add_dll_directory of a folder with {name}")

    def path_forms(self):
        self.path.insert(0, self.random.choice(["{s}/not-there", "", "{s}/path1/", "{s}/work/../nowhere", "C:/windows"]))
        self.note(f"PATH begins with {self.path[0]!r}")

    def cuda_path(self):
        self.variables["CUDA_PATH"] = "{s}\\nowhere"
        self.note("CUDA_PATH set")

    def two_devices(self):
        self.variables["GPU_DOUBLE_COUNT"] = "2"
        self.note("two devices")

    def dependency(self):
        name = self.any_but_runtime()
        self.replace(name, self.stub(name, [("helper64.dll", ["f"])]))
        self.put(self.random.choice(PLACES[:5]), "helper64.dll", pe.dll("helper64.dll", exports=["f"], code=RETURN_ZERO))
        self.note(f"{name} imports helper64.dll, which is there")

    def import_of_nothing(self):
        name = self.any_but_runtime()
        self.replace(name, self.stub(name, ["never64.dll"]))
        self.note(f"{name} imports nothing from never64.dll")

    def second_copy(self):
        name = self.random.choice(self.names)
        self.put(self.random.choice(PLACES[:5]), name, self.doubles[name])
        self.note(f"a second {name}")

    # ---- faults
    def gone(self):
        for name in self.random.sample(self.names, min(len(self.names), self.random.choice([1, 1, 1, 2, 3, 5]))):
            for key in self.of(name):
                del self.files[key]
            self.note(f"{name} gone")

    def moved(self):
        name = self.random.choice(self.names)
        for key in self.of(name):
            del self.files[key]
        place = self.random.choice(ELSEWHERE)
        self.put(place, name, self.doubles[name])
        if place == "{s}/announced" and place not in self.announced:
            self.announced.append(place)
        self.note(f"{name} only in {place}")

    def not_on_path(self):
        self.path = self.random.choice([[], self.path[:1], ["{s}/nowhere"]])
        self.note(f"PATH is {self.path}")

    def renamed(self):
        name = self.random.choice(self.names)
        for key in self.of(name):
            self.files[key + ".bak"] = self.files.pop(key)
        self.note(f"{name} renamed")

    def damaged(self):
        name = self.random.choice(self.names)
        kind = self.random.choice(["empty", "text", "cut", "header"])
        data = {"empty": b"", "text": b"version https://git-lfs.github.com/spec/v1\n" * 4, "cut": self.doubles[name][:0x90],
                "header": b"MZ" + b"\0" * 200}[kind]
        self.replace(name, data)
        self.note(f"{name} {kind}")

    def other_machine(self):
        name = self.random.choice(self.names)
        keys = self.of(name)
        for key in keys[1:]:
            del self.files[key]
        if keys:
            self.files[keys[0]] = pe.dll(name, machine=0xAA64)
        self.note(f"{name} for another machine")

    def dependency_gone(self):
        name = self.random.choice(self.names)
        deep = self.random.random() < 0.4
        self.replace(name, self.stub(name, [("inner64.dll" if deep else "gone64.dll", ["f"])]))
        if deep:
            inner = pe.dll("inner64.dll", imports=[("gone64.dll", ["f"])], exports=["f"], code=RETURN_ZERO)
            self.put(self.random.choice(PLACES[:5]), "inner64.dll", inner)
        elif self.random.random() < 0.5:
            self.put(self.random.choice(ELSEWHERE[1:3]), "gone64.dll", pe.dll("gone64.dll", exports=["f"]))
        self.note(f"{name} imports what is not found{' two steps away' if deep else ''}")

    def no_cpp_runtime(self):
        """Windows without the Visual C++ runtime, or with half of it."""
        name = self.random.choice(["msvcp140.dll", "msvcp140.dll", "msvcp140_1.dll", "vcruntime140_1.dll"])
        self.taken_away.add("{system32}/" + name)
        self.note(f"no {name} in system32")

    def cpp_runtime_elsewhere(self):
        """Python's imports look beside the module and beside python.exe, and not in PATH."""
        name = self.random.choice(["msvcp140.dll", "msvcp140_1.dll", "vcruntime140_1.dll"])
        place = self.random.choice([CAPI, "{app}", "{s}/path1", "{s}/work", "{s}/nowhere"])
        self.taken_away.add("{system32}/" + name)
        self.put(place, name, (self.laboratory.system32 / name).read_bytes())
        self.note(f"{name} in {place}, not in system32")

    def word_size(self):
        """A DLL for 32 bits is passed over, be it the only one or not."""
        name = self.random.choice(self.names)
        self.put(self.random.choice(PLACES[:5]), name, pe.dll(name, machine=0x14C, code=RETURN_ZERO))
        self.note(f"a {name} for 32 bits")

    def folder_of_that_name(self):
        name = self.random.choice(self.names)
        place = self.random.choice(PLACES[:3])
        for key in self.of(name):
            if key.startswith(place + "/"):
                del self.files[key]
        self.put(f"{place}/{name}", "readme.txt", b"")
        self.note(f"a folder {name} in {place}")

    def python_file_gone(self):
        name = self.random.choice(["__init__.py", "capi/_pybind_state.py", "capi/onnxruntime_inference_collection.py", "capi/__init__.py",
                                   "capi/onnxruntime_validation.py", "capi/_ld_preload.py"])
        self.taken_away.add("{site}/onnxruntime/" + name)
        self.note(f"no onnxruntime/{name}")

    def no_numpy(self):
        self.taken_away.add("{site}/numpy")
        self.note("no numpy folder")

    def shadowed(self):
        self.variables["PYTHONPATH"] = "{s}\\nowhere"
        self.put("{s}/nowhere", "onnxruntime/__init__.py", b"")
        self.note("another onnxruntime on PYTHONPATH")

    def unused_package_gone(self):
        """What the wheel requires and its import does not."""
        name = self.random.choice(["flatbuffers", "coloredlogs", "sympy", "packaging"])
        self.taken_away.add("{site}/" + name)
        self.note(f"no {name} folder")

    def bridge_fault(self):
        self.taken_away.add(BRIDGE)
        self.not_told.add("onnxruntime_providers_shared.dll")
        kind = self.random.choice(["gone", "empty", "text"])
        if kind != "gone":
            self.files[BRIDGE] = b"" if kind == "empty" else b"not a DLL\n" * 100
        self.note(f"onnxruntime_providers_shared.dll {kind}")

    def provider_fault(self):
        self.taken_away.add(PROVIDER)
        self.not_told.add("onnxruntime_providers_cuda.dll")
        kind = self.random.choice(["gone", "empty", "cut"])
        if kind != "gone":
            self.files[PROVIDER] = b"" if kind == "empty" else b"MZ" + b"\0" * 600
        self.note(f"onnxruntime_providers_cuda.dll {kind}")

    def module_fault(self):
        self.taken_away.add(MODULE)
        self.not_told.add("onnxruntime_pybind11_state.pyd")
        kind = self.random.choice(["gone", "empty"])
        if kind == "empty":
            self.files[MODULE] = b""
        self.note(f"onnxruntime_pybind11_state.pyd {kind}")

    def no_driver(self):
        self.driver = ""
        self.note("no nvcuda.dll")

    def driver_fails(self):
        self.variables["GPU_DOUBLE_CUINIT"] = self.random.choice(["1", "3", "100", "101", "802", "999"])
        self.note(f"cuInit {self.variables['GPU_DOUBLE_CUINIT']}")

    def no_device(self):
        self.variables["GPU_DOUBLE_COUNT"] = "0"
        self.note("no device")

    def old_driver(self):
        self.variables["GPU_DOUBLE_DRIVER"] = self.random.choice(["10020", "11040"])
        self.note(f"driver for CUDA {self.variables['GPU_DOUBLE_DRIVER']}")

    def old_device(self):
        self.variables["GPU_DOUBLE_CC"] = self.random.choice(["3.0", "3.5", "5.2", "6.1", "7.5", "8.9", "9.0"])
        self.note(f"compute capability {self.variables['GPU_DOUBLE_CC']}")

    ODDITIES = ["other_versions", "announce", "path_forms", "cuda_path", "two_devices", "dependency", "import_of_nothing", "second_copy",
                "unused_package_gone"]
    FAULTS = ["gone", "gone", "gone", "moved", "moved", "not_on_path", "renamed", "damaged", "other_machine", "dependency_gone",
              "dependency_gone", "no_cpp_runtime", "cpp_runtime_elsewhere", "word_size", "folder_of_that_name", "python_file_gone",
              "no_numpy", "shadowed", "bridge_fault", "provider_fault", "module_fault", "no_driver", "driver_fails", "no_device",
              "old_driver", "old_device"]
