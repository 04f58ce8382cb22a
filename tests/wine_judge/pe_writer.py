"""Writes small PE images without a compiler: imports by name and ordinal, delayed imports, exports, forwarders. No code."""

import dataclasses
import struct

X64, X86, ARM64 = 0x8664, 0x14C, 0xAA64
SECTION, ALIGNMENT = 0x1000, 0x200
EXPORTS, IMPORTS, DELAYED = 0, 1, 13   # data directories
# Code, data, executable, readable, writable. An image without code may be of any machine, as it can only hold resources.
CONTENT = 0xE0000060


@dataclasses.dataclass
class Import:
    library: str
    wants: tuple = ()   # names, or numbers for ordinals


@dataclasses.dataclass
class Image:
    name: str
    machine: int = X64
    imports: list = dataclasses.field(default_factory=list)
    delayed: list = dataclasses.field(default_factory=list)
    exports: dict = dataclasses.field(default_factory=dict)   # name -> "" or "OTHER.name" for a forwarder


class Section:
    """One section's bytes, and where they will lie in memory."""

    def __init__(self):
        self.data = bytearray()

    def add(self, blob: bytes) -> int:
        self.data += b"\0" * (-len(self.data) % 8)
        self.data += blob
        return SECTION + len(self.data) - len(blob)

    def put(self, address: int, blob: bytes) -> None:
        self.data[address - SECTION:address - SECTION + len(blob)] = blob


def _thunks(section: Section, wants, wide: bool) -> bytes:
    form, flag = ("<Q", 1 << 63) if wide else ("<I", 1 << 31)
    rows = [flag | want if isinstance(want, int) else section.add(b"\0\0" + want.encode() + b"\0") for want in wants]
    return b"".join(struct.pack(form, row) for row in [*rows, 0])


def _imports(section: Section, imports, wide: bool) -> tuple:
    rows = b""
    for one in imports:
        thunks = _thunks(section, one.wants, wide)
        looked_up, bound, name = section.add(thunks), section.add(thunks), section.add(one.library.encode() + b"\0")
        rows += struct.pack("<5I", looked_up, 0, 0, name, bound)
    rows += bytes(20)
    return section.add(rows), len(rows)


def _delayed(section: Section, imports, wide: bool) -> tuple:
    rows = b""
    for one in imports:
        thunks = _thunks(section, one.wants, wide)
        name, handle = section.add(one.library.encode() + b"\0"), section.add(bytes(8))
        bound, looked_up = section.add(thunks), section.add(thunks)
        rows += struct.pack("<8I", 1, name, handle, bound, looked_up, 0, 0, 0)
    rows += bytes(32)
    return section.add(rows), len(rows)


def _exports(section: Section, image: Image) -> tuple:
    # Forwarders' texts must lie inside the directory, so all of it is one block.
    names = sorted(image.exports)
    count = len(names)
    head = 40 + 10 * count
    texts, places = b"", []
    for text in [image.name, *names, *(image.exports[name] for name in names)]:
        places.append(head + len(texts))
        texts += text.encode() + b"\0"
    start = section.add(bytes(head) + texts)
    functions, table, ordinals = start + 40, start + 40 + 4 * count, start + 40 + 8 * count
    section.put(start, struct.pack("<10I", 0, 0, 0, start + places[0], 1, count, count, functions, table, ordinals))
    for index, name in enumerate(names):
        forward = image.exports[name]
        section.put(functions + 4 * index, struct.pack("<I", start + places[1 + count + index] if forward else SECTION))
        section.put(table + 4 * index, struct.pack("<I", start + places[1 + index]))
        section.put(ordinals + 2 * index, struct.pack("<H", index))
    return start, head + len(texts)


def image_bytes(image: Image, padded: bool = True) -> bytes:
    """The file. Without padding it ends with its last byte that means something, as some linkers leave it."""
    wide = image.machine != X86
    section = Section()
    section.add(bytes(16))   # what plain exports point at
    directories = [(0, 0)] * 16
    if image.exports:
        directories[EXPORTS] = _exports(section, image)
    if image.imports:
        directories[IMPORTS] = _imports(section, image.imports, wide)
    if image.delayed:
        directories[DELAYED] = _delayed(section, image.delayed, wide)
    body = bytes(section.data) + bytes(-len(section.data) % ALIGNMENT)
    end = SECTION + (len(body) + SECTION - 1) // SECTION * SECTION
    optional = struct.pack("<HBBIIIII", 0x20B if wide else 0x10B, 14, 0, len(body), len(body), 0, 0, SECTION)
    optional += struct.pack("<Q", 0x180000000) if wide else struct.pack("<II", SECTION, 0x10000000)
    optional += struct.pack("<IIHHHHHHIIIIHH", SECTION, ALIGNMENT, 6, 0, 0, 0, 6, 0, 0, end, ALIGNMENT, 0, 3, 0x160)
    optional += struct.pack("<4Q" if wide else "<4I", 1 << 20, 1 << 12, 1 << 20, 1 << 12) + struct.pack("<II", 0, 16)
    optional += b"".join(struct.pack("<II", *row) for row in directories)
    header = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    header += struct.pack("<HHIIIHH", image.machine, 1, 0, 0, 0, len(optional), 0x2022 if wide else 0x2122) + optional
    header += struct.pack("<8s8I", b".text", len(body), SECTION, len(body), ALIGNMENT, 0, 0, 0, CONTENT)
    return header.ljust(ALIGNMENT, b"\0") + (body if padded else bytes(section.data))
