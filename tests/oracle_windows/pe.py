"""Writes small DLLs of Windows without a compiler: imports, exports, machine, cut short."""

import struct


def _pad(data: bytes, size: int) -> bytes:
    return data + b"\0" * (-len(data) % size)


def dll(name: str, imports=(), exports=(), machine: int = 0x8664, code: bytes = b"") -> bytes:
    """`imports`: (name, [functions]), or a name of which nothing is imported. Every export leads to `code`."""
    wide = machine != 0x14C
    base, data = 0x1000, bytearray(code)

    def add(blob: bytes) -> int:
        while len(data) % 8:
            data.append(0)
        at = base + len(data)
        data.extend(blob)
        return at

    word = "<Q" if wide else "<I"
    rows = b""
    for entry in imports:
        library, functions = (entry, []) if isinstance(entry, str) else entry
        thunks = b"".join(struct.pack(word, add(b"\0\0" + function.encode() + b"\0")) for function in functions) + struct.pack(word, 0)
        names, addresses, text = add(thunks), add(thunks), add(library.encode() + b"\0")
        rows += struct.pack("<5I", names, 0, 0, text, addresses)
    imported = add(rows + b"\0" * 20) if rows else 0
    exported = size = 0
    if exports:
        all_names = sorted(exports)
        exported = add(b"\0" * 40)
        place = exported - base
        functions = add(b"".join(struct.pack("<I", base) for _ in all_names))
        names = add(b"".join(struct.pack("<I", add(text.encode() + b"\0")) for text in all_names))
        ordinals = add(b"".join(struct.pack("<H", index) for index in range(len(all_names))))
        own = add(name.encode() + b"\0")
        data[place:place + 40] = struct.pack("<10I", 0, 0, 0, own, 1, len(all_names), len(all_names), functions, names, ordinals)
        size = 40
    body = _pad(bytes(data) or b"\0", 0x200)
    image = 0x180000000 if wide else 0x10000000
    optional = struct.pack("<HBBIIIII", 0x20B if wide else 0x10B, 14, 0, 0, len(body), 0, 0, base)
    optional += struct.pack("<Q", image) if wide else struct.pack("<II", base, image)
    optional += struct.pack("<IIHHHHHHIIIIHH", 0x1000, 0x200, 6, 0, 0, 0, 6, 0, 0, base + 0x1000 + len(body) // 0x1000 * 0x1000, 0x200, 0, 3, 0x160)
    optional += struct.pack("<4Q" if wide else "<4I", 0x100000, 0x1000, 0x100000, 0x1000) + struct.pack("<II", 0, 16)
    directories = [(exported, size), (imported, len(rows))] + [(0, 0)] * 14
    optional += b"".join(struct.pack("<II", *row) for row in directories)
    header = b"MZ" + b"\0" * 58 + struct.pack("<I", 64) + b"PE\0\0"
    header += struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, len(optional), 0x2022 if wide else 0x2122) + optional
    header += struct.pack("<8s8I", b".rdata", len(body), base, len(body), 0x200, 0, 0, 0, 0xE0000060 if code else 0xC0000040)
    return header.ljust(0x200, b"\0") + body
