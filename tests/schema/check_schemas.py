"""Real answers must keep to the published schemas, and to nothing but what these describe.
    check_schemas.py GPUWAY SOURCE-FOLDER [ENVIRONMENT ...]
Asks gpuway about this machine, about an environment made here with several faults, and about saved machines with a GPU,
with and without a driver; further environments can be named. The judge is the jsonschema package; the schemas are made
strict first: a field that is not described, or one that is missing, is a fault."""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("no jsonschema: nothing was checked (pip install -r tests/requirements.txt)")
    sys.exit(0)

import tomllib

faults = []
counted = {"check": 0, "snapshot": 0, "inspect": 0, "routes": 0, "explain": 0, "findings": set()}


def strict(schema):
    """The same schema, closed: no further fields, and all of them there that are not marked x-optional."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: strict(value) for key, value in schema.items()}
    properties = schema.get("properties")
    if isinstance(properties, dict) and schema.get("type") == "object":
        out["additionalProperties"] = False
        out["required"] = [name for name, part in properties.items()
                           if not part.get("x-optional") and (name in schema.get("required", []) or not is_answer(schema))]
    return out


def is_answer(schema) -> bool:
    """One of a fact's three answers: where it comes from, and the detail, are there only when known."""
    return "const" in schema["properties"].get("state", {})


class Schemas:
    def __init__(self, folder: pathlib.Path):
        self.open, self.closed = {}, {}
        for name in ("check", "snapshot", "inspect", "routes", "explain"):
            schema = json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8"))
            jsonschema.Draft202012Validator.check_schema(schema)
            self.open[name] = jsonschema.Draft202012Validator(schema)
            self.closed[name] = jsonschema.Draft202012Validator(strict(schema))

    def check(self, name: str, document: dict, what: str) -> None:
        counted[name] += 1
        for validator in (self.open[name], self.closed[name]):
            for fault in list(validator.iter_errors(document))[:5]:
                faults.append(f"{what}: {fault.json_path}: {fault.message[:200]}")


def gpuway(program: str, *arguments, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "JAX_", "KERAS_", "CUDA_"))}
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, env=environment | variables, timeout=240)
    if done.returncode not in (0, 1):
        faults.append(f"gpuway {' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return done.stdout.decode("utf-8")


def references(document: dict, what: str, ids: set) -> None:
    """What a schema cannot say: keys lead to findings, causes are ids of findings, numbers are in range."""
    keys = {finding["key"] for finding in document["findings"]}
    environments = {environment["id"] for environment in document["environments"]}
    if len(keys) != len(document["findings"]):
        faults.append(f"{what}: a key is there twice")
    for finding in document["findings"]:
        counted["findings"].add(finding["id"])
        if finding["id"] not in ids:
            faults.append(f"{what}: {finding['id']} is not in data/tables/findings.toml")
        if finding["chain"] is not None and finding["chain"] >= len(document["chains"]):
            faults.append(f"{what}: {finding['key']} names chain {finding['chain']}")
    for chain in document["chains"]:
        used = set(chain["findings"]) | {key for link in chain["links"] for key in link["findings"]}
        if used - keys or chain["environment"] not in environments:
            faults.append(f"{what}: {chain['framework']} refers to {sorted(used - keys)} in {chain['environment']}")
        told = {key.split("#")[0] for key in chain["findings"]}
        for cause in [chain["cause"], *chain["breaks_next"]]:
            if cause is not None and cause not in told:
                faults.append(f"{what}: {chain['framework']}: the cause {cause} is none of its findings {sorted(told)}")


def texts(program: str, arguments: list, what: str, **variables) -> None:
    """Both languages: no placeholder left, no id in place of a text, Chinese prose within the width."""
    for language in ("en", "zh"):
        verbose = [] if arguments[0] == "explain" else ["--verbose"]
        out = gpuway(program, *arguments, "--lang", language, *verbose, **variables)
        for left in re.findall(r"\{[a-z_]+\}", out):
            faults.append(f"{what}, {language}: {left} was not filled in")
        for line in out.splitlines():
            if re.search(r"\b(link|place|certainty|inspect|explain)-[a-z]", line):
                faults.append(f"{what}, {language}: an id instead of a text: {line}")
        if language == "zh" and not re.search("[\u4e00-\u9fff]", out):
            faults.append(f"{what}: --lang zh says nothing in Chinese")


def language_of_environment(program: str, saved: pathlib.Path) -> None:
    english, chinese = (gpuway(program, "check", "--from", saved, "--lang", language) for language in ("en", "zh"))
    for variables, expected in (({"LC_ALL": "zh_CN.UTF-8"}, chinese), ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, english), ({}, english)):
        if gpuway(program, "check", "--from", saved, **variables) != expected or english == chinese:
            faults.append(f"the language of {variables} is another one")


