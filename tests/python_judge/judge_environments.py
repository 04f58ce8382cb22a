"""Sets gpuway's picture of Python environments beside what the interpreters themselves say.

usage: judge_environments.py DRIVER [--count N] [--seed N]

Virtual environments of every interpreter found on this machine are filled with generated packages, .pth files, shadowing
files and leftovers; PYTHONPATH, the user's site folder and the other variables that move sys.path vary. Compared are
sys.path, the distributions of importlib.metadata, and the winner of each import by importlib's PathFinder.
"""
import argparse
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter

# Run by the judged interpreter itself; what it prints is the truth.
QUESTION = r"""
import os, sys
here, whole = os.getcwd(), list(sys.path)
# The question needs modules that the scenario may shadow.
library = os.path.dirname(os.__file__)
sys.path[:] = [library, library + "/lib-dynload"]
import importlib.machinery, json, sysconfig
ensurepip = importlib.machinery.PathFinder.find_spec("ensurepip", [library]) is not None
# What pip asks before it changes anything (PEP 668).
managed = sys.prefix == sys.base_prefix and os.path.isfile(os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED"))
try:
    from importlib import metadata
    list(metadata.distributions(path=[]))
    import email.parser, email.message, csv, zipfile
except ImportError:
    metadata = None
# As for a script in this folder; 3.8 would not look for distributions in "".
sys.path[:] = [p or here for p in whole]
names = json.loads(sys.stdin.read())
def text(path):
    return os.fsencode(path).decode("utf-8", "surrogateescape")
winners = {}
for name in names:
    spec = importlib.machinery.PathFinder.find_spec(name)
    if spec is not None and spec.origin in (None, "namespace"):
        winners[name] = ["namespace"] + [text(p) for p in spec.submodule_search_locations]
    elif spec is not None:
        winners[name] = [text(spec.origin)]
found = [] if metadata else None
for one in metadata.distributions() if metadata else []:
    try:
        name, version = one.metadata["Name"], one.metadata["Version"]
    except Exception:
        name = None
    if name:
        found.append([name, version, text(os.path.join(here, str(one._path)))])
print(json.dumps({"path": [text(p) for p in sys.path], "winners": winners, "distributions": found, "prefix": sys.prefix,
                  "base_prefix": sys.base_prefix, "version": "%d.%d.%d" % sys.version_info[:3],
                  "externally_managed": managed, "ensurepip": ensurepip, "suffixes": importlib.machinery.EXTENSION_SUFFIXES}))
"""

NAMES = ["alpha", "beta", "gamma", "delta", "numpy", "tensorflow", "json", "_ctypes", "sitecustomize_not", "google"]
DISTRIBUTIONS = ["alpha", "beta", "gamma-delta", "tensorflow", "numpy", "foo-bar"]


def interpreters():
    found = glob.glob("/usr/bin/python3.[0-9]*") + glob.glob("/usr/local/bin/python3.[0-9]*")
    roots = [os.environ.get("PYENV_ROOT", ""), os.path.expanduser("~/.pyenv")]
    for root in filter(None, roots):
        found += glob.glob(root + "/versions/3.*/bin/python3")
    found += glob.glob(os.path.expanduser("~/.local/share/uv/python/*/bin/python3"))
    found.append(os.path.join(sys.base_prefix, "bin", "python3"))
    unique = {}
    for path in found:
        if os.access(path, os.X_OK) and not path.endswith("config"):
            unique.setdefault(os.path.realpath(path), path)
    return sorted(unique.values())


def write(path, text=""):
    folder = os.path.dirname(path)
    if os.path.lexists(folder) and not os.path.isdir(folder):
        return   # a file or a dangling link of this name was made before
    os.makedirs(folder, exist_ok=True)
    if not os.path.isdir(path):
        with open(path, "wb" if isinstance(text, bytes) else "w") as file:
            file.write(text)


