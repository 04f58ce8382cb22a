"""Generated trees: folders of small libraries, a program with run paths, variables, and what the program opens."""

import dataclasses
import os
import pathlib
import random
import struct

from trees_elf import TEMPLATES, VERSIONED, Library, Workshop

NAMES = ("liba.so.1", "libb.so.1", "libc1.so", "libd.so.4", VERSIONED)
SYSTEM = ("libm.so.6", "libresolv.so.2", "libutil.so.1")   # parts of glibc, which every cache has
FOLDERS = ("d0", "d1", "d2", "d3/lib/x86_64-linux-gnu", "d3/lib64", "d3/x86_64", "bin")
LINKED = ("link1", "link2")
LEVELS = ("glibc-hwcaps/x86-64-v4", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v2", "haswell", "haswell/avx512_1",
          "avx512_1/x86_64", "x86_64", "haswell/x86_64")
NOOPEN, NODEFLIB, PIE = 0x40, 0x800, 0x08000000


@dataclasses.dataclass
class Request:
    """One dlopen: by the program, or by a library that an earlier request opened."""
    name: str
    caller: int = -1
    everywhere: bool = False


@dataclasses.dataclass
class Tree:
    root: pathlib.Path
    current: pathlib.Path
    program: pathlib.Path
    library_path: str = ""
    preload: str = ""
    cached: list[str] = dataclasses.field(default_factory=list)   # folders of an ld.so.conf of its own; none: the machine's
    requests: list[Request] = dataclasses.field(default_factory=list)
    told: list[str] = dataclasses.field(default_factory=list)   # what was made, for a person


