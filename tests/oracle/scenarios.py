"""Generated machines: which environment, what is wrong with it, who is asked. The same seed gives the same scenarios.

A scenario is plain data (paths as {site}, {cuda} …, see box.Box.names), so that it can be kept, replayed and hashed:
env, question (fast or python), set and place of the libraries, driver, device_nodes, conf, operations, after_cache,
environment, tags (what was done, in words), alarm_free (nothing was done that a user should be told of)."""

import glob
import os
import random

import stubs
from environments import ENVIRONMENTS
from faults_python import PythonSide
from faults_variables import Variables
from faults_wider import WiderLibraries

UUID = "GPU-a0a1a2a3-a4a5-a6a7-a8a9-aaabacadae%02x"
# cuInit codes that drivers are seen to answer.
_CUINIT = [1, 2, 3, 34, 46, 100, 101, 201, 303, 304, 802, 803, 804, 999]
_DRIVERS = [("driver-10020", 10020, "440.33.01"), ("driver-11040", 11040, "470.57.02"), ("driver-11040", 11080, "520.61.05"),
            ("driver-12040", 12020, "535.54.03"), ("driver-99999", 12080, "570.86.15"), ("driver-99999", 13000, "580.65.06"),
            ("driver-99999", 13020, "595.10.01")]

# Per framework, library beginnings that its answer does not depend on; taking them away is a harmless oddity.
_SPARE = {"tensorflow": ("libcurand", "libcupti", "libnvrtc", "libnccl"), "pytorch": ("libnvrtc-builtins",),
          "jax": ("libnccl", "libnvrtc", "libnvshmem"), "onnxruntime": ("libcufft", "libcudnn")}


SHORT = {"tensorflow": "tf", "pytorch": "torch", "onnxruntime": "ort"}

REAL_LIBRARIES = {}  # name of an environment with the vendor's own libraries -> {file name: path}; see find_real_libraries


def find_real_libraries(name, site):
    """Lists NVIDIA's libraries of an environment that was built with them."""
    REAL_LIBRARIES[name] = {os.path.basename(path): path.replace(site, "{site}", 1)
                            for path in sorted(glob.glob(site + "/nvidia/*/lib/lib*.so.*"))}


