"""Seeded layouts of DLLs and process states for TensorFlow 2.10.1 on Windows."""

import random

import pe

DLLS = ["cudart64_110.dll", "cublas64_11.dll", "cublasLt64_11.dll", "cufft64_10.dll", "curand64_10.dll", "cusolver64_11.dll",
        "cusparse64_11.dll", "cudnn64_8.dll"]
# Where a file may lie; {app} is the folder of python.exe. Only the first six are searched.
PLACES = ["{s}/path1", "{s}/path2", "{s}/work", "{app}", "{system32}", "{s}/work/relative"]
ELSEWHERE = ["{s}/announced", "{s}/nowhere", "{site}/nvidia/cudnn/bin"]
OTHER = ["cudart64_101.dll", "cudart64_12.dll", "cublas64_12.dll", "cudnn64_9.dll", "cudnn64_7.dll"]


class Scenario:
    def __init__(self, seed: int, index: int):
        self.id = f"{seed}-{index}"
        self.random = random.Random(f"{seed}/{index}")
        self.files = {}          # place/name -> bytes
        self.variables = {}
        self.path = ["{s}/path1", "{s}/path2"]
        self.announced = []
        self.driver = "{system32}"
        self.notes = []
        self.owner = {}          # a DLL that only another one imports -> the one that TensorFlow asks for
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
        for name in DLLS:
            place = rng.choice(PLACES[:5]) if spread else usual
            written = name.upper() if rng.random() < 0.1 else name
            self.put(place, written, pe.dll(name))
        self.note("DLLs spread" if spread else f"DLLs in {usual}")
        if "{app}" in usual and rng.random() < 0.3:
            self.path = []
        for oddity in rng.sample(self.ODDITIES, rng.choice([0, 1, 1, 2])):
            getattr(self, oddity)()
        for fault in rng.sample(self.FAULTS, rng.choice([0, 0, 1, 1, 2])):
            getattr(self, fault)()

    def of(self, name: str) -> list:
        return [key for key in self.files if key.lower().endswith("/" + name.lower())]

    # ---- oddities that change nothing
    def other_versions(self):
        name = self.random.choice(OTHER)
        self.put(self.random.choice(PLACES[:5]), name, pe.dll(name))
        self.note(f"{name} beside them")

    def announce(self):
        self.announced.append("{s}/announced")
        self.put("{s}/announced", "cudnn64_8.dll", pe.dll("cudnn64_8.dll"))
        self.note("os.add_dll_directory")

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
        """A DLL that imports another one which lies on the searched places."""
        name = self.random.choice(DLLS)
        self.replace(name, pe.dll(name, imports=[("helper64.dll", ["f"])]))
        self.put(self.random.choice(PLACES[:5]), "helper64.dll", pe.dll("helper64.dll", exports=["f"]))
        self.owner["helper64.dll"] = name
        self.note(f"{name} imports helper64.dll, which is there")

    def import_of_nothing(self):
        """An import table entry without a function is passed over."""
        name = self.random.choice(DLLS)
        self.replace(name, pe.dll(name, imports=["never64.dll"]))
        self.note(f"{name} imports nothing from never64.dll")

    def second_copy(self):
        name = self.random.choice(DLLS)
        self.put(self.random.choice(PLACES[:5]), name, pe.dll(name))
        self.note(f"a second {name}")

    # ---- faults
    def replace(self, name: str, data: bytes) -> None:
        for key in self.of(name):
            self.files[key] = data

    def gone(self):
        for name in self.random.sample(DLLS, self.random.choice([1, 1, 1, 2, 3, 8])):
            for key in self.of(name):
                del self.files[key]
            self.note(f"{name} gone")

    def moved(self):
        name = self.random.choice(DLLS)
        for key in self.of(name):
            del self.files[key]
        place = self.random.choice(ELSEWHERE)
        self.put(place, name, pe.dll(name))
        if place == "{s}/announced" and place not in self.announced:
            self.announced.append(place)
        self.note(f"{name} only in {place}")

    def not_on_path(self):
        self.path = self.random.choice([[], self.path[:1], ["{s}/nowhere"]])
        self.note(f"PATH is {self.path}")

    def renamed(self):
        name = self.random.choice(DLLS)
        for key in self.of(name):
            self.files[key + ".bak"] = self.files.pop(key)
        self.note(f"{name} renamed")

    def damaged(self):
        name = self.random.choice(DLLS)
        kind = self.random.choice(["empty", "text", "cut", "header"])
        data = {"empty": b"", "text": b"version https://git-lfs.github.com/spec/v1\n" * 4, "cut": pe.dll(name)[:0x90],
                "header": b"MZ" + b"\0" * 200}[kind]
        self.replace(name, data)
        self.note(f"{name} {kind}")

    def other_machine(self):
        # Wine passes such a file over where Windows stops, so that it must be the only one of its name.
        name = self.random.choice(DLLS)
        keys = self.of(name)
        for key in keys[1:]:
            del self.files[key]
        if keys:
            self.files[keys[0]] = pe.dll(name, machine=0xAA64)   # Wine takes one for 32 bits without code
        self.note(f"{name} for another machine")

    def dependency_gone(self):
        name = self.random.choice(DLLS)
        deep = self.random.random() < 0.4
        self.replace(name, pe.dll(name, imports=[("inner64.dll" if deep else "gone64.dll", ["f"])]))
        if deep:
            self.put(self.random.choice(PLACES[:5]), "inner64.dll", pe.dll("inner64.dll", imports=[("gone64.dll", ["f"])], exports=["f"]))
        elif self.random.random() < 0.5:
            self.put(self.random.choice(ELSEWHERE[:2]), "gone64.dll", pe.dll("gone64.dll", exports=["f"]))
        self.owner["gone64.dll"] = self.owner["inner64.dll"] = name
        self.note(f"{name} imports what is not found{' two steps away' if deep else ''}")

    def no_driver(self):
        self.driver = ""
        self.note("no nvcuda.dll")

    def driver_elsewhere(self):
        self.driver = self.random.choice(["{s}/path1", "{s}/nowhere", "{app}", "{s}/work"])
        self.note(f"nvcuda.dll in {self.driver}")

    def driver_fails(self):
        self.variables["GPU_DOUBLE_CUINIT"] = self.random.choice(["1", "3", "100", "101", "802", "999"])
        self.note(f"cuInit {self.variables['GPU_DOUBLE_CUINIT']}")

    def no_device(self):
        self.variables["GPU_DOUBLE_COUNT"] = "0"
        self.note("no device")

    def old_device(self):
        self.variables["GPU_DOUBLE_CC"] = self.random.choice(["3.0", "3.5", "2.1", "5.0", "7.5", "8.9"])
        self.note(f"compute capability {self.variables['GPU_DOUBLE_CC']}")

    ODDITIES = ["other_versions", "announce", "path_forms", "cuda_path", "two_devices", "dependency", "import_of_nothing", "second_copy"]
    FAULTS = ["gone", "gone", "moved", "not_on_path", "renamed", "damaged", "other_machine", "dependency_gone", "no_driver", "driver_elsewhere",
              "driver_fails", "no_device", "old_device"]