def machine(schemas: Schemas, program: str, arguments: list, what: str, ids: set, folder: pathlib.Path, **variables):
    saved = folder / "saved.json"
    document = json.loads(gpuway(program, "check", "--json", "--save", saved, *arguments, **variables))
    schemas.check("check", document, what)
    references(document, what, ids)
    snapshot = json.loads(saved.read_text(encoding="utf-8"))
    schemas.check("snapshot", snapshot, f"{what}, saved")
    if json.loads(gpuway(program, "check", "--json", "--lang", "zh", "--from", saved)) != document:
        faults.append(f"{what}: the JSON of --from, with --lang zh, is another one")
    texts(program, ["check", "--from", saved], what)
    return document, snapshot


def routes(schemas: Schemas, program: str) -> None:
    for paper in ("RTX 3060 laptop, driver 566.36, windows 11, python 3.11", "GTX 1080, driver 470.10, ubuntu 22.04, wsl", "no gpu, windows 10 1809",
                  "RX 7900 XTX, linux", "2x RTX 5090, driver 580.95, debian 12, python 3.12, tensorflow 2.18"):
        for framework in ("tensorflow", "pytorch", "jax", "onnxruntime"):
            arguments = ["routes", "--machine", paper, "--need", framework]
            schemas.check("routes", json.loads(gpuway(program, *arguments, "--json")), f"{paper}, {framework}")
            for language in ("en", "zh"):
                out = gpuway(program, *arguments, "--lang", language)
                if re.search(r"\{[a-z_]+\}|\b(route|against|first|later|verdict)-[a-z]", out):
                    faults.append(f"{paper}, {framework}, {language}: a text is missing")


