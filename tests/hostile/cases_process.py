"""A process that was started badly: no variables, no folder, closed or full streams."""

import os
import subprocess

from box import Wrong, require
from case import collector

CASES = []
case = collector(CASES)


@case()
def no_variables_at_all(box):
    box.check(env={})
    for name in ("HOME", "PATH"):
        box.check(env=box.environment(**{name: None}))
        box.check(env=box.environment(**{name: ""}))
        box.check(env=box.environment(**{name: "relative/../."}))
    box.check(env=box.environment(PATH=":" * 100_000))
    box.check(env=box.environment(TMPDIR="/nowhere", XDG_DATA_HOME="", XDG_CACHE_HOME="/dev/null", PYENV_ROOT="/dev/null"))


@case()
def a_variable_without_a_name_or_value(box):
    box.check(env={b"HOME": b"\xff" * 100_000, b"PATH": b"/" * 100_000, b"LD_LIBRARY_PATH": b":/x" * 30_000})


@case()
def a_current_folder_that_is_gone_is_not_the_root(box):
    gone = box.root / "gone"
    gone.mkdir()

    def leave():
        os.chdir(gone)
        os.rmdir(gone)
    doc = box.check(before=leave, env=box.environment(PYTHONPATH=":relative"))
    require(box.snapshot()["current_folder"] == "", box.snapshot()["current_folder"])
    gone.mkdir()
    box.run("check", "--env", ".venv", before=leave, codes=(2,))
    require(doc["schema"], "no answer")


@case()
def closed_streams(box):
    prefix = box.onnxruntime()
    for closed in ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)):
        def close(numbers=closed):
            for number in numbers:
                os.close(number)
        codes = (3,) if 1 in closed else (0, 1)
        saved = box.root / f"saved{'-'.join(map(str, closed))}.json"
        box.run("check", "--json", "--env", prefix, "--save", saved, before=close, codes=codes)
        require(saved.read_bytes().startswith(b"{") and saved.read_bytes().endswith(b"}\n"), f"{closed}: the saved file is damaged")


@case()
def a_full_disk_is_said(box):
    prefix = box.onnxruntime()
    with open("/dev/full", "wb") as full:
        ended = subprocess.run([box.gpuway, "check", "--env", prefix], stdout=full, stderr=subprocess.PIPE, env=box.environment(), timeout=20)
    if ended.returncode != 3 or b"could not be written" not in ended.stderr:
        raise Wrong(f"ended with {ended.returncode}: {ended.stderr!r}")
    box.run("check", "--env", prefix, "--save", "/dev/full/x", codes=(3,))
    box.run("check", "--env", prefix, "--save", box.root / "no/such/folder.json", codes=(3,))
    box.run("check", "--env", prefix, "--save", box.root / "home", codes=(3,))


@case()
def few_file_descriptors_and_little_memory(box):
    import resource
    prefix = box.onnxruntime()
    if box.sanitized:  # the sanitizers themselves need both
        box.run("check", "--env", prefix)
        return
    for most in (4, 5, 8, 12):
        doc = box.run("check", "--json", "--env", prefix, before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))).json()
        # What could not be opened is not missing.
        require(all(chain["imports"] != "no" for chain in doc["chains"]), (most, doc["findings"]))
    for mib in (16, 24, 32, 48, 64, 128, 256):
        # Below some 20 MiB not even the program's own libraries fit: the loader ends it with 127.
        box.run("check", "--env", prefix, before=lambda: resource.setrlimit(resource.RLIMIT_AS, (mib << 20, mib << 20)), codes=(0, 1, 3, 127))


@case()
def nothing_is_left_behind(box):
    prefix = box.onnxruntime()
    before = sorted(str(p) for p in box.root.rglob("*"))
    box.run("check", "--env", prefix)
    box.run("check")
    box.run("inspect", prefix)
    require(before == sorted(str(p) for p in box.root.rglob("*")), "files appeared or vanished")
