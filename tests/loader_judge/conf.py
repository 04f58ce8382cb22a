#!/usr/bin/env python3
"""The folders of ld.so.conf against ldconfig: conf.py GPUWAY [--seed N] [--trees N]

Makes roots with generated ld.so.conf files that include others, asks `ldconfig -r ROOT -v -N -X` which folders it takes, in
which order, and compares with the Snapshot that `gpuway check --root ROOT --save` writes. Status 77 without the rights."""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

FOLDERS = ["/opt/a", "/opt/b/lib", "/usr/local/cuda/lib64", "/srv/x", "/opt/gone", "/opt/with space", "/opt/c"]


def text(rng, depth):
    lines = []
    for _ in range(rng.randint(1, 6)):
        kind = rng.random()
        folder = rng.choice(FOLDERS)
        if kind < 0.5:
            lines.append(rng.choice(["", "  ", "\t"]) + folder + rng.choice(["", "/", "//", " ", " # comment"]))
        elif kind < 0.6:
            lines.append(rng.choice(["# only a comment", "", "   ", "hwcap 0 nosegneg"]))
        elif depth < 3:
            lines.append("include " + rng.choice(["/etc/ld.so.conf.d/*.conf", "ld.so.conf.d/*.conf", "/etc/ld.so.conf.d/a?.conf",
                                                  "/etc/other/*.conf /etc/ld.so.conf.d/b.conf", "other/one.conf", "/etc/nothing/*.conf"]))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpuway")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trees", type=int, default=60)
    options = parser.parse_args()
    if os.geteuid() or subprocess.run(["/sbin/ldconfig", "-r", "/", "-N", "-X"], capture_output=True).returncode:
        print("skipped: ldconfig may not take another root here")
        return 77
    rng, wrong, folders = random.Random(options.seed), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(options.trees):
            root = pathlib.Path(scratch, str(number))
            for folder in [*FOLDERS, "/lib", "/usr/lib", "/etc/ld.so.conf.d", "/etc/other"]:
                if folder != "/opt/gone":
                    (root / folder[1:]).mkdir(parents=True, exist_ok=True)
            (root / "etc/ld.so.conf").write_text(text(rng, 0))
            for name in ("ld.so.conf.d/a1.conf", "ld.so.conf.d/b.conf", "ld.so.conf.d/.hidden.conf", "ld.so.conf.d/c.conf.bak", "other/one.conf"):
                if rng.random() < 0.8:
                    # Files of lower rank include only those of higher, so that ldconfig ends too.
                    (root / "etc" / name).write_text(text(rng, 3))
            done = subprocess.run(["/sbin/ldconfig", "-r", root, "-v", "-N", "-X"], capture_output=True, text=True)
            told = re.findall(r"^(/.*?): \(from (?!<builtin>)", done.stdout, re.M)
            told += re.findall(r"Can't stat (/.*?): No such file", done.stderr)
            saved = root / "saved.json"
            subprocess.run([options.gpuway, "check", "--root", root, "--save", saved, "--json"], capture_output=True)
            fact = json.loads(saved.read_text())["loader_folders"]
            ours = fact.get("value", [])
            folders += len(ours)
            # Its own folders come last, and what does not exist is told apart from the order.
            builtin = {"/lib", "/usr/lib", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/opt/gone"}
            if [f for f in ours if f not in builtin] != [f for f in told if f not in builtin]:
                wrong += 1
                print(f"tree {number} of seed {options.seed}: gpuway {ours}, ldconfig {told}\n{(root / 'etc/ld.so.conf').read_text()}")
    print(f"{options.trees} roots, {folders} folders, {wrong} differ")
    return 1 if wrong or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
