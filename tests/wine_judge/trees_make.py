"""Makes one seeded scenario: folders of small DLLs, the state of a process, and what it loads."""

import dataclasses
import pathlib
import random

import pe_writer
from pe_writer import Image, Import
from wine_prefix import windows_path

ALTERED, DLL_DIR, APPLICATION, USER, SYSTEM, DEFAULTS = 0x8, 0x100, 0x200, 0x400, 0x800, 0x1000
PYTHON = DEFAULTS | DLL_DIR
# The folders of a tree; the last three are Windows' own.
OWN = ("app", "cwd", "p1", "p2", "d1", "d2", "s", "f1", "f2", "app/sub", "f1/sub", "dé日")
WINDOWS = ("system32", "system", ".")
SEARCHED = ("app", "system32", "p1", "cwd", "d1", "d2", "s", "f1")   # drawn more often: more kinds of loads search them
API_SET = "api-ms-win-crt-heap-l1-1-0.dll"   # one that Wine 8 knows


@dataclasses.dataclass
class Step:
    what: str          # load | handle | adddir
    name: str
    flags: int = 0

    def line(self) -> str:
        return f"load\t{self.flags:x}\t{self.name}" if self.what == "load" else f"{self.what}\t{self.name}"


@dataclasses.dataclass
class Tree:
    number: int
    root: pathlib.Path
    windows: pathlib.Path
    path: str = ""
    set_directory: str | None = None
    defaults: int = 0
    safe: bool = True
    steps: list = dataclasses.field(default_factory=list)
    planted: list = dataclasses.field(default_factory=list)   # files in Windows' folders
    files: list = dataclasses.field(default_factory=list)     # what was written, for a reader

    def script(self) -> str:
        lines = [f"path\t{self.path}"]
        if self.set_directory is not None:
            lines.append(f"setdir\t{self.set_directory}")
        if self.defaults:
            lines.append(f"defaults\t{self.defaults:x}")
        return "\n".join([*lines, *(step.line() for step in self.steps)]) + "\n"


