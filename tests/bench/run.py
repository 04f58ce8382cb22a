#!/usr/bin/env python3
"""The figures that gpuway promises, each as a ratio of two things timed against each other in this one run.

    run.py --gpuway PROGRAM --read-snapshot PROGRAM --machines-runner PROGRAM --work DIR [--only-saved] [--environments DIR] [--rounds N] [--json FILE]

The two sides of a figure take turns, and their medians are compared, so that a noisy machine disturbs both alike. Real
wheels are needed: --environments names a folder of Python environments (the oracle's, say); without it two are made below
--work from the package index. Twenty environments are made of them as hard-linked copies. Ends with status 1 when a figure
is not reached.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from windows_snapshot import saved_machine

HERE = pathlib.Path(__file__).resolve().parent
WHEELS = {"tf": ["tensorflow==2.18.1"], "ort": ["onnxruntime==1.20.1"]}


def seconds(command, environment=None):
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - start


def against(first, second, rounds):
    """Medians of two commands that take turns."""
    seconds(first), seconds(second)
    a, b = [], []
    for _ in range(rounds):
        a.append(seconds(first))
        b.append(seconds(second))
    return statistics.median(a), statistics.median(b)


def compiled(work, source):
    program = work / source.stem
    subprocess.run(["gcc", "-O2", "-o", program, source], check=True)
    return program


def made_environments(work):
    uv = shutil.which("uv")
    for name, wheels in WHEELS.items():
        folder = work / "env" / name
        if folder.exists():
            continue
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [uv, "pip", "install", "-q", "--python", folder / "bin/python"] if uv else [folder / "bin/python", "-m", "pip", "install", "-q"]
        subprocess.run([*pip, *wheels], check=True)
    return work / "env"


def copies(work, source, count):
    """`count` environments, hard-linked copies of those in `source`. A virtual environment may be moved for our purpose."""
    real = sorted(p for p in source.iterdir() if (p / "pyvenv.cfg").is_file())
    if not real:
        sys.exit(f"{source}: holds no virtual environment")
    folder = work / "copies"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = []
    for i in range(count):
        target = folder / f"{i:02}-{real[i % len(real)].name}"
        subprocess.run(["cp", "-al", real[i % len(real)], target], check=True)
        made.append(target)
    return real, made


def find(folder, pattern, at_least=0):
    found = [p for p in folder.rglob(pattern) if p.is_file() and not p.is_symlink() and p.stat().st_size >= at_least]
    return max(found, key=lambda p: p.stat().st_size, default=None)


def recorded_calls(command, work):
    """What a run asks of the file system, as lines for replay.c."""
    log = work / "strace.txt"
    names = "trace=openat,newfstatat,readlink,read,pread64,getdents64,mmap,close"
    subprocess.run(["strace", "-f", "-s", "4096", "-e", names, "-o", log, *command], stdout=subprocess.DEVNULL)
    flags = {"O_DIRECTORY": os.O_DIRECTORY, "O_NONBLOCK": os.O_NONBLOCK, "O_NOCTTY": os.O_NOCTTY, "O_CLOEXEC": os.O_CLOEXEC}
    lines, opened, number = [], {}, 0
    halves = {}
    for text in log.read_text(errors="surrogateescape").splitlines():
        process, _, text = text.partition(" ")
        text = text.strip()
        if text.endswith("<unfinished ...>"):
            halves[process] = text[: -len("<unfinished ...>")]
            continue
        if text.startswith("<... "):
            text = halves.pop(process, "") + text.partition("resumed>")[2]
        result = re.search(r"= (-?\d+|0x[0-9a-f]+)", text)
        value = result.group(1) if result else "-1"
        if m := re.match(r'openat\(AT_FDCWD, "(.*?)", ([A-Z_|]+)', text):
            mode = sum(flags.get(word, 0) for word in m.group(2).split("|"))
            lines.append(f"o {mode} {m.group(1)}")
            if int(value) >= 0:
                opened[value] = number
            number += 1
        elif m := re.match(r'newfstatat\(AT_FDCWD, "(.*?)", .*?, (\w+)\)', text):
            lines.append(("l" if m.group(2) == "AT_SYMLINK_NOFOLLOW" else "s") + f" 0 {m.group(1)}")
        elif m := re.match(r'newfstatat\((\d+), ""', text):
            if m.group(1) in opened:
                lines.append(f"f {opened[m.group(1)]}")
        elif m := re.match(r'readlink\("(.*?)"', text):
            lines.append(f"k 0 {m.group(1)}")
        elif m := re.match(r"read\((\d+), .*, (\d+)\)", text):
            if m.group(1) in opened:
                lines.append(f"r {opened[m.group(1)]} {m.group(2)}")
        elif m := re.match(r"pread64\((\d+), .*, (\d+), (\d+)\)", text):
            if m.group(1) in opened:
                lines.append(f"p {opened[m.group(1)]} {m.group(2)} {m.group(3)}")
        elif m := re.match(r"getdents64\((\d+),", text):
            if m.group(1) in opened:
                lines.append(f"d {opened[m.group(1)]}")
        elif m := re.match(r"mmap\(.*?, (\d+), PROT_READ, MAP_PRIVATE, (\d+), 0\)", text):
            if m.group(2) in opened:
                lines.append(f"m {opened[m.group(2)]} {m.group(1)}")
        elif m := re.match(r"close\((\d+)\)", text):
            if m.group(1) in opened:
                lines.append(f"c {opened.pop(m.group(1))}")
    path = work / "calls.txt"
    path.write_text("\n".join(lines) + "\n", errors="surrogateescape")
    return path, len(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuway", required=True, type=pathlib.Path)
    parser.add_argument("--read-snapshot", required=True, type=pathlib.Path, help="the yardstick of a saved machine")
    parser.add_argument("--machines-runner", required=True, type=pathlib.Path, help="makes that machine")
    parser.add_argument("--only-saved", action="store_true", help="only the figures that need no real environments")
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--environments", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    gpuway, work = options.gpuway.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    figures = []

    def figure(name, value, limit, detail, at_least=False):
        good = value >= limit if at_least else value <= limit
        figures.append({"name": name, "value": value, "limit": limit, "reached": good, "detail": detail})
        print(f"{'ok  ' if good else 'MISS'}  {name}: {value:.3g} ({'at least' if at_least else 'at most'} {limit:.3g}); {detail}", flush=True)

    def skipped(name, why):
        figures.append({"name": name, "value": None, "reached": None, "detail": why})
        print(f"skip  {name}: {why}", flush=True)

    # ---- the program itself
    size = gpuway.stat().st_size
    figure("size of the program in MB", size / 1e6, 6, f"{size} bytes")
    empty = work / "empty.c"
    empty.write_text("int main(void) { return 0; }\n")
    version, nothing = against([gpuway, "--version"], [compiled(work, empty)], options.rounds * 10)
    figure("--version against an empty C program", version / nothing, 2, f"{version * 1e3:.2f} ms, {nothing * 1e3:.2f} ms")

    # ---- a machine that somebody sent
    saved = saved_machine(options.machines_runner.resolve(), work, 20)
    judged, read = against([gpuway, "check", "--json", "--from", saved], [options.read_snapshot.resolve(), saved], options.rounds * 10)
    figure("judging a saved Windows machine with 20 environments against reading it", judged / read, 2,
           f"{saved.stat().st_size / 1e6:.2f} MB, {judged * 1e3:.1f} ms, {read * 1e3:.1f} ms")

    def finish():
        if options.json:
            options.json.write_text(json.dumps(figures, indent=1) + "\n")
        sys.exit(1 if any(f["reached"] is False for f in figures) else 0)

    if options.only_saved:
        finish()

    # ---- check
    source = options.environments.resolve() if options.environments else made_environments(work)
    real, made = copies(work, source, 20)
    check = [gpuway, "check", "--json", *(word for path in made for word in ("--env", str(path)))]
    with_tensorflow = [p for p in real if list(p.glob("lib/python*/site-packages/tensorflow/__init__.py"))]
    if with_tensorflow:
        python = with_tensorflow[-1] / "bin/python"
        ask = [python, "-c", "import tensorflow as tf; tf.config.list_physical_devices()"]
        ours, theirs = against(check, ask, max(3, options.rounds // 2))
        figure("check of 20 environments against one import of TensorFlow", ours / theirs, 1 / 50,
               f"{ours * 1e3:.0f} ms, {theirs * 1e3:.0f} ms ({with_tensorflow[-1].name})")
    else:
        skipped("check of 20 environments against one import of TensorFlow", "no environment holds TensorFlow")
    doctor = work / "doctor"
    if not (doctor / "bin/env-doctor").exists():
        subprocess.run([sys.executable, "-m", "venv", doctor], check=True)
        subprocess.run([doctor / "bin/python", "-m", "pip", "install", "-q", "env-doctor"])
    if (doctor / "bin/env-doctor").exists():
        ours, theirs = against(check, [doctor / "bin/env-doctor", "check"], options.rounds)
        figure("check of 20 environments against `env-doctor check`", ours / theirs, 0.5, f"{ours * 1e3:.0f} ms, {theirs * 1e3:.0f} ms")
    else:
        skipped("check of 20 environments against `env-doctor check`", "env-doctor could not be installed")
    if shutil.which("strace"):
        calls, count = recorded_calls(check, work)
        replay = compiled(work, HERE / "replay.c")
        times = [(seconds(check), float(subprocess.check_output([replay, calls]))) for _ in range(options.rounds)]
        ours, alone = (statistics.median(column) for column in zip(*times))
        figure("system calls alone against the whole check", alone / ours, 0.5, f"{count} calls, {alone * 1e3:.0f} ms of {ours * 1e3:.0f} ms", at_least=True)
    else:
        skipped("system calls alone against the whole check", "no strace here")

    # ---- inspect
    large = find(source, "libcublasLt.so*", 100_000_000)
    if large is None:
        skipped("inspect of libcublasLt against a plain scan", "no libcublasLt of 100 MB in the environments")
    else:
        scan = compiled(work, HERE / "plain_scan.c")
        ours, plain = against([gpuway, "inspect", "--json", large], [scan, large], options.rounds)
        figure("inspect of libcublasLt against a plain scan", ours / plain, 1.3, f"{large.stat().st_size / 1e6:.0f} MB, {ours * 1e3:.0f} ms, {plain * 1e3:.0f} ms")
    if shutil.which("libtree"):
        library = find(source, "libtensorflow_framework.so*") or find(source, "*.so")
        ours, theirs = against([gpuway, "inspect", "--json", library], ["libtree", "-vvv", library], options.rounds * 5)
        figure("inspect of one library against libtree", ours / theirs, 1, f"{library.name}, {ours * 1e3:.1f} ms, {theirs * 1e3:.1f} ms")
    else:
        skipped("inspect of one library against libtree", "no libtree here")

    shutil.rmtree(work / "copies", ignore_errors=True)
    finish()


if __name__ == "__main__":
    main()
