"""Compares what gpuway reads of the GPU code in CUDA libraries with NVIDIA's own cuobjdump, entry by entry: machine code
and PTX per architecture (with the suffixes a and f), their number, and the newest PTX ISA version.

    judge.py --driver fatbin_driver [--work FOLDER] [LIBRARY...]

cuobjdump comes from the package index (nvidia-cuda-cuobjdump), and so does the one small library that is judged when none
is named. It looks into .nv_fatbin and __nv_relfatbin only; containers that lie elsewhere (.cask_resource, .ldata) are cut
out here, by a search of the whole file that knows nothing of gpuway's reader, and shown to it as a section of that name.
Exit code 77 (skipped) when the package index cannot be reached.
"""

import argparse
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

CUOBJDUMP = "nvidia-cuda-cuobjdump==13.5.37"
SMALL_LIBRARY = "nvidia-nvjpeg-cu12==12.4.0.76"
MAGIC = b"\x50\xed\x55\xba\x01\x00\x10\x00"
NAMED = (".nv_fatbin", "__nv_relfatbin")

Count = collections.Counter


class NoAnswer(Exception):
    """cuobjdump gives up: it no longer reads sm_35 and older, and breaks off at some images of tens of megabytes. `count`
    is what it listed until then."""

    def __init__(self, reason: str, count: Count):
        super().__init__(reason)
        self.count = count


def install(package: str, folder: pathlib.Path) -> bool:
    """Unpacks one wheel into its own folder, once."""
    if (folder / ".done").exists():
        return True
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder), package]
    if subprocess.run(command).returncode != 0:
        return False
    (folder / ".done").touch()
    return True


def listed(code: int, out: str, err: str) -> tuple[Count, dict]:
    """(kind, arch) -> entries, and arch -> newest PTX ISA, in cuobjdump's own words. A file without GPU code gives none."""
    count, isa = Count(), {}
    for kind, arch, major, minor in re.findall(
            r"^Fatbin (elf|ptx) code:\n=+\narch = sm_(\w+)\ncode version = \[(\d+),(\d+)\]", out, re.M):
        count[kind, arch] += 1
        if kind == "ptx":
            isa[arch] = max(isa.get(arch, (0, 0)), (int(major), int(minor)))
    if code != 0 and "does not contain device code" not in out + err:
        raise NoAnswer(err.strip(), count)
    return count, isa


def asked(cuobjdump: pathlib.Path, file: pathlib.Path) -> tuple[Count, dict]:
    done = subprocess.run([cuobjdump, "-all", file], capture_output=True, text=True)
    return listed(done.returncode, done.stdout, done.stderr)


def sections(file: pathlib.Path) -> list[tuple[str, int, int]]:
    """Name, offset and size of the sections that readelf lists as being in the file and not code."""
    text = subprocess.run(["readelf", "-SW", file], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r"^ +\[ *\d+\] (\S*) +(\w+) +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) [0-9a-f]+ +(\w*) ", text, re.M)
    return [(name, int(offset, 16), int(size, 16)) for name, kind, offset, size, flags in rows
            if kind not in ("NOBITS", "NULL") and "X" not in flags]


def containers_elsewhere(file: pathlib.Path) -> list[bytes]:
    found = []
    with file.open("rb") as stream:
        for name, offset, size in sections(file):
            if name in NAMED:
                continue
            stream.seek(offset)
            data = stream.read(size)
            at = data.find(MAGIC)
            while at >= 0:
                (length,) = struct.unpack_from("<Q", data, at + 8)
                found.append(data[at:at + 16 + length])
                at = data.find(MAGIC, at + 16 + length)
    return found


def asked_elsewhere(cuobjdump: pathlib.Path, containers: list[bytes], folder: pathlib.Path) -> tuple[Count, dict]:
    if not containers:
        return Count(), {}
    (folder / "cut").write_bytes(b"".join(c + b"\0" * (-len(c) % 8) for c in containers))
    (folder / "empty.c").write_text("")
    subprocess.run(["gcc", "-c", "-o", folder / "empty.o", folder / "empty.c"], check=True)
    subprocess.run(["objcopy", "--add-section", f".nv_fatbin={folder / 'cut'}", "--set-section-flags",
                    ".nv_fatbin=alloc,load,readonly,data", folder / "empty.o", folder / "cut.o"], check=True)
    return asked(cuobjdump, folder / "cut.o")


def read_by_us(driver: pathlib.Path, file: pathlib.Path) -> tuple[Count, dict, str]:
    lines = subprocess.run([driver, file], capture_output=True, text=True, check=True).stdout.splitlines()
    count, isa = Count(), {}
    for line in lines[1:-1]:
        kind, arch, version, number = line.split()
        if kind in ("elf", "ptx"):
            count[kind, arch] += int(number)
        if kind == "ptx":
            isa[arch] = tuple(int(part) for part in version.split("."))
    return count, isa, lines[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("libraries", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if not install(CUOBJDUMP, options.work / "cuobjdump"):
        return 77
    cuobjdump = next((options.work / "cuobjdump").rglob("bin/cuobjdump"))
    cuobjdump.chmod(0o755)
    libraries = options.libraries
    if not libraries:
        if not install(SMALL_LIBRARY, options.work / "library"):
            return 77
        libraries = sorted((options.work / "library").rglob("lib*.so.*"))
    faults, entries, judged, unjudged = 0, 0, 0, 0
    for library in libraries:
        try:
            with tempfile.TemporaryDirectory() as folder:
                count, isa = asked(cuobjdump, library)
                cut = containers_elsewhere(library)
                more, more_isa = asked_elsewhere(cuobjdump, cut, pathlib.Path(folder))
        except NoAnswer as reason:
            print(f"not judged: {library}: {reason}")
            unjudged += 1
            continue
        for arch, version in more_isa.items():
            isa[arch] = max(isa.get(arch, (0, 0)), version)
        count += more
        ours, our_isa, tail = read_by_us(options.driver, library)
        same = ours == count and our_isa == isa
        faults += not same
        judged += 1
        entries += count.total()
        print(f"{'same' if same else 'DIFFERENT'}: {library}: {count.total()} entries, {len(cut)} containers outside the named sections; {tail}")
        for key in sorted(set(ours) | set(count)):
            if ours[key] != count[key]:
                print(f"    {key[0]} {key[1]}: gpuway {ours[key]}, cuobjdump {count[key]}")
        for arch in sorted(set(isa) | set(our_isa)):
            if isa.get(arch) != our_isa.get(arch):
                print(f"    PTX ISA of {arch}: gpuway {our_isa.get(arch)}, cuobjdump {isa.get(arch)}")
    print(f"{judged} libraries, {entries} entries, {faults} different, {unjudged} not judged")
    return 1 if faults or entries == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