class Maker(PythonSide, Variables, WiderLibraries):
    """One scenario in the making."""

    def __init__(self, rng, environment, question):
        self.rng, self.environment = rng, environment
        driver = "driver-99999" if environment.set.startswith("cu13") or environment.real else "driver-12040"
        version = (13020, "595.10.01") if driver == "driver-99999" else (12040, "550.54.14")
        self.library_path = []
        self.touched = set()
        self.scenario = {
            "env": environment.name, "question": question, "set": environment.set, "place": environment.place,
            "driver": {"library": driver, "settings": {"driver_version": version[0], "driver": version[1]}},
            "device_nodes": True, "conf": {}, "operations": [], "after_cache": [], "environment": dict(environment.variables), "tags": [], "alarm_free": True,
        }

    # ---- where things are -------------------------------------------------------------------------------------------
    def lay_out(self):
        """Chooses the folder of the CUDA libraries: the wheels', or one on LD_LIBRARY_PATH or in the loader's cache."""
        place = self.environment.place
        if self.environment.set and self.environment.engine == "tensorflow" and self.rng.random() < 0.3:
            place = self.rng.choice(["ldpath", "conf"])
        elif place == "ldpath" and self.rng.random() < 0.3:
            place = "conf"
        if self.scenario["question"] == "python" and self.environment.engine in ("pytorch", "jax"):
            place = "wheels"
        self.scenario["place"] = place
        if place == "ldpath":
            self.library_path.append("{cuda}")
        elif place == "conf":
            self.scenario["conf"]["cuda.conf"] = "{cuda}"
        else:
            self.library_path += self.environment.healthy_path
        if place != "wheels":
            self.note(f"libraries in a folder by {place}")

    def libraries(self):
        """{SONAME: path} as laid out."""
        if not self.environment.set:
            return REAL_LIBRARIES.get(self.environment.name, {})
        wheels = self.scenario["place"] == "wheels"
        return {soname: f"{{site}}/{folder}/{soname}" if wheels else f"{{cuda}}/{soname}"
                for folder, names in stubs.SETS[self.environment.set].items() for soname in names}

    def stub(self, soname):
        """A good copy of a library, outside the machine."""
        name = self.environment.set
        if not name:
            return "{wrong}/good.so"
        for folder, names in stubs.SETS[name].items():
            if soname in names:
                return f"{{stubs}}/{name}/tree/{folder}/{soname}"
        raise KeyError(soname)

    def note(self, text, harmless=True):
        self.scenario["tags"].append(text)
        if not harmless:
            self.scenario["alarm_free"] = False

    def do(self, *operation):
        self.scenario["operations"].append(list(operation))

    def pick_library(self, spare=False):
        """A library not touched yet; with `spare` one that the framework does not depend on."""
        names = [n for n in sorted(self.libraries()) if n not in self.touched
                 and n.startswith(_SPARE[self.environment.engine]) == spare]
        if not names:
            return None
        name = self.rng.choice(names)
        self.touched.add(name)
        return name

    # ---- what can be wrong --------------------------------------------------------------------------------------------
    def damage(self, path, soname, kind):
        """Puts a file of `kind` at `path` in place of (or as) library `soname`."""
        if kind == "good":
            self.do("copy", self.stub(soname), path)
        elif kind == "elf32":
            self.do("copy", "{wrong}/elf32.so", path)
        elif kind == "other-machine":
            self.do("copy", "{wrong}/other_machine.so", path)
        elif kind == "empty-stub":
            self.do("copy", f"{{wrong}}/empty/{soname}", path)
        elif kind == "zero-bytes":
            self.do("write", path, "")
        elif kind == "text":
            self.do("write", path, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
        elif kind == "dangling-link":
            self.do("link", path, "{mnt}/gone/" + soname)
        elif kind == "cut-4000":
            self.do("copy", self.stub(soname), path)
            self.do("truncate", path, 4000)
        elif kind == "folder":
            self.do("write", path + "/readme", "")
        elif kind == "unreadable":
            self.do("copy", self.stub(soname), path)
            self.forbid(path)

    def library_gone(self, spare=False):
        soname = self.pick_library(spare)
        if not soname:
            return
        path = self.libraries()[soname]
        kind = self.rng.choice(["remove", "remove", "rename"]) if self.environment.set else "remove"
        if kind == "remove":
            self.do("remove", path)
        else:
            self.do("move", path, path + self.rng.choice([".bak", ".99", ".0.1"]))
        self.note(f"{soname}: {kind}", spare)

    def library_damaged(self):
        soname = self.pick_library()
        if not soname:
            return
        kind = self.rng.choice(["elf32", "other-machine", "empty-stub", "zero-bytes", "text", "dangling-link", "cut-4000", "folder",
                                "unreadable"])
        if soname.startswith("libcudnn.so.9") and kind == "empty-stub":
            kind = "elf32"  # an empty libcudnn that does not look for its graph part is no file of the vendor's
        path = self.libraries()[soname]
        if kind in ("folder",):
            self.do("remove", path)
        self.damage(path, soname, kind)
        self.note(f"{soname}: {kind} in place", False)

    def library_linked(self):
        """The library is a link to its real file elsewhere: the loader's $ORIGIN stays the link's folder."""
        soname = self.pick_library()
        if not soname or not self.environment.set:
            return
        path = self.libraries()[soname]
        self.do("move", path, "{mnt}/elsewhere/" + soname)
        self.do("link", path, "{mnt}/elsewhere/" + soname)
        self.note(f"{soname}: link to another folder")

    def library_moved(self):
        """The library is in a folder that is searched in another way, or in none."""
        soname = self.pick_library()
        if not soname or not self.environment.set:
            return
        how = self.rng.choice(["ldpath", "conf", "conf-after-cache", "system", "system-after-cache", "nowhere", "hwcaps", "preload"])
        path = self.libraries()[soname]
        self._place(soname, path, how)
        self.note(f"{soname}: moved, {how}", False)

    def _place(self, soname, path, how):
        if how == "ldpath":
            self.do("move", path, "{mnt}/moved/" + soname)
            self._add_path("{mnt}/moved")
        elif how == "conf":
            self.do("move", path, "{mnt}/moved-conf/" + soname)
            self.scenario["conf"]["moved.conf"] = "{mnt}/moved-conf"
        elif how == "conf-after-cache":
            self.scenario["conf"]["later.conf"] = "{mnt}/later"
            self.scenario["after_cache"].append(["move", path, "{mnt}/later/" + soname])
        elif how == "system":
            self.do("move", path, "{system}/" + soname)
        elif how == "system-after-cache":
            self.scenario["after_cache"].append(["move", path, "{system}/" + soname])
        elif how == "nowhere":
            self.do("move", path, "{mnt}/nowhere/" + soname)
        elif how == "hwcaps":
            folder = path.rsplit("/", 1)[0]
            self.do("move", path, f"{folder}/glibc-hwcaps/{self.rng.choice(['x86-64-v2', 'x86-64-v3'])}/{soname}")
        elif how == "preload":
            self.do("move", path, "{mnt}/preload/" + soname)
            before = self.scenario["environment"].get("LD_PRELOAD")
            self.scenario["environment"]["LD_PRELOAD"] = (before + ":" if before else "") + "{mnt}/preload/" + soname

    def _add_path(self, folder):
        if folder not in self.library_path:
            self.library_path.insert(self.rng.randint(0, len(self.library_path)), folder)

    def library_shadowed(self):
        """Another file of the same name where the loader may look first."""
        soname = self.pick_library()
        if not soname:
            return
        kind = self.rng.choice(["good", "good", "elf32", "other-machine", "empty-stub", "zero-bytes", "cut-4000", "dangling-link",
                                "unreadable"])
        if soname.startswith("libcudnn.so.9") and kind == "empty-stub":
            kind = "elf32"
        how = self.rng.choice(["ldpath", "ldpath", "conf", "system"])
        folder = {"ldpath": "{mnt}/shadow", "conf": "{mnt}/shadow-conf", "system": "{system}"}[how]
        self.damage(f"{folder}/{soname}", soname, kind)
        if how == "ldpath":
            if folder in self.library_path:
                self.library_path.remove(folder)
            self.library_path.insert(0 if self.rng.random() < 0.8 else len(self.library_path), folder)
        elif how == "conf":
            self.scenario["conf"][self.rng.choice(["aaa", "zzz"]) + "-shadow.conf"] = folder
        self.note(f"{soname}: {kind} copy by {how}", False)

    def path_odd(self):
        """Harmless things on LD_LIBRARY_PATH."""
        odd = self.rng.choice(["{mnt}/not-there", "", "{cwd}", "{mnt}/empty/", "lib", "{home}/.local/lib"])
        self.library_path.insert(self.rng.randint(0, len(self.library_path)), odd)
        self.note(f"LD_LIBRARY_PATH has {odd!r}")

    def old_neighbour(self):
        """Libraries of another major release lie on the path under their own names."""
        soname = self.rng.choice(sorted(self.libraries()))
        older = soname.rsplit(".", 1)[0] + ".7"
        if ".so." not in older:
            return
        self.do("copy", self.stub(soname), "{mnt}/older/" + older)
        self._add_path("{mnt}/older")
        self.note(f"{older} on LD_LIBRARY_PATH")

    def driver_gone(self):
        self.scenario["driver"]["library"] = None
        if self.rng.random() < 0.7:
            self.scenario["driver"]["nvml"] = False
        self.note("no libcuda.so.1", False)

    def driver_stub(self):
        self.scenario["driver"]["library"] = "stub-driver"
        self.note("libcuda.so.1 is the toolkit's stub", False)

    def driver_stub_first(self):
        """A stub on LD_LIBRARY_PATH before the real driver."""
        self.do("copy", "{doubles}/stub-driver/libcuda.so.1", "{mnt}/driver-stubs/libcuda.so.1")
        self.library_path.insert(0, "{mnt}/driver-stubs")
        self.note("stub libcuda.so.1 on LD_LIBRARY_PATH", False)

    def driver_fails(self):
        code = self.rng.choice(_CUINIT)
        self.scenario["driver"]["settings"]["cuinit"] = code
        self.note(f"cuInit answers {code}", False)

    def driver_dies(self):
        self.scenario["driver"]["settings"]["cuinit_crash"] = 1
        self.note("cuInit dies of a segmentation fault", False)

    def driver_hangs(self):
        self.scenario["driver"]["settings"]["cuinit_hang"] = 3600
        self.scenario["limit_s"] = 15
        self.note("cuInit never returns", False)

    def driver_age(self):
        library, version, driver = self.rng.choice(_DRIVERS)
        self.scenario["driver"]["library"] = library
        self.scenario["driver"]["settings"].update(driver_version=version, driver=driver)
        self.note(f"driver {driver} (CUDA {version})", False)

    def driver_damaged(self):
        kind = self.rng.choice(["elf32", "other-machine", "zero-bytes", "dangling-link", "text"])
        self.damage("{system}/libcuda.so.1", "libcuda.so.1", kind)
        self.scenario["driver"].pop("folder", None)
        self.note(f"libcuda.so.1: {kind} in place", False)

    def driver_elsewhere(self):
        """The driver's libraries come from a folder of the cache (as in WSL) or from LD_LIBRARY_PATH."""
        if any(path.startswith("{system}/lib") and "libcuda" in path for op in self.scenario["operations"] for path in op[1:2]):
            return
        self.scenario["driver"]["folder"] = "{mnt}/driver"
        if self.rng.random() < 0.6:
            self.scenario["conf"]["ld.wsl.conf"] = "{mnt}/driver"
            self.note("driver in a folder of ld.so.conf.d")
        else:
            self._add_path("{mnt}/driver")
            self.note("driver on LD_LIBRARY_PATH")

    def device_kind(self):
        capability = self.rng.choice(["3.0", "3.5", "5.2", "6.1", "7.0", "7.5", "8.6", "8.9", "9.0", "10.0", "12.0"])
        if self.environment.below_hopper and float(capability) >= 9:
            capability = "8.9"
        self.scenario["driver"]["settings"].update(cc=capability, name=f"NVIDIA GPU of {capability}")
        self.note(f"compute capability {capability}", False)

    def devices_two(self):
        self.scenario["driver"]["settings"]["count"] = 2
        self.note("two devices")

    def devices_none(self):
        self.scenario["driver"]["settings"]["count"] = 0
        self.note("driver with no device", False)

    def hidden(self):
        count = self.scenario["driver"]["settings"].get("count", 1)
        value = self.rng.choice(["", "-1", "0", "1", "0,1", "1,0", "0,-1", "5", "NoDevFiles", "none", UUID % 0, UUID % 1, UUID[:20],
                                 "GPU-deadbeef", "0,5", "0,,1", "0, 1", " 0", "0,0", "1,0,1", "00", "0 ", "-1,0", UUID % 0 + "," + UUID % 1,
                                 UUID % 0 + ",1", "MIG-" + (UUID % 0)[4:], (UUID % 0).upper()])
        self.scenario["environment"]["CUDA_VISIBLE_DEVICES"] = value
        self.note(f"CUDA_VISIBLE_DEVICES={value!r} with {count} device(s)", False)

    def nvml_bad(self):
        kind = self.rng.choice(["gone", "gone", "9", "18", "999", "elf32", "zero-bytes", "empty-stub"])
        if kind == "gone":
            self.scenario["driver"]["nvml"] = False
        elif kind.isdigit():
            self.scenario["driver"]["settings"]["nvml_init"] = int(kind)
        else:
            self.damage(self.scenario["driver"].get("folder", "{system}") + "/libnvidia-ml.so.1", "libnvidia-ml.so.1", kind)
        self.note(f"NVML: {kind}", False)

    def nodes_gone(self):
        self.scenario["device_nodes"] = False
        self.note("no /dev/nvidia*", False)

    def finish(self):
        for folder in self.scenario.pop("forbidden_last", []):  # what goes into the folder must go before
            self.do("forbid", folder)
        if self.library_path:
            self.scenario["environment"]["LD_LIBRARY_PATH"] = ":".join(self.library_path)
        return self.scenario


_LIBRARY_FAULTS = (["library_gone"] * 4 + ["library_damaged"] * 4 + ["library_moved"] * 3 + ["library_shadowed"] * 4
                   + ["toolkit_on_path", "wheels_of_other_major", "hwcaps_shadow", "hwcaps_shadow", "folder_forbidden"])
_DRIVER_FAULTS = (["driver_gone", "driver_stub", "driver_stub_first", "driver_damaged", "devices_none"] + ["driver_fails"] * 2
                  + ["driver_age"] * 2 + ["device_kind"] * 2 + ["hidden"] * 3 + ["nvml_bad"] * 2 + ["nodes_gone"])
_ODDITIES = ["path_odd", "old_neighbour", "devices_two", "driver_elsewhere", "library_linked", "spare_gone"]
_PYTHON_FAULTS = ["file_in_the_way"] * 3 + ["package_gone"] * 2 + ["other_release"] * 2
_VARIABLE_FAULTS = ["variable"] * 4 + ["keras_file"] * 2 + ["preload_odd"]
_PYTHON_ODDITIES = ["leftover", "user_site"]


def make(seed, index, families, names, fast_only):
    """Scenario `index` of `seed`, for one of the environments `names`."""
    rng = random.Random(f"{seed}/{index}")
    pool = [ENVIRONMENTS[name] for name in names]
    kinds = []
    for environment in pool:
        if SHORT.get(environment.framework, environment.framework) not in families:
            continue
        if environment.fast:
            kinds.append((environment, "fast", 11))
        if not fast_only and (environment.set or not environment.fast):
            kinds.append((environment, "python", {"onnxruntime": 8, "tensorflow": 2, "pytorch": 3, "jax": 5, "keras": 4}[environment.framework]))
    environment, question, _ = rng.choices(kinds, [weight for _, _, weight in kinds])[0]
    maker = Maker(rng, environment, question)
    maker.lay_out()
    faults = rng.choices([0, 1, 2, 3], [38, 34, 18, 10])[0]
    for _ in range(rng.choices([0, 1, 2], [45, 40, 15])[0]):
        oddities = _ODDITIES + (_PYTHON_ODDITIES if question == "python" else [])
        what = rng.choice(oddities)
        maker.library_gone(spare=True) if what == "spare_gone" else getattr(maker, what)()
    for _ in range(faults):
        pools = [_LIBRARY_FAULTS, _DRIVER_FAULTS, _VARIABLE_FAULTS] + ([_PYTHON_FAULTS, _PYTHON_FAULTS] if question == "python" else [])
        what = rng.choice(rng.choice(pools))
        if what == "driver_dies" and faults > 1:
            continue
        getattr(maker, what)()
    if question == "fast" and rng.random() < 0.004:
        maker.driver_hangs()
    scenario = maker.finish()
    scenario["id"] = f"{seed}-{index}"
    return scenario


def baselines(names):
    """The right machine of every environment: each framework must say yes here, else the doubles are broken."""
    found = []
    for name in names:
        environment = ENVIRONMENTS[name]
        for question in (["fast"] if environment.fast else []) + (["python"] if environment.set or not environment.fast else []):
            maker = Maker(random.Random(0), environment, question)
            maker.library_path += environment.healthy_path
            if environment.place == "ldpath":
                maker.library_path.append("{cuda}")
            scenario = maker.finish()
            scenario["id"] = f"baseline-{name}-{question}"
            found.append(scenario)
    return found