class Maker:
    def __init__(self, workshop: Workshop, root: pathlib.Path, seed: str):
        self.workshop, self.root, self.random = workshop, root, random.Random(seed)
        # Some trees are nearly whole, others hardly.
        self.mess = self.random.choice((0.0, 0.05, 0.15, 0.4))
        self.told = []

    def odd(self, share: float = 1.0) -> bool:
        return self.random.random() < self.mess * share

    def folder_entry(self) -> str:
        """One entry of a run path or LD_LIBRARY_PATH, in one of the ways in which people write them."""
        pick, folder = self.random.choice, self.random.choice(FOLDERS + LINKED)
        common = ("$ORIGIN/../" + folder, str(self.root / folder), "$ORIGIN", "${ORIGIN}/../" + folder)
        rare = (folder, "", ".", "$ORIGIN/../../d3/$LIB", str(self.root) + "/d3/${LIB}", "$ORIGIN/../d3/$PLATFORM", "$ORIGINAL",
                "$ORIGIN_x", str(self.root / "nowhere"), str(self.root / folder) + "/", str(self.root) + "//" + folder,
                "$ORIGIN/" + "../" * 2 + folder, "$", "${ORIGIN", str(self.root / "bin/program"), "./" + folder, "$ORIGIN/./../" + folder,
                str(self.root / "d0/../" / folder), "a b")
        return pick(rare) if self.odd(0.8) else pick(common)

    def run_path(self, separators: str = ":") -> str:
        if self.odd(0.1):
            return self.random.choice(("", ":"))
        entries = [self.folder_entry() for _ in range(self.random.randint(1, 5))]
        if self.random.random() < 0.5:   # nearly everything is found
            entries += [str(self.root / folder) for folder in FOLDERS[:3]]
        text = entries[0]
        for entry in entries[1:]:
            text += self.random.choice(separators) + entry
        return text

    def wanted_name(self) -> str:
        name = self.random.choice(NAMES)
        if not self.odd(0.6):
            return name
        folder = self.random.choice(FOLDERS[:3] + LINKED)
        return self.random.choice((f"$ORIGIN/../{folder}/{name}", str(self.root / folder / name), f"{folder}/{name}", f"./{name}",
                                   self.random.choice(SYSTEM), "libnowhere.so.1", f"{self.root}//{folder}/{name}", f"../{folder}/{name}"))

    def library(self, name: str) -> Library:
        made = Library()
        if name == VERSIONED:
            made.template = self.random.choice([t for t in TEMPLATES if t.startswith("versions")])
        else:
            made.template = self.random.choice([t for t in TEMPLATES if not t.startswith("versions")])
        pick = self.random.random()
        made.name = name if pick < 0.7 else None if pick < 0.85 else self.random.choice(NAMES + SYSTEM[:1])
        made.needed = tuple(self.wanted_name() for _ in range(self.random.choice((0, 0, 1, 1, 2, 3))))
        kind = self.random.random()
        if kind < 0.3 or kind > 0.93:
            made.rpath = self.run_path()
        if 0.3 <= kind < 0.55 or kind > 0.93:
            made.runpath = self.run_path()
        made.system_first = self.random.random() < 0.3
        if self.odd(0.1):
            made.flags_1 = self.random.choice((NOOPEN, NODEFLIB, PIE, NODEFLIB))
        return made

    def spoil(self, data: bytes) -> tuple[bytes, str]:
        """One fault of a file, and its name."""
        out = bytearray(data)
        fault = self.random.choice(("class", "machine", "class", "machine", "byte-order", "abi", "abi-version", "file-version", "type-rel",
                                    "type-exec", "cut", "cut", "empty", "short", "text", "entry-size", "no-magic", "no-dynamic", "no-load"))
        match fault:
            case "class": out[4] = 1
            case "byte-order": out[5] = 2
            case "file-version": out[6] = 2
            case "abi": out[7] = 9
            case "abi-version": out[8] = 77
            case "type-rel": struct.pack_into("<H", out, 16, 1)
            case "type-exec": out = bytearray(self.workshop.make(Library("fixed_program")))
            case "machine": struct.pack_into("<H", out, 18, self.random.choice((3, 40, 183)))
            case "entry-size": struct.pack_into("<H", out, 54, 57)
            case "no-magic": out[1] = ord("e")
            case "no-dynamic": self.workshop.retype(out, 2)
            case "no-load": self.workshop.retype(out, 1)
            case "empty": out = bytearray()
            case "short": out = out[:self.random.randint(1, 63)]
            case "text": out = bytearray(b"/* GNU ld script */ GROUP ( libelsewhere.so.1 )\n" * 3)
            case "cut":
                # Whole pages are gone; what a half-gone page does depends on what stood there.
                end = self.workshop.load_end(data)
                out = out[:4096 * self.random.randint(1, (end - 1) // 4096)]
        return bytes(out), fault

    def place(self, path: pathlib.Path, name: str) -> None:
        if os.path.lexists(path):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        where = str(path.relative_to(self.root))
        if self.odd(0.5):
            odd = self.random.choice(("folder", "dangling", "loop", "link"))
            self.told.append(f"{where}: {odd}")
            match odd:
                case "folder": path.mkdir()
                case "dangling": path.symlink_to("nothing-there")
                case "loop": path.symlink_to(path.name)
                case "link": path.symlink_to(self.root / self.random.choice(FOLDERS[:3]) / self.random.choice(NAMES))
            return
        library = self.library(name)
        data, fault = self.workshop.make(library), ""
        if self.odd(0.7):
            data, fault = self.spoil(data)
        self.told.append(f"{where}: {library} {fault}")
        if self.random.random() < 0.2:   # as packages install them: the SONAME is a link
            real = path.with_name(path.name + ".9.9")
            real.write_bytes(data)
            path.symlink_to(real.name)
        else:
            path.write_bytes(data)

    def request(self, number: int) -> Request:
        name = self.wanted_name()
        if self.random.random() < 0.2:
            name = str(self.root / self.random.choice(FOLDERS[:3]) / self.random.choice(NAMES))
        caller = self.random.randrange(number) if number > 0 and self.random.random() < 0.4 else -1
        return Request(name, caller, self.random.random() < 0.3)

    def make(self) -> Tree:
        pick = self.random
        for folder in FOLDERS:
            (self.root / folder).mkdir(parents=True)
        (self.root / "link1").symlink_to("d1")
        (self.root / "link2").symlink_to(self.root / "d3/lib64")
        for name in NAMES:
            for folder in pick.sample(FOLDERS, pick.randint(1, 3) if not self.odd(0.5) else 0):
                self.place(self.root / folder / name, name)
            if pick.random() < 0.2:
                self.place(self.root / pick.choice(FOLDERS[:3]) / pick.choice(LEVELS) / name, name)
        if pick.random() < 0.15:
            name = pick.choice(SYSTEM)
            self.place(self.root / pick.choice(FOLDERS[:3]) / name, name)
        program = Library("program")
        kind = pick.random()
        if kind < 0.4:
            program.rpath = self.run_path()
        if 0.35 < kind < 0.7:
            program.runpath = self.run_path()
        if pick.random() < 0.25:
            program.needed = tuple(self.wanted_name() for _ in range(pick.randint(1, 2)))
        path = self.root / "bin/program"
        path.write_bytes(self.workshop.make(program))
        path.chmod(0o755)
        tree = Tree(self.root, self.root / pick.choice((".", "d0")), path)
        self.told.append(f"bin/program: {program}")
        if pick.random() < 0.45:
            tree.library_path = self.run_path(":;" if self.odd() else ":")
        if pick.random() < 0.15:
            tree.preload = pick.choice((" ", ":")).join(self.wanted_name() for _ in range(pick.randint(1, 2)))
        if pick.random() < 0.2:
            tree.cached = [str(self.root / folder) for folder in pick.sample(FOLDERS[:6] + LINKED, pick.randint(1, 3))]
        tree.requests = [self.request(i) for i in range(pick.randint(1, 5))]
        tree.told = self.told
        return tree
