"""Small libraries for generated trees: a few are made by gcc as templates, and the dynamic section of a copy is then
written anew with the needs, names and run paths that a tree wants."""

import dataclasses
import pathlib
import struct
import subprocess

NEEDED, STRTAB, SONAME, RPATH, RUNPATH, FLAGS_1 = 1, 5, 14, 15, 29, 0x6FFFFFFB
PT_LOAD, PT_DYNAMIC = 1, 2
ROOM = "R" + "oom" * 2000 + "Q"   # becomes a run path, hence a string in the file: room for strings of our own

DEFINE = "int {0}(void) {{ return 1; }}\n"
CALL = "int {0}(void); int call_{0}(void) {{ return {0}() + 1; }}\n"
POINT = "int {0}(void); int (*point_{0})(void) = {0};\n"
WEAK = "__attribute__((weak)) int {0}(void); int weak_{0}(void) {{ return {0} ? {0}() : 0; }}\n"

# name -> (source, version script, template to link with)
TEMPLATES = {
    "plain": ("", None, None),
    "gives_s0": (DEFINE.format("s0"), None, None),
    "gives_s1": (DEFINE.format("s1"), None, None),
    "gives_both": (DEFINE.format("s0") + DEFINE.format("s1"), None, None),
    "calls_s0": (CALL.format("s0"), None, None),
    "points_s1": (POINT.format("s1"), None, None),
    "calls_s1_gives_s0": (CALL.format("s1") + DEFINE.format("s0"), None, None),
    "weak_s0": (WEAK.format("s0"), None, None),
    "versions_none": (DEFINE.format("v0") + DEFINE.format("v1"), None, None),
    "versions_v1": (DEFINE.format("v0"), "V1 { global: v0; open_here; };\n", None),
    "versions_v2": (DEFINE.format("v0") + DEFINE.format("v1"),
                    "V1 { global: v0; open_here; };\nV2 { global: v1; } V1;\n", None),
    "versions_hidden": (DEFINE.format("v0") + DEFINE.format("old_v1") + '__asm__(".symver old_v1,v1@V2");\n',
                        "V1 { global: v0; open_here; };\nV2 { } V1;\n", None),
    "calls_v0": (CALL.format("v0"), None, "versions_v1"),
    "calls_v1": (CALL.format("v1"), None, "versions_v2"),
    "calls_v1_plainly": (CALL.format("v1"), None, None),
}
VERSIONED = "libver.so.1"   # the name that versions are wanted from


@dataclasses.dataclass
class Library:
    """What the dynamic section of a copy says. `name` is its SONAME."""
    template: str = "plain"
    name: str | None = None
    needed: tuple[str, ...] = ()
    rpath: str | None = None
    runpath: str | None = None
    flags_1: int = 0
    system_first: bool = False   # libc stands before the other needs


class Workshop:
    def __init__(self, folder: pathlib.Path, program_source: pathlib.Path):
        folder.mkdir(parents=True, exist_ok=True)
        self._templates = {}
        room = ["-Wl,-rpath," + ROOM, "-Wl,--spare-dynamic-tags=24", "-O0"]
        for name, (source, versions, against) in TEMPLATES.items():
            (folder / f"{name}.c").write_text(f'#define TREE_LIBRARY\n#include "{program_source}"\n' + source)
            more = [f"-Wl,-soname,{VERSIONED}"] if name.startswith("versions") else []
            if versions is not None:
                (folder / f"{name}.map").write_text(versions)
                more.append(f"-Wl,--version-script={folder / name}.map")
            if against is not None:
                more += ["-Wl,--no-as-needed", str(folder / f"{against}.so")]
            out = folder / f"{name}.so"
            subprocess.run(["gcc", "-shared", "-fPIC", *room, "-o", out, folder / f"{name}.c", *more], check=True)
            self._templates[name] = out.read_bytes()
        for name, kind in (("program", "-pie"), ("fixed_program", "-no-pie")):
            subprocess.run(["gcc", *room, "-fPIE", kind, "-o", folder / name, program_source], check=True)
            self._templates[name] = (folder / name).read_bytes()

    def make(self, library: Library) -> bytes:
        data = bytearray(self._templates[library.template])
        loads, dynamic = [], None
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, _, offset, address, _, file_size, _, _ = struct.unpack_from("<IIQQQQQQ", data, at + i * size)
            if kind == PT_LOAD:
                loads.append((address, offset, file_size))
            elif kind == PT_DYNAMIC:
                dynamic = (offset, file_size // 16)
        entries = [struct.unpack_from("<QQ", data, dynamic[0] + 16 * i) for i in range(dynamic[1])]
        strings = next(value for tag, value in entries if tag == STRTAB)
        strings = next(strings - address + offset for address, offset, length in loads if address <= strings < address + length)
        room = data.index(ROOM.encode())
        end = room + len(ROOM)

        def text(value: str) -> int:
            nonlocal room
            raw = value.encode() + b"\0"
            assert room + len(raw) <= end, "a tree wants longer names than there is room for"
            data[room:room + len(raw)] = raw
            room += len(raw)
            return room - len(raw) - strings

        kept = [e for e in entries if e[0] not in (0, NEEDED, SONAME, RPATH, RUNPATH, FLAGS_1)]
        of_template = [e for e in entries if e[0] == NEEDED]
        flags_1 = next((value for tag, value in entries if tag == FLAGS_1), 0) | library.flags_1
        own = [(NEEDED, text(name)) for name in library.needed]
        rows = of_template + own if library.system_first else own + of_template
        if library.name is not None:
            rows.append((SONAME, text(library.name)))
        if library.rpath is not None:
            rows.append((RPATH, text(library.rpath)))
        if library.runpath is not None:
            rows.append((RUNPATH, text(library.runpath)))
        rows += kept + ([(FLAGS_1, flags_1)] if flags_1 else [])
        assert len(rows) < dynamic[1], "a tree wants more entries than there is room for"
        rows += [(0, 0)] * (dynamic[1] - len(rows))
        for i, row in enumerate(rows):
            struct.pack_into("<QQ", data, dynamic[0] + 16 * i, *row)
        return bytes(data)

    def retype(self, data: bytearray, kind: int) -> None:
        """Turns the program headers of one kind into ones that mean nothing."""
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            if struct.unpack_from("<I", data, at + i * size)[0] == kind:
                struct.pack_into("<I", data, at + i * size, 0)

    def load_end(self, data: bytes) -> int:
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        rows = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(count)]
        return max(row[2] + row[5] for row in rows if row[0] == PT_LOAD)