class Scenario:
    """One virtual environment (or a bare interpreter) with generated contents and variables."""

    def __init__(self, seed, interpreter, kind, prefix, work):
        self.random = random.Random(seed)
        self.interpreter, self.kind, self.prefix, self.work = interpreter, kind, prefix, work
        self.home, self.here = work + "/home", work + "/here"
        for folder in (self.home, self.here, work + "/pp1", work + "/pp2", work + "/extra"):
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
        self.variables = {"HOME": self.home, "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
        self.executable = interpreter if prefix is None else prefix + "/bin/python"
        self.version, self.suffixes, self.base = self.ask_version()
        self.distributions = set()

    def ask_version(self):
        code = "import sys, json, importlib.machinery as m; print(json.dumps([list(sys.version_info[:2]), m.EXTENSION_SUFFIXES, sys.base_prefix]))"
        out = subprocess.run([self.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout
        return json.loads(out)

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, *options):
        return self.random.choice(options)

    def fill(self, folder):
        for _ in range(self.random.randint(0, 5)):
            self.add_module(folder, self.pick(*NAMES))
        for _ in range(self.random.randint(0, 4)):
            self.add_distribution(folder, self.pick(*DISTRIBUTIONS))
        if self.chance(0.2):
            write(folder + self.pick("/~umpy/__init__.py", "/~lpha-1.0.dist-info/METADATA"), "Metadata-Version: 2.1\nName: alpha\nVersion: 1.0\n")
        if self.chance(0.1):
            write(folder + "/odd\nname \x1b[31m.txt")
        if self.chance(0.1):
            os.makedirs(os.fsencode(folder) + b"/bad\xff\xfe-1.0.data", exist_ok=True)

    def add_module(self, folder, name):
        kind = self.random.randrange(11)
        if kind in (0, 1):
            write(f"{folder}/{name}/__init__.py")
        elif kind == 2:
            write(f"{folder}/{name}.py")
        elif kind == 3:
            write(f"{folder}/{name}" + self.pick(*self.suffixes))
        elif kind == 4:
            write(f"{folder}/{name}" + self.pick(".cpython-34-x86_64-linux-gnu.so", ".cpython-399-x86_64-linux-gnu.so", f".cpython-{self.version[0]}{self.version[1]}-aarch64-linux-gnu.so", ".pyd", ".so.1", ".pypy39-pp73-x86_64-linux-gnu.so"))
        elif kind == 5:
            if not os.path.lexists(f"{folder}/{name}"):
                os.makedirs(f"{folder}/{name}")
        elif kind == 6:
            write(f"{folder}/{name}.pyc")
        elif kind == 7:
            if not os.path.lexists(f"{folder}/{name}.py"):
                os.makedirs(f"{folder}/{name}.py")
        elif kind == 8 and not os.path.lexists(f"{folder}/{name}"):
            os.symlink(self.pick("nowhere", self.work + "/extra", name), f"{folder}/{name}")
        elif kind == 9:
            write(f"{folder}/{name}/__init__" + self.pick(*self.suffixes, ".pyc"))
        elif kind == 10:
            write(f"{folder}/{name.upper()}.py")

    def add_distribution(self, folder, name):
        version = self.pick("1.0", "2.1.0+cu118", "3.0rc1")
        escaped = self.pick(name.replace("-", "_"), name.replace("-", "_").title())
        written = self.pick(name, name.replace("-", "."), name.title())
        headers = f"Metadata-Version: 2.1\nName: {written}\nVersion: {version}\nSummary: x\n  folded\n"
        if self.chance(0.3):
            headers += "\nName: in-the-description\n" + "text\n" * self.pick(1, 20000)
        kind = self.random.randrange(7)
        if kind <= 3:
            write(f"{folder}/{escaped}-{version}.dist-info/METADATA", headers)
            write(f"{folder}/{escaped}-{version}.dist-info/INSTALLER", "pip\n")
        elif kind == 4:
            write(f"{folder}/{escaped}-{version.replace('+', '_')}-py3.{self.version[1]}.egg-info/PKG-INFO", headers)
        elif kind == 5:
            write(f"{folder}/{escaped}.egg-info", headers)
        else:
            write(f"{folder}/{escaped}-{version}-py3.{self.version[1]}.egg/EGG-INFO/PKG-INFO", headers)
            write(f"{folder}/easy-install.pth", f"./{escaped}-{version}-py3.{self.version[1]}.egg\n")

    def add_pth(self, folder):
        lines = []
        for _ in range(self.random.randint(1, 5)):
            lines.append(self.pick("# a comment", "", "   ", "import sys; sys.made_by_pth = 1", "import\tsys", self.work + "/extra", "../relative", "nowhere",
                                   self.work + "/extra/./sub/..", "  " + self.work + "/pp2", self.work + "/pp2   ", "sub", "\ufeff" + self.work + "/pp1", "important",
                                   ".", self.work + "/zip.zip"))
        name = self.pick("a.pth", "zz.pth", ".hidden.pth", "B.pth", "\u00e4.pth", "distutils-precedence.pth", "x.PTH")
        write(f"{folder}/{name}", self.pick("\n", "\r\n", "\n").join(lines) + self.pick("", "\n"))
        if self.chance(0.3):
            os.makedirs(os.path.join(os.path.dirname(folder), "relative"), exist_ok=True)
        if self.chance(0.3):
            os.makedirs(folder + "/sub", exist_ok=True)

    def build(self):
        name = f"python{self.version[0]}.{self.version[1]}"
        self.fill(self.here) if self.chance(0.4) else None
        self.fill(self.work + "/pp1")
        self.fill(self.work + "/extra")
        with zipfile.ZipFile(self.work + "/zip.zip", "w") as archive:
            for name in {self.pick(*NAMES) for _ in range(self.random.randint(0, 2))} if self.chance(0.5) else ():
                archive.writestr(name + self.pick("/__init__.py", ".py", ".py.txt", self.suffixes[0], "/x.txt"), "")
        user_base = self.home + "/.local"
        if self.chance(0.15):
            user_base = self.variables["PYTHONUSERBASE"] = self.work + "/pp2/base"
        if self.chance(0.6):
            user_site = f"{user_base}/lib/{name}/site-packages"
            os.makedirs(user_site, exist_ok=True)
            self.fill(user_site)
            if self.chance(0.4):
                self.add_pth(user_site)
        if self.prefix is not None:
            site = f"{self.prefix}/lib/{name}/site-packages"
            shutil.rmtree(os.path.dirname(site), ignore_errors=True)
            os.makedirs(site)
            self.fill(site)
            self.fill(site)
            for _ in range(self.random.randint(0, 2)):
                self.add_pth(site)
        if self.chance(0.5):
            parts = [self.pick(self.work + "/pp1", self.work + "/pp2", "", ".", "relative/../x", self.work + "/nowhere", self.work + "/pp1/", self.work + "//pp1", self.work + "/zip.zip",
                               (self.prefix or self.work) + f"/lib/{name}/site-packages") for _ in range(self.random.randint(1, 4))]
            self.variables["PYTHONPATH"] = ":".join(parts)
        if self.chance(0.15):
            self.variables["PYTHONNOUSERSITE"] = self.pick("1", "")
        if self.chance(0.15):
            self.variables["PYTHONSAFEPATH"] = self.pick("1", "")
        if self.chance(0.1) and self.version >= [3, 7]:   # 3.6 takes an empty one for a home and dies
            self.variables["PYTHONHOME"] = ""
        elif self.chance(0.1):   # the standard library's place once more, as scripts of application bundles set it
            self.variables["PYTHONHOME"] = self.pick(self.base, self.base + ":" + self.base)
        if self.chance(0.15):
            self.variables["HOME"] = self.pick("", "../home", self.home + "/")
        elif self.chance(0.1):   # the user database has the home then
            del self.variables["HOME"]

    def truth(self):
        ran = subprocess.run([self.executable, "-c", QUESTION], input=json.dumps(NAMES), cwd=self.here, env=self.variables, capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        return json.loads(ran.stdout)

    def answer(self, driver):
        question = {"prefixes": [self.executable if self.prefix is None or self.chance(0.3) else self.prefix], "modules": NAMES, "distributions": DISTRIBUTIONS}
        ran = subprocess.run([driver], input=json.dumps(question), cwd=self.here, env=self.variables, capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr)
        environments = json.loads(ran.stdout)["environments"]
        if len(environments) != 1:
            raise RuntimeError(f"{len(environments)} environments")
        return environments[0]


def normal(name):
    import re
    return re.sub(r"[-_.]+", "-", name).lower()


def visible(text):
    """The driver's JSON writes bytes that are no UTF-8 as private characters, Python's as surrogates."""
    return "".join(chr(ord(c) - 0xF700 + 0xDC00) if 0xF780 <= ord(c) <= 0xF7FF else c for c in text)


def compare(scenario, truth, answer):
    wrong = []
    path = []
    for place in truth["path"]:
        place = place or scenario.here
        # A zip of the standard library that does not exist brings nothing; a second time brings nothing new.
        if place not in path and (os.path.exists(place) or not place.endswith(".zip")):
            path.append(place)
    ours = [visible(place["path"]) for place in answer["search_path"]]
    if ours != path:
        wrong.append(("sys.path", path, ours))
    for name in NAMES:
        candidates = [one for one in answer["imports"] if one["module"] == name]
        regular = [one["path"] for one in candidates if one["kind"] not in ("namespace_folder", "namespace-folder")]
        have = [visible(regular[0])] if regular else ["namespace"] + [visible(one["path"]) for one in candidates] if candidates else None
        want = truth["winners"].get(name)
        if want and want[0] == "namespace":
            want = ["namespace"] + list(dict.fromkeys(want[1:]))
        if have != want:
            wrong.append((f"import {name}", want, have))
    if truth["distributions"] is not None:
        want = sorted({(normal(name), version, where) for name, version, where in truth["distributions"] if not os.path.basename(where).startswith("~")})
        have = sorted({(one["name"], one["version"], visible(one["location"])) for one in answer["packages"]})
        # A distribution that was not asked for has the version of its folder, where '+' may be escaped.
        if have != want:
            wrong.append(("distributions", [one for one in want if one not in have], [one for one in have if one not in want]))
    for field in ("prefix", "base_prefix"):
        have = answer["path" if field == "prefix" else "base_prefix"]
        if have != truth[field]:
            wrong.append((field, truth[field], have))
    for field, have in (("externally_managed", answer["externally_managed"]), ("ensurepip", answer["ensurepip"].get("value"))):
        if have != truth[field]:
            wrong.append((field, truth[field], have))
    version = answer["version"].get("value")
    if version != truth["version"] and not (version and truth["version"].startswith(version + ".")):
        wrong.append(("version", truth["version"], version))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--count", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.driver = os.path.abspath(options.driver)
    pythons = interpreters()
    work = os.path.realpath(tempfile.mkdtemp(prefix="gpuway-judge-"))
    failures, kinds = [], Counter()
    try:
        prefixes = []
        for number, python in enumerate(pythons):
            prefixes.append((python, "bare", None))
            for kind, extra in (("venv", []), ("copies", ["--copies"]), ("system", ["--system-site-packages"])):
                prefix = f"{work}/{kind}-{number}"
                made = subprocess.run([python, "-m", "venv", "--without-pip", *extra, prefix], capture_output=True, text=True)
                if made.returncode == 0:
                    prefixes.append((python, kind, prefix))
        for number in range(options.count):
            python, kind, prefix = prefixes[number % len(prefixes)]
            scenario = Scenario(options.seed * 100000 + number, python, kind, prefix, work)
            scenario.build()
            kinds[kind] += 1
            try:
                wrong = compare(scenario, scenario.truth(), scenario.answer(options.driver))
            except RuntimeError as fault:
                wrong = [("run", "", str(fault))]
            if wrong:
                failures.append(number)
                print(f"scenario {number}: {python} {kind} {json.dumps({k: v for k, v in scenario.variables.items() if k.startswith('PYTHON')})}")
                for what, want, have in wrong:
                    print(f"  {what}\n    python: {want}\n    gpuway: {have}")
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{options.count} scenarios with {len(pythons)} interpreters ({dict(kinds)}), {len(failures)} disagreements {failures[:50]}")
    return 1 if failures or not options.count else 0


if __name__ == "__main__":
    sys.exit(main())
