#!/usr/bin/env python3
"""The loader replay against the real loader, on every shared object below some folders.

    judge_real.py GPUWAY FOLDER... [--limit N]

Each library is listed by the loader itself (LD_TRACE_LOADED_OBJECTS, what ldd does) and by `gpuway inspect`: the same names,
each at the same file or not found. Files that are the same (hard links, copies in several environments) are asked once.
Ends with status 1 when one answer differs.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

LOADER = "/lib64/ld-linux-x86-64.so.2"
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}


def listed(path):
    """What the loader says of one library: name -> real path or "not found"; None when it refuses the file itself."""
    try:
        done = subprocess.run([LOADER, path], capture_output=True, text=True, errors="surrogateescape", timeout=60,
                              env={**CLEAN, "LD_TRACE_LOADED_OBJECTS": "1"})
    except subprocess.TimeoutExpired:
        return None
    rows = re.findall(r"^\t(\S+) => (not found|.+?)(?: \(0x[0-9a-f]+\))?$", done.stdout, re.M)
    if not rows and done.returncode != 0:
        return None
    return {name: where if where == "not found" else os.path.realpath(where) for name, where in rows}


def replayed(file):
    found = {}
    for need in file["needs"]:
        missing = need["state"] in ("not-found", "elsewhere")
        found.setdefault(need["name"], "not found" if missing else os.path.realpath(need["path"] or ""))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpuway")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--limit", type=int, default=10**9, help="at most so many libraries")
    options = parser.parse_args()
    started, seen, files, broken = time.time(), set(), [], 0
    for folder in options.folders:
        done = subprocess.run([options.gpuway, "inspect", "--json", "--all", folder], capture_output=True, text=True, env=CLEAN)
        if done.returncode not in (0, 1):
            print(f"{folder}: exit code {done.returncode}: {done.stderr[:300]}")
            return 1
        for file in json.loads(done.stdout)["files"]:
            info = os.stat(file["path"])
            if file["kind"] != "library" or file["machine"] != "x86-64" or (info.st_dev, info.st_ino) in seen:
                continue
            seen.add((info.st_dev, info.st_ino))
            files.append(file)
    files = files[: options.limit]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(listed, [file["path"] for file in files]))
    objects = needs = missing = refused = 0
    for file, real in zip(files, answers):
        if real is None:
            refused += 1
            if file["loads"] == "yes":
                print(f"{file['path']}: the loader refuses it, gpuway says that it loads")
                broken += 1
            continue
        # A library in a circle with its neighbours is asked for as well, and the loader does not list what it starts from.
        itself = os.path.realpath(file["path"])
        ours = {name: where for name, where in replayed(file).items() if where != itself}
        for rows in (ours, real):
            rows.pop(os.path.basename(LOADER), None)   # the loader does not list itself by that name
        objects += 1
        needs += len(real)
        missing += sum(where == "not found" for where in real.values())
        if ours != real:
            broken += 1
            wrong = {name: (ours.get(name), real.get(name)) for name in {*ours, *real} if ours.get(name) != real.get(name)}
            print(f"{file['path']}:")
            for name, (have, want) in sorted(wrong.items())[:6]:
                print(f"    {name}: gpuway {have}, loader {want}")
    print(f"{objects} libraries, {needs} needs ({missing} not found), {refused} refused by the loader, {broken} differ, {time.time() - started:.0f} s")
    return 1 if broken or objects == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
