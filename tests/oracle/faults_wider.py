"""Whole sets of libraries in the wrong place or release, copies for newer processors, and files that may not be read."""

import stubs

_OTHER_SETS = ["cu11-cudnn8", "cu12-cudnn8", "cu12-cudnn9", "cu13-torch"]
_OTHER_WHEELS = ["cu12-cudnn9", "cu12-torch", "cu13-torch"]
SETS_AROUND = sorted({*_OTHER_SETS, *_OTHER_WHEELS})  # to be built whatever is judged


class WiderLibraries:
    """Part of scenarios.Maker."""

    def toolkit_on_path(self):
        """A whole toolkit of another release on LD_LIBRARY_PATH or in the loader's cache: its libraries shadow the wheels'."""
        name = self.rng.choice([n for n in _OTHER_SETS if n != self.environment.set])
        for folder, sonames in stubs.SETS[name].items():
            for soname in sonames:
                self.do("copy", f"{{stubs}}/{name}/tree/{folder}/{soname}", "{mnt}/toolkit/lib64/" + soname)
        if self.rng.random() < 0.7:
            self.library_path.insert(0 if self.rng.random() < 0.7 else len(self.library_path), "{mnt}/toolkit/lib64")
            self.note(f"toolkit {name} on LD_LIBRARY_PATH", False)
        else:
            self.scenario["conf"]["toolkit.conf"] = "{mnt}/toolkit/lib64"
            self.note(f"toolkit {name} in ld.so.conf.d", False)

    def wheels_of_other_major(self):
        """NVIDIA's wheels of another CUDA release: beside the right ones, or in their place."""
        if self.scenario["place"] != "wheels" or not self.environment.set:
            return
        name = self.rng.choice([n for n in _OTHER_WHEELS if n != self.environment.set])
        instead = self.rng.random() < 0.5
        if instead:
            for soname, path in self.libraries().items():
                self.do("remove?", path)
                self.touched.add(soname)
        self.do("copytree", f"{{stubs}}/{name}/tree", "{site}")
        self.note(f"wheels of {name} {'instead of' if instead else 'beside'} {self.environment.set}", False)

    def hwcaps_shadow(self):
        """Another file of the same name in a folder for newer processors below a folder that is searched."""
        soname = self.pick_library()
        if not soname or not self.environment.set:
            return
        kind = self.rng.choice(["good", "good", "elf32", "empty-stub", "zero-bytes", "cut-4000", "unreadable"])
        if soname.startswith("libcudnn.so.9") and kind == "empty-stub":
            kind = "elf32"
        level = self.rng.choice(["x86-64-v2", "x86-64-v3", "x86-64-v4"])
        base = self.rng.choice([self.libraries()[soname].rsplit("/", 1)[0], "{system}", "{mnt}/hwcaps"])
        if base == "{mnt}/hwcaps":
            self._add_path(base)
        self.damage(f"{base}/glibc-hwcaps/{level}/{soname}", soname, kind)
        self.note(f"{soname}: {kind} copy in {base}/glibc-hwcaps/{level}", False)

    def forbid(self, path):
        """Takes every right from a file or folder, and root's way round it from those who are asked."""
        self.do("forbid", path)
        self.scenario["plain_rights"] = True

    def folder_forbidden(self):
        """A folder of libraries that may not be searched."""
        where = self.rng.choice(["own", "ldpath"])
        if where == "own":
            folder = self.libraries()[self.rng.choice(sorted(self.libraries()))].rsplit("/", 1)[0]
            if not self.environment.set:
                return
        else:
            folder = "{mnt}/forbidden"
            soname = self.rng.choice(sorted(self.libraries()))
            self.do("copy", self.stub(soname), f"{folder}/{soname}")
            self._add_path(folder)
        self.scenario["forbidden_last"] = self.scenario.get("forbidden_last", []) + [folder]
        self.scenario["plain_rights"] = True
        self.note(f"folder {folder} without rights", False)