def make_environment(folder: pathlib.Path) -> pathlib.Path:
    """An environment with a little of everything that is wrong before any library is loaded."""
    prefix = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--symlinks", prefix], check=True)
    site = next((prefix / "lib").glob("python3*")) / "site-packages"

    def package(name: str, version: str, module: str, files: dict, requires=()) -> None:
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}", *(f"Requires-Dist: {line}" for line in requires)]
        (info / "METADATA").write_text("\n".join(lines) + "\n\n")
        (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp39-cp39-manylinux_2_17_x86_64\n")
        (info / "INSTALLER").write_text("pip\n")
        for path, text in files.items():
            (site / module / path).parent.mkdir(parents=True, exist_ok=True)
            (site / module / path).write_text(text)

    package("tensorflow", "2.15.1", "tensorflow", {"__init__.py": "", "python/pywrap_tensorflow.py": ""}, ["numpy<2"])
    package("tensorflow-cpu", "2.15.1", "tensorflow", {"__init__.py": ""})
    package("torch", "2.6.0", "torch", {"__init__.py": "", "version.py": "cuda = '12.4'\n", "lib/readme": ""}, ["typing-extensions>=4.10"])
    package("onnxruntime", "1.18.1", "onnxruntime", {"__init__.py": "", "capi/__init__.py": ""})
    package("onnxruntime-gpu", "1.18.1", "onnxruntime", {"__init__.py": ""})
    package("jax", "0.5.0", "jax", {"__init__.py": "", "version.py": '_version = "0.5.0"\n_minimum_jaxlib_version = "0.4.36"\n'})
    package("jaxlib", "0.4.1", "jaxlib", {"__init__.py": "", "libjax_common.so": "no ELF file" * 20})
    package("keras", "3.5.0", "keras", {"__init__.py": ""})
    package("numpy", "2.0.0", "numpy", {"__init__.py": "", "version.py": 'short_version = "2.0.0"\n'})
    (site / "~ensorflow").mkdir()
    (site / "run.pth").write_text("import sys\n")
    return prefix


def with_gpu(snapshot: dict, driver: bool) -> dict:
    """The same machine with an NVIDIA adapter, and with or without a driver that answers."""
    out = copy.deepcopy(snapshot)
    adapter = {"address": "0000:01:00.0", "vendor": 4318, "device": 9860, "subsystem_vendor": 0, "subsystem_device": 0,
               "driver": "nvidia" if driver else "nouveau", "name": "", "power_state": "D0", "boot_display": True}
    source = {"kind": "folder", "where": "/sys/bus/pci/devices"}
    out["pci_gpus"] = {"state": "known", "value": [adapter], "source": source}
    out["driver"]["reports"] = {}
    if driver:
        device = {"ordinal": 0, "name": "NVIDIA GeForce RTX 4090", "compute_major": 8, "compute_minor": 9, "memory_bytes": 25757220864,
                  "pci_bus_id": "0000:01:00.0", "uuid": "GPU-00000000-0000-0000-0000-000000000000", "compute_mode": 0,
                  "multiprocessors": 108}
        nvml = {"path": "/usr/lib/libnvidia-ml.so.1", "loaded": True, "load_error": "", "missing_symbols": [], "init_code": 0,
                "driver_version": "550.54.14", "device_count": 1, "mig_modes": [-1], "mig_instances": [0]}
        out["driver"]["reports"]["/usr/lib/libcuda.so.1"] = {
            "path": "/usr/lib/libcuda.so.1", "outcome": "finished", "detail": "", "last_step": "", "loaded": True, "load_error": "",
            "driver_version": 12040, "init_code": 0, "device_count": 1, "count_code": 0, "devices": [device], "nvml": nvml}
    return out


def schemas_can_fail(schemas: Schemas, document: dict, snapshot: dict) -> None:
    """The checks above are worth nothing if a wrong document passes them."""
    def expect_fault(name: str, edited: dict, what: str) -> None:
        if schemas.closed[name].is_valid(edited):
            faults.append(f"the strict schema {name} accepts {what}")

    for name, sound in (("check", document), ("snapshot", snapshot)):
        expect_fault(name, sound | {"another": 1}, "an undocumented field")
        for field in sound:
            expect_fault(name, {key: value for key, value in sound.items() if key != field}, f"a document without {field}")
    edited = copy.deepcopy(document)
    edited["chains"][0]["sees_gpu"] = "maybe"
    expect_fault("check", edited, "another verdict")
    edited = copy.deepcopy(snapshot)
    edited["system"]["kernel"] = {"state": "known"}
    expect_fault("snapshot", edited, "a known fact without a value")
    if not schemas.open["check"].is_valid(document | {"another": 1}) or not schemas.open["snapshot"].is_valid(snapshot | {"another": 1}):
        faults.append("a published schema refuses a field that a later version may add")


LOGS = {
    "decided": "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\nTraceback:\nRuntimeError: CUDA error: system not yet initialized\n",
    "open": "W dso_loader.cc:64] Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found\n",
    "harmless": "E cuda_dnn.cc:1] Unable to register cuDNN factory: Attempting to register factory\n",
    "nothing": "Epoch 1/3\n\xff\xfe\n",
    "empty": "",
}


def logs(schemas: Schemas, program: str, ids: set, folder: pathlib.Path) -> None:
    for name, text in LOGS.items():
        file = folder / f"{name}.log"
        file.write_bytes(text.encode("latin-1"))
        document = json.loads(gpuway(program, "explain", "--json", file))
        schemas.check("explain", document, f"explain, {name}")
        texts(program, ["explain", file], f"explain, {name}")
        if document["decided"] != (name == "decided") or bool(document["causes"]) != (name in ("decided", "open")):
            faults.append(f"explain, {name}: {document['decided']}, {document['causes']}")
        for cause in document["causes"]:
            if cause["id"] not in ids or not cause["lines"] or max(cause["lines"]) > document["lines"]:
                faults.append(f"explain, {name}: {cause}")
        if bool(document["missing_facts"]) == document["decided"]:
            faults.append(f"explain, {name}: {document['missing_facts']}")
    (folder / "binary.log").write_bytes(bytes(range(256)) * 8)
    document = json.loads(gpuway(program, "explain", "--json", folder / "binary.log"))
    schemas.check("explain", document, "explain, binary")
    if not document["binary"]:
        faults.append("explain: a binary file is taken for text")


def main() -> int:
    program, source = sys.argv[1], pathlib.Path(sys.argv[2])
    schemas = Schemas(source / "docs/schema")
    ids = {row["id"] for row in tomllib.loads((source / "data/tables/findings.toml").read_text(encoding="utf-8"))["finding"]}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = make_environment(folder)
        document, snapshot = machine(schemas, program, ["--env", prefix], "a faulty environment", ids, folder, HOME=name, JAX_PLATFORMS="cpu")
        if not document["chains"] or len({finding["id"] for finding in document["findings"]}) < 5:
            faults.append(f"the faulty environment has only {[finding['key'] for finding in document['findings']]}: too little is checked")
        schemas_can_fail(schemas, document, snapshot)
        language_of_environment(program, folder / "saved.json")
        for driver in (False, True):
            edited = with_gpu(snapshot, driver)
            what = "a GPU with a driver" if driver else "a GPU without a driver"
            schemas.check("snapshot", edited, what)
            (folder / "edited.json").write_text(json.dumps(edited))
            answer = json.loads(gpuway(program, "check", "--json", "--from", folder / "edited.json"))
            schemas.check("check", answer, what)
            references(answer, what, ids)
            texts(program, ["check", "--from", folder / "edited.json"], what)
            if [gpu["visible"] for gpu in answer["machine"]["gpus"]] != [driver]:
                faults.append(f"{what}: {answer['machine']}")
        routes(schemas, program)
        machine(schemas, program, ["--all"], "this machine", ids, folder, HOME=name)
        (folder / "root").mkdir()
        machine(schemas, program, ["--root", folder / "root"], "an empty root", ids, folder)
        for environment in sys.argv[3:]:
            machine(schemas, program, ["--env", environment], environment, ids, folder)
        table = tomllib.loads((source / "data/tables/findings.toml").read_text(encoding="utf-8"))
        logs(schemas, program, ids | {word for row in table["reserved"] for word in row["ids"]}, folder)
        for path in ("/bin/sh", prefix, program):
            schemas.check("inspect", json.loads(gpuway(program, "inspect", "--all", "--json", path)), f"inspect {path}")
            texts(program, ["inspect", "--all", path], f"inspect {path}")
    print("\n".join(faults[:60]) or ", ".join(f"{value if isinstance(value, int) else len(value)} {key}" for key, value in counted.items()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