class Maker:
    def __init__(self, number: int, seed: int, root: pathlib.Path, windows: pathlib.Path):
        self.random = random.Random(f"{seed}/{number}")
        self.tree = Tree(number, root, windows)
        # Most files lie in a few folders, which what is set and asked is about: or nothing would depend on it.
        places = OWN + WINDOWS + SEARCHED
        self.focus = list(dict.fromkeys(self.random.choices(places, k=4)))
        if self.chance(0.3):
            self.focus = ["d1", "d2", *self.focus[:1]]
        self.names = [self.new_name(letter) for letter in "abcdefgh"[:self.random.randint(3, 8)]]

    def chance(self, part: float) -> bool:
        return self.random.random() < part

    def new_name(self, letter: str) -> str:
        ending = self.random.choices((".dll", ".DLL", ".pyd", ".x.dll", ""), (20, 3, 3, 2, 1))[0]
        return self.random.choice(("g", "G", "gw_")) + f"{self.tree.number}{letter}{ending}"

    def recased(self, name: str) -> str:
        return name.swapcase() if self.chance(0.12) else name

    def folder(self, name: str) -> pathlib.Path:
        return self.tree.windows / name if name in WINDOWS else self.tree.root / name

    def shown(self, name: str) -> str:
        """The folder as the program may write it."""
        if name in WINDOWS:
            return "C:\\windows" + ("" if name == "." else "\\" + name)
        return windows_path(self.tree.root / name)

    def make(self) -> Tree:
        for name in OWN:
            (self.tree.root / name).mkdir(parents=True)
        wanted = {name: [f"fun{i}" for i in range(self.random.randint(1, 3))] for name in self.names}
        for index, name in enumerate(self.names):
            self.put_copies(name, index, wanted)
        self.set_process()
        for letter in "xyz"[:self.random.randint(0, 3)]:
            self.contest(letter)
        self.ask()
        return self.tree

    def put_copies(self, name: str, index: int, wanted: dict) -> None:
        count = self.random.choices((0, 1, 2, 3, 5), (1, 3, 6, 6, 3))[0]
        folders = [self.random.choice(self.focus if self.chance(0.8) else OWN + WINDOWS) for _ in range(count)]
        for folder in dict.fromkeys(folders):
            self.put(folder, self.recased(name), index, wanted)

    def put(self, folder: str, name: str, index: int, wanted: dict) -> None:
        path = self.folder(folder) / name
        if folder in WINDOWS:
            self.tree.planted.append(path)
        kind = self.random.choices(("good", "x86", "arm64", "cut", "empty", "text", "folder", "link"), (60, 4, 2, 3, 1, 2, 1, 3))[0]
        if kind == "folder" and folder not in WINDOWS:
            path.mkdir()
        elif kind == "link" and folder not in WINDOWS and self.linkable():
            path.symlink_to(self.random.choice(self.linkable()))
        elif kind in ("empty", "text"):
            path.write_text("" if kind == "empty" else "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 84123\n" * 4)
        else:
            image = self.image(name, index, wanted)
            image.machine = {"x86": pe_writer.X86, "arm64": pe_writer.ARM64}.get(kind, pe_writer.X64)
            data = pe_writer.image_bytes(image, padded=self.chance(0.9))
            if kind == "cut":
                data = data[:self.random.choice((1, 63, 64, 100, 200, 400, 511, 512))]
            path.write_bytes(data)
            needs = [one.library for one in image.imports] + [f"later {one.library}" for one in image.delayed]
            needs += [f"forward {target}" for target in image.exports.values() if target]
            self.tree.files.append((path, kind, needs))
            return
        self.tree.files.append((path, kind, []))

    def linkable(self) -> list:
        """Files without forwarders, which could come back to a link's own name."""
        return [path for path, _, needs in self.tree.files if not any(need.startswith("forward ") for need in needs)]

    def image(self, name: str, index: int, wanted: dict) -> Image:
        image = Image(name)
        others = [other for other in self.names if other != name]
        # Mostly what comes later in the list, so that loops are rare but there.
        later = self.names[index + 1:] if self.chance(0.9) else others
        for other in self.random.sample(later, min(len(later), self.random.choices((0, 1, 2, 3), (5, 5, 3, 1))[0])):
            wants = [1] if self.chance(0.05) else [want for want in wanted[other] if self.chance(0.8)]
            # Wine passes over an import of nothing; linkers write none.
            image.imports.append(Import(self.import_name(other), tuple(wants or ["fun0"])))
        if self.chance(0.04):
            image.imports.insert(self.random.randint(0, len(image.imports)), Import(f"gone{self.tree.number}.dll", ("fun0",)))
        if self.chance(0.1):
            image.imports.insert(0, Import("KERNEL32.dll", ("GetLastError",)))
        if self.chance(0.1):
            image.imports.append(Import(API_SET, ("malloc",)))
        if self.chance(0.1):
            image.delayed.append(Import(self.random.choice([*others, f"gone{self.tree.number}.dll"]), ("fun0",)))
        for want in wanted.get(name, wanted[self.names[index]]):
            if self.chance(0.95):
                # Every second one forwards, and to what does not: forwarders are followed one step.
                targets = [other for other in self.names[1::2] if other.lower().endswith(".dll") and other.count(".") == 1] if index % 2 == 0 else []
                image.exports[want] = f"{self.random.choice(targets)[:-4]}.{want}" if targets and self.chance(0.12) else ""
        return image

    def import_name(self, name: str) -> str:
        name = self.recased(name)
        return name[:-4] if name.endswith(".dll") and name.count(".") == 1 and self.chance(0.04) else name

    def set_process(self) -> None:
        tree = self.tree
        entries = [self.shown("p1"), self.shown("p2")] if self.chance(0.9) else [self.shown("p2")]
        extra = ("rel", "..\\p2", self.shown("f2"), self.shown("gone"), self.shown("p1") + "\\", self.shown("p1").upper(), self.shown("cwd"),
                 self.shown("system32"), self.shown("dé日"), self.shown("p2") + "\\..\\d2")
        for entry in self.random.sample(extra, self.random.choices((0, 1, 2), (3, 2, 1))[0]):
            entries.insert(self.random.randint(0, len(entries)), entry)
        tree.path = ";".join(entries)
        if self.chance(0.5 if "s" in self.focus else 0.15):
            tree.set_directory = self.random.choice((self.shown("s"), self.shown("s"), "", self.shown("gone")))
        if self.chance(0.2):
            tree.defaults = self.random.choice((DEFAULTS, SYSTEM, APPLICATION | SYSTEM, USER, DEFAULTS | USER))
        for _ in range(self.random.choices((0, 1, 2, 3), (3, 2, 3, 1))[0]):
            tree.steps.append(Step("adddir", self.shown(self.added_folder())))

    def contest(self, letter: str) -> None:
        """A name that lies in several folders of those that one kind of search goes through, and some load of that kind."""
        name = f"g{self.tree.number}{letter}.dll"
        rest = ("s", "system32", "system", ".", "cwd", "p1", "p2")
        folders, flags, full = self.random.choice((
            (("app", *rest), 0, False), (("app", *rest), ALTERED, False), (("f1", "app", *rest), ALTERED, True), (("f1", "app", *rest), 0, True),
            (("app", "d1", "d2", "s", "system32"), DEFAULTS, False), (("d1", "d2", "s", "cwd"), USER, False),
            (("f1", "app", "d1", "d2", "s", "system32", "cwd", "p1"), PYTHON, True), (("f1", "d1", "d2", "app"), DLL_DIR | USER, True),
            (("app", "system32", "d1", "p1"), SYSTEM | APPLICATION, False)))
        for index, folder in enumerate(self.random.sample(folders, self.random.choice((1, 2, 2, 3)))):
            machine = pe_writer.X86 if index == 0 and self.chance(0.2) else pe_writer.X64
            self.write(folder, name, Image(name, machine=machine, exports={"fun0": ""}), "good" if machine == pe_writer.X64 else "x86")
        for folder in self.random.sample(("d1", "d2"), 2):
            if self.chance(0.8):
                self.tree.steps.append(Step("adddir", self.shown(folder)))
        asked = name
        if full:
            asked = f"g{self.tree.number}{letter}a.dll"
            self.write("f1", asked, Image(asked, imports=[Import(name, ("fun0",))]), "good")
            asked = self.shown("f1") + "\\" + asked
        self.tree.steps.append(Step("load", asked, flags))

    def write(self, folder: str, name: str, image: Image, kind: str) -> None:
        path = self.folder(folder) / name
        path.write_bytes(pe_writer.image_bytes(image))
        if folder in WINDOWS:
            self.tree.planted.append(path)
        self.tree.files.append((path, kind, [one.library for one in image.imports]))

    def added_folder(self) -> str:
        mine = [name for name in self.focus if name in ("d1", "d2", "f2", "dé日", "p1")]
        return self.random.choice(mine if mine and self.chance(0.8) else ["d1", "d2", "f2", "dé日", "p1"])

    def flags(self, full: bool) -> int:
        """A set of flags; for a bare name mostly one that may go with it."""
        free = (0, ALTERED, DEFAULTS, APPLICATION, USER, SYSTEM, USER | SYSTEM, APPLICATION | USER)
        bound = (PYTHON, DLL_DIR, DLL_DIR | SYSTEM, DLL_DIR | USER, DLL_DIR | APPLICATION)
        if self.chance(0.5 if full else 0.03):
            return self.random.choices(bound, (20, 2, 3, 2, 2))[0]
        return ALTERED | DEFAULTS if self.chance(0.02) else self.random.choices(free, (20, 12, 12, 2, 3, 2, 2, 2))[0]

    def spelled(self, name: str) -> str:
        """The bare name in one of its ways of writing."""
        name = self.recased(name)
        if name.endswith(".dll") and name.count(".") == 1 and self.chance(0.1):
            return name[:-4]
        return name + "." if "." not in name or self.chance(0.02) else name

    def full(self, path: pathlib.Path) -> str:
        """A file's full path in one of its ways of writing."""
        for name in WINDOWS:
            if path.parent == self.folder(name):
                return self.shown(name) + "\\" + path.name
        text = windows_path(path)
        way = self.random.choices(("plain", "upper", "dots", "long", "dot"), (20, 2, 2, 2, 1))[0]
        if way == "upper":
            return text.upper().replace("É", "é")
        if way == "dots":
            return windows_path(path.parent) + "\\sub\\..\\" + path.name
        if way == "dot":
            return windows_path(path.parent) + "\\.\\\\" + path.name
        return ("\\\\?\\" + text) if way == "long" else text

    def ask(self) -> None:
        for _ in range(self.random.randint(1, 5)):
            # Wine looks for the file, and so finds a module that was loaded through a link to it.
            if self.chance(0.12) and all(kind != "link" for _, kind, _ in self.tree.files):
                self.tree.steps.append(Step("handle", self.random.choice(self.names)))
                continue
            if self.chance(0.05):
                self.tree.steps.append(Step("adddir", self.shown(self.added_folder())))
            way = self.random.choices(("bare", "full", "relative"), (10, 10, 1))[0]
            if way == "full" and not self.tree.files:
                way = "bare"
            if way == "full":
                name = self.full(self.random.choice(self.tree.files)[0])
            elif way == "relative":
                name = self.random.choice(("sub\\", ".\\", "..\\f1\\", "..\\p1\\")) + self.random.choice(self.names)
            else:
                name = self.spelled(self.random.choice(self.names))
            flags = self.flags(way == "full")
            # What 8 means for a path that is not full is not defined.
            self.tree.steps.append(Step("load", name, 0 if way == "relative" and flags == ALTERED else flags))
