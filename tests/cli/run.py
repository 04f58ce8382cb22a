#!/usr/bin/env python3
"""Runs the program and compares stdout, stderr and the exit code, each for itself.

    run.py GPUWAY MACHINES_RUNNER [--update] [--only NAME]

The cases are the rows of cases.json. What they must print lies in expected/NAME.out and NAME.err; --update rewrites these
files (never the exit codes), and the diff is reviewed. {tmp} is the test's own folder, {version} the program's version.
Nothing of the machine enters: the machines come from tests/machines, the environment is empty but for what a row names.
"""

import argparse
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

HERE = os.path.dirname(os.path.abspath(__file__))
MACHINES = os.path.join(os.path.dirname(HERE), "machines")


def prepare(folder, runner):
    """The files that rows name: saved machines, and files that are none."""
    saved = {}
    for name in ("driver-470-tensorflow", "rtx-3060-tensorflow-2.18", "rtx-3060-torch", "no-gpu-torch"):
        path = os.path.join(folder, name + ".json")
        subprocess.run([runner, "--save", path, os.path.join(MACHINES, name)], check=True)
        saved[name] = open(path, encoding="utf-8").read()
    good = saved["no-gpu-torch"]
    damaged = {
        "cudart.log": "2022-01-01 00:00:00.123: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic "
                      "library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found\n",
        "driver.log": "RuntimeError: The NVIDIA driver on your system is too old (found version 11040).\n",
        "cut.json": good[: len(good) // 2],
        "foreign.json": '{"name": "somebody", "else": [1, 2]}\n',
        "no-json.txt": "2026-12-01 12:00:00 I tensorflow: hello\n",
        "newer.json": good.replace("gpuway.snapshot/1", "gpuway.snapshot/2", 1),
        "wrong-type.json": good.replace('"environments": [', '"environments": [7, ', 1),
        "wrong-word.json": good.replace('"state": "known"', '"state": "perhaps"', 1),
        "empty.json": "",
        "binary.json": "\x00\x01\x7fELF",
        "deep.json": "[" * 100000,
        "unknown-field.json": good.replace('"taken_by"', '"added_by_a_later_release": {"x": 1},\n "taken_by"', 1),
    }
    for name, text in damaged.items():
        assert text != good, name
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    os.mkdir(os.path.join(folder, "folder"))
    os.mkdir(os.path.join(folder, "home"))


def has_terminals():
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError:   # no /dev/pts: a bare container
        return False
    return True


def through_terminal(command, environment, folder, width):
    """stdout is a terminal of `width` columns; what it got comes back with plain line ends."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=err, env=environment, cwd=folder)
        os.close(theirs)
        out = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            out += part
        code = process.wait(timeout=60)
        os.close(ours)
        err.seek(0)
        return code, out.replace(b"\r\n", b"\n"), err.read()


def run(row, gpuway, folder):
    command = [gpuway] + [word.replace("{tmp}", folder) for word in row["arguments"]]
    environment = {"HOME": os.path.join(folder, "home"), "PATH": "/usr/bin:/bin", **row.get("environment", {})}
    cwd = os.path.join(folder, "home")
    if "width" in row:
        return through_terminal(command, environment, cwd, row["width"])
    stdout = row.get("stdout")
    if stdout == "closed":
        command = ["sh", "-c", 'exec "$@" >&-', "sh"] + command
    target = open(stdout, "wb") if stdout not in (None, "closed") else subprocess.PIPE
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=target, stderr=subprocess.PIPE, env=environment, cwd=cwd,
                          timeout=60, check=False)
    return done.returncode, done.stdout or b"", done.stderr


def plain(data, folder, version):
    text = data.decode("utf-8").replace(folder, "{tmp}")
    return re.sub(r"\b" + re.escape(version) + r"\b", "{version}", text)


def compare(name, kind, text, update):
    path = os.path.join(HERE, "expected", f"{name}.{kind}")
    want = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    if text == want:
        return []
    if update:
        if text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            os.remove(path)
        return []
    return [f"{name}: {kind} is\n{text}\n--- expected\n{want}"]


def check_json(row, out, faults):
    """Exactly one document, and nothing around it."""
    try:
        document = json.loads(out)
    except ValueError as fault:
        faults.append(f"{row['name']}: stdout is no single JSON document: {fault}")
        return
    for path, want in row["json"].items():
        value = document
        for key in path.split("/"):
            value = value[int(key)] if isinstance(value, list) else value[key]
        if value != want:
            faults.append(f"{row['name']}: {path} is {value!r}, expected {want!r}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpuway")
    parser.add_argument("runner")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only")
    options = parser.parse_args()
    gpuway = os.path.abspath(options.gpuway)
    rows = json.load(open(os.path.join(HERE, "cases.json"), encoding="utf-8"))
    version = subprocess.run([gpuway, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    faults, ran, left = [], 0, set(os.listdir(os.path.join(HERE, "expected")))
    with tempfile.TemporaryDirectory(prefix="gpuway-cli-") as folder:
        folder = os.path.realpath(folder)
        prepare(folder, os.path.abspath(options.runner))
        for row in rows:
            name = row["name"]
            left -= {name + ".out", name + ".err"}
            if options.only not in (None, name):
                continue
            if "width" in row and not has_terminals():
                print(f"left out: {name}: this machine gives no terminal")
                continue
            ran += 1
            code, out, err = run(row, gpuway, folder)
            if code != row["code"]:
                faults.append(f"{name}: exit code {code}, expected {row['code']}; stderr: {err.decode()[-400:]}")
            if "json" in row:
                check_json(row, out, faults)
            else:
                faults += compare(name, "out", plain(out, folder, version), options.update)
            faults += compare(name, "err", plain(err, folder, version), options.update)
            for one, other in row.get("same_bytes", []):
                first, second = (open(os.path.join(folder, each), "rb").read() for each in (one, other))
                if first != second:
                    faults.append(f"{name}: {one} and {other} differ")
            if not row.get("writes") and os.listdir(os.path.join(folder, "home")):
                faults.append(f"{name}: something was written into the home folder")
        parts = [entry for entry in os.listdir(folder) if ".part" in entry]
        if parts:
            faults.append(f"left behind: {parts}")
    faults += [f"expected/{name} belongs to no case" for name in sorted(left)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{ran} command lines, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
