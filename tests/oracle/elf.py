"""What the rig reads of ELF files, through binutils' readelf: names only, never contents."""

import re
import subprocess


def dynamic(path):
    """SONAME, NEEDED list and run paths of `path`."""
    text = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=False).stdout
    found = {"soname": None, "needed": [], "rpath": None, "runpath": None}
    for kind, value in re.findall(r"\((NEEDED|SONAME|RPATH|RUNPATH)\).*\[(.*)\]", text):
        if kind == "NEEDED":
            found["needed"].append(value)
        else:
            found[kind.lower()] = value
    return found


def undefined_symbols(path):
    """Undefined dynamic symbols of `path` as (name, version or None)."""
    text = subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True, check=False).stdout
    symbols = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[6] == "UND":
            name, _, version = fields[7].partition("@")
            symbols.append((name, version.lstrip("@") or None))
    return symbols


def words(path, pattern):
    """All byte strings in `path` that match `pattern` wholly between NUL bytes (names given to dlsym)."""
    found = set()
    with open(path, "rb") as file:
        tail = b""
        while block := file.read(1 << 24):
            found.update(re.findall(rb"(?<=\0)(" + pattern + rb")(?=\0)", tail + block))
            tail = block[-256:]
    return sorted(word.decode() for word in found)
