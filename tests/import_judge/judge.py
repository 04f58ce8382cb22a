#!/usr/bin/env python3
"""Does `gpuway check` predict whether `import FRAMEWORK` ends without an error? The real interpreter is the judge.

    judge.py --gpuway PROGRAM --work DIR [--environments NAME,...] [--count N] [--seed S] [--small]

Makes real environments from the package index below DIR (kept between runs), breaks each in generated ways (modules taken
away, files in front of the search path, other versions of dependencies, left-overs, files of the package missing), asks
the interpreter and gpuway, and puts everything back. A third of the scenarios are healthy or harmlessly odd.
Ends with status 1 when one answer differs. `--small` is the part for every test run: ONNX Runtime's CPU package only.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

# name: (Python, framework, module, requirements). Python "system" is the interpreter that runs this script.
ENVIRONMENTS = {
    "ort-cpu": ("system", "onnxruntime", "onnxruntime", ["onnxruntime"]),
    "tf2101": ("3.10", "tensorflow", "tensorflow", ["tensorflow==2.10.1", "numpy<2"]),
    "tf2121": ("3.11", "tensorflow", "tensorflow", ["tensorflow==2.12.1"]),
    "tf2151": ("3.11", "tensorflow", "tensorflow", ["tensorflow==2.15.1"]),
    "tf2181": ("3.11", "tensorflow", "tensorflow", ["tensorflow==2.18.1"]),
    "tf2200": ("3.12", "tensorflow", "tensorflow", ["tensorflow==2.20.0"]),
    "tf2210": ("3.12", "tensorflow", "tensorflow", ["tensorflow==2.21.0"]),
    "torch260": ("3.11", "pytorch", "torch", ["torch==2.6.0", "numpy"]),
    "torch2150": ("3.12", "pytorch", "torch", ["torch==2.15.0", "numpy"]),
    "jax0430": ("3.11", "jax", "jax", ["jax==0.4.30", "jaxlib==0.4.30"]),
    "jax01201": ("3.12", "jax", "jax", ["jax==0.12.0.1"]),
    "ort1181": ("3.11", "onnxruntime", "onnxruntime", ["onnxruntime-gpu==1.18.1", "numpy<2"]),
    "ort1311": ("3.12", "onnxruntime", "onnxruntime", ["onnxruntime-gpu==1.31.1"]),
}

# What another version of a dependency may be; installed beside the environment and put on PYTHONPATH or into it.
OTHER_VERSIONS = {
    "numpy": ["1.24.4", "1.26.4", "2.0.2", "2.2.6"],
    "protobuf": ["3.19.6", "3.20.3", "4.25.9", "5.28.3", "5.29.6", "6.30.2", "6.31.1", "7.36.2"],
    "ml_dtypes": ["0.2.0", "0.3.2", "0.4.1", "0.5.4", "0.6.0"],
    "keras": ["2.10.0", "2.15.0", "3.4.1"],
    "typing_extensions": ["4.5.0", "4.16.0"],
    "gast": ["0.4.0", "0.7.0"],
    "wrapt": ["1.14.2", "2.5.2"],
    "jaxlib": ["0.4.30", "0.11.0", "0.12.0.1"],
    "six": ["1.16.0", "1.17.0"],
    "flatbuffers": ["2.0.7", "25.2.10"],
}
USED_BY = {
    "tensorflow": ["numpy", "protobuf", "ml_dtypes", "keras", "typing_extensions", "gast", "wrapt", "six", "flatbuffers"],
    "pytorch": ["numpy", "typing_extensions"],
    "jax": ["numpy", "ml_dtypes", "jaxlib"],
    "onnxruntime": ["numpy", "protobuf", "flatbuffers"],
}
MODULES = {
    "tensorflow": ["absl", "astunparse", "certifi", "charset_normalizer", "flatbuffers", "gast", "grpc", "h5py", "idna", "keras",
                   "ml_dtypes", "numpy", "opt_einsum", "optree", "packaging", "requests", "rich", "six.py", "tensorboard",
                   "termcolor", "typing_extensions.py", "urllib3", "wrapt", "google/protobuf", "markdown", "werkzeug"],
    "pytorch": ["typing_extensions.py", "sympy", "mpmath", "networkx", "jinja2", "fsspec", "filelock", "numpy", "markupsafe"],
    "jax": ["numpy", "scipy", "ml_dtypes", "opt_einsum", "jaxlib"],
    "onnxruntime": ["numpy", "flatbuffers", "google/protobuf", "packaging", "sympy", "coloredlogs", "humanfriendly"],
}
KEY_FILES = {
    "tensorflow": ["__init__.py", "python/framework/ops.py", "core/framework/graph_pb2.py", "python/pywrap_tensorflow.py"],
    "pytorch": ["__init__.py", "version.py", "_tensor.py", "functional.py"],
    "jax": ["__init__.py", "version.py", "_src/core.py"],
    "onnxruntime": ["__init__.py", "capi/_pybind_state.py", "capi/onnxruntime_validation.py"],
}
SHADOWS = ["typing", "random", "json", "logging", "numpy", "google", "requests", "six", "keras", "absl", "types", "queue",
           "select", "platform", "inspect", "email", "copy", "code", "glob", "csv", "statistics", "math", "struct", "token",
           "numbers", "string", "secrets", "calendar", "pandas", "scipy", "h5py", "wandb", "utils", "config", "train", "test",
           "tensorboard", "packaging", "collections", "functools", "warnings", "enum", "re", "io", "os", "abc", "site", "cmd",
           "brotli", "simplejson", "jax", "sympy", "mpmath", "yaml", "tqdm", "http", "html", "hashlib", "decimal", "ssl"]
CONTENTS = {"empty": "", "comment": "# mine\n", "doc": '"""Notes."""\n', "other": "VALUE = 3\n\n\ndef main():\n    return VALUE\n"}


class Environment:
    def __init__(self, name, folder, python):
        self.name = name
        _, self.framework, self.module, self.requirements = ENVIRONMENTS[name]
        self.prefix = folder / name
        self.python = self.prefix / "bin/python"
        if not (self.prefix / "ok").exists():
            make_environment(self.prefix, python, self.requirements)
        found = sorted(self.prefix.glob("lib/python3*/site-packages"))
        self.site = found[0]
        self.version = self.site.parent.name


def uv():
    return shutil.which("uv")


def make_environment(prefix, python, requirements):
    shutil.rmtree(prefix, ignore_errors=True)
    prefix.parent.mkdir(parents=True, exist_ok=True)
    if uv():
        subprocess.run([uv(), "venv", "-q", "--python", python, str(prefix)], check=True)
        subprocess.run([uv(), "pip", "install", "-q", "--python", str(prefix / "bin/python"), *requirements], check=True)
    else:
        subprocess.run([python, "-m", "venv", str(prefix)], check=True)
        subprocess.run([str(prefix / "bin/python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", *requirements], check=True)
    (prefix / "ok").touch()


def other_version(work, environment, name, version):
    """A folder that holds only this version of a package, or None when the index has no wheel for this Python."""
    folder = work / "other" / ("%s-%s-%s" % (name, version, environment.version))
    if (folder / "ok").exists():
        return folder
    if folder.with_suffix(".none").exists():
        return None
    common = ["install", "-q", "--no-deps", "--only-binary", ":all:", "--target", str(folder), "%s==%s" % (name, version)]
    if uv():
        command = [uv(), "pip", *common[:2], "--python", str(environment.python), *common[2:]]
    else:
        command = [str(environment.python), "-m", "pip", *common, "--disable-pip-version-check"]
    folder.parent.mkdir(parents=True, exist_ok=True)
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0:
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_suffix(".none").touch()
        return None
    (folder / "ok").touch()
    return folder


class Scenario:
    """Faults that are laid over an environment and taken away again, whatever happens in between."""

    def __init__(self, environment, work):
        self.environment, self.work = environment, work
        self.text, self.undo, self.variables = [], [], {}
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scenario-", dir=work))
        self.current = self.folder / "project"
        self.current.mkdir()

    def say(self, text):
        self.text.append(text)

    def move_away(self, path):
        aside = self.folder / ("aside-%d" % len(self.undo))
        os.rename(path, aside)
        self.undo.append(lambda: os.rename(aside, path))

    def make(self, path, text=None):
        """A file with text, or a folder; removed afterwards."""
        if text is None:
            path.mkdir()
        else:
            path.write_text(text)
        self.undo.append(lambda: shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink())

    def extend_path(self, folder):
        known = self.variables.get("PYTHONPATH")
        self.variables["PYTHONPATH"] = str(folder) if not known else known + ":" + str(folder)

    def close(self):
        for step in reversed(self.undo):
            step()
        shutil.rmtree(self.folder, ignore_errors=True)


def fault_removed_module(scenario, rng):
    module = rng.choice(MODULES[scenario.environment.framework])
    path = scenario.environment.site / module
    if not path.exists():
        return False
    scenario.say("without %s" % module)
    name = module.split("/")[-1].removesuffix(".py").replace("_", "[-_]")
    if rng.random() < 0.5:
        for info in list(scenario.environment.site.glob(name + "-*.dist-info")):
            scenario.move_away(info)
            scenario.say("nor its record")
    scenario.move_away(path)
    return True


def fault_shadow(scenario, rng):
    module = rng.choice(SHADOWS + [scenario.environment.module])
    kind, content = rng.choice(["file", "package", "folder"]), rng.choice(sorted(CONTENTS))
    folder = scenario.current
    where = "here"
    if rng.random() < 0.3:
        folder, where = scenario.folder / "library", "on PYTHONPATH"
        folder.mkdir(exist_ok=True)
        if str(folder) not in scenario.variables.get("PYTHONPATH", ""):
            scenario.extend_path(folder)
    if kind == "file":
        (folder / (module + ".py")).write_text(CONTENTS[content])
    else:
        (folder / module).mkdir(exist_ok=True)
        if kind == "package":
            (folder / module / "__init__.py").write_text(CONTENTS[content])
        else:
            (folder / module / "notes.txt").write_text("")
    scenario.say("%s %s (%s) %s" % (kind, module, content, where))
    return True


def fault_other_version(scenario, rng):
    name = rng.choice(USED_BY[scenario.environment.framework])
    version = rng.choice(OTHER_VERSIONS[name])
    folder = other_version(scenario.work, scenario.environment, name, version)
    if folder is None:
        return False
    if rng.random() < 0.5:
        scenario.extend_path(folder)
        scenario.say("%s %s on PYTHONPATH" % (name, version))
        return True
    site = scenario.environment.site
    pattern = name.replace("_", "[-_]") + "-*.dist-info"
    for info in list(site.glob(pattern)):
        scenario.move_away(info)
    for entry in sorted(folder.iterdir()):
        if entry.name in ("ok", "bin", "__pycache__"):
            continue
        if entry.name == "google":   # a namespace: only its parts are exchanged
            for part in sorted(entry.iterdir()):
                if (site / "google" / part.name).exists():
                    scenario.move_away(site / "google" / part.name)
                copy_tree(scenario, part, site / "google" / part.name)
            continue
        if (site / entry.name).exists():
            scenario.move_away(site / entry.name)
        copy_tree(scenario, entry, site / entry.name)
    scenario.say("%s %s installed" % (name, version))
    return True


def copy_tree(scenario, source, target):
    if source.is_dir():
        shutil.copytree(source, target, copy_function=os.link)
        scenario.undo.append(lambda: shutil.rmtree(target))
    else:
        os.link(source, target)
        scenario.undo.append(target.unlink)


def fault_missing_file(scenario, rng):
    name = rng.choice(KEY_FILES[scenario.environment.framework])
    path = scenario.environment.site / scenario.environment.module / name
    if not path.exists():
        return False
    scenario.move_away(path)
    scenario.say("without %s" % name)
    return True


def fault_removed_framework(scenario, rng):
    scenario.move_away(scenario.environment.site / scenario.environment.module)
    scenario.say("framework folder gone, record left")
    return True


def odd_leftover(scenario, rng):
    path = scenario.environment.site / ("~" + scenario.environment.module[1:])
    if path.exists():
        return False
    scenario.make(path)
    scenario.say("left-over %s" % path.name)
    return True


def odd_unread_variable(scenario, rng):
    scenario.variables["PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION"] = "python"
    scenario.say("protobuf in Python")
    return True


FAULTS = [(fault_removed_module, 5), (fault_shadow, 6), (fault_other_version, 4), (fault_missing_file, 2), (fault_removed_framework, 1)]
ODDITIES = [(odd_leftover, 2), (odd_unread_variable, 1)]


def build(environment, work, rng):
    scenario = Scenario(environment, work)
    try:
        if rng.random() < 0.2:
            for _ in range(rng.randint(0, 2)):
                rng.choices([f for f, _ in ODDITIES], [w for _, w in ODDITIES])[0](scenario, rng)
        else:
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                try:
                    rng.choices([f for f, _ in FAULTS], [w for _, w in FAULTS])[0](scenario, rng)
                except FileNotFoundError:   # a second fault on what the first took away
                    pass
    except BaseException:
        scenario.close()
        raise
    return scenario


def surroundings(scenario):
    variables = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TF_", "JAX_", "KERAS_"))}
    variables.update(HOME=str(scenario.folder), CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", PYTHONDONTWRITEBYTECODE="1")
    variables.update(scenario.variables)
    return variables


def ask_interpreter(scenario):
    environment = scenario.environment
    code = "import %s\nprint('IMPORT ENDED')" % environment.module
    script = scenario.current / "run_me_7391.py"
    script.write_text(code)
    run = subprocess.run([str(environment.python), str(script)], cwd=scenario.current, env=surroundings(scenario),
                         capture_output=True, text=True, errors="replace", timeout=300)
    if "IMPORT ENDED" in run.stdout:
        return "yes", ""
    tail = [line for line in run.stderr.splitlines() if line.strip()][-1:] or [""]
    return ("crashes" if run.returncode < 0 else "no"), tail[0][:200]


def ask_gpuway(scenario, program):
    environment = scenario.environment
    run = subprocess.run([program, "check", "--json", "--env", str(environment.prefix), "--framework", environment.framework],
                         cwd=scenario.current, env=surroundings(scenario), capture_output=True, text=True, timeout=120)
    try:
        answer = json.loads(run.stdout)
    except ValueError:
        return "no answer", run.stderr[-300:], []
    chains = [c for c in answer["chains"] if c["framework"] == environment.framework]
    if not chains:
        return "no chain", "", []
    return chains[0]["imports"], chains[0]["cause"] or "", [f["id"] for f in answer["findings"] if f["severity"] != "note"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuway", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--environments")
    parser.add_argument("--venvs", help="where the environments lie; default: WORK/environments")
    parser.add_argument("--count", type=int, default=20, help="scenarios for each environment")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args()
    work = pathlib.Path(options.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    names = ["ort-cpu"] if options.small else options.environments.split(",") if options.environments else list(ENVIRONMENTS)
    program = os.path.abspath(options.gpuway)
    total, wrong, counts = 0, 0, {}
    for name in names:
        wanted = ENVIRONMENTS[name][0]
        python = sys.executable if wanted == "system" else wanted
        environment = Environment(name, pathlib.Path(options.venvs).resolve() if options.venvs else work / "environments", python)
        for number in range(options.count):
            rng = random.Random("%d/%s/%d" % (options.seed, name, number))
            scenario = build(environment, work, rng)
            try:
                truth, why = ask_interpreter(scenario)
                said, cause, alarms = ask_gpuway(scenario, program)
            finally:
                scenario.close()
            total += 1
            counts[truth] = counts.get(truth, 0) + 1
            if truth != said:
                wrong += 1
                print("DIFFERS %s #%d: %s\n    interpreter: %s %s\n    gpuway: %s %s" % (
                    name, number, "; ".join(scenario.text) or "nothing changed", truth, why, said, cause))
            elif options.count <= 5:
                print("same    %s #%d: %s: %s %s" % (name, number, "; ".join(scenario.text) or "nothing changed", said, cause))
            sys.stdout.flush()
    print("%d scenarios (%s), %d differ" % (total, ", ".join("%s %d" % c for c in sorted(counts.items())), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
