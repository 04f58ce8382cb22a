"""The registry keys that registry_test.cpp reads, as a file for reg.exe (UTF-16LE with its mark: anything else is read as ANSI)."""


def _text(value: str) -> bytes:
    return (value + "\0").encode("utf-16-le")


def _hex(kind: str, data: bytes) -> str:
    return f"hex{kind}:" + ",".join(f"{byte:02x}" for byte in data)


def registration() -> bytes:
    values = {
        "Text": '"C:\\\\Program Files\\\\x"',
        "Expand": _hex("(2)", _text("%SystemRoot%\\x")),
        "Number": "dword:fffffffe",
        "Big": _hex("(b)", bytes(range(8, 0, -1))),
        "List": _hex("(7)", b"".join(_text(part) for part in ("one", "zwei é", "三")) + b"\0\0"),
        "Bytes": _hex("", b"\x01\x00\xff"),
        "Long": '"' + "x" * 6000 + '"',
    }
    lines = ["Windows Registry Editor Version 5.00", "", "[HKEY_LOCAL_MACHINE\\SOFTWARE\\GpuwayPlanted]", '@="default é漢"']
    lines += [f'"{name}"={value}' for name, value in values.items()]
    for key in ("GpuwayPlanted\\Sub One", "GpuwayPlanted\\三", "Wow6432Node\\GpuwayPlanted32"):
        lines += ["", f"[HKEY_LOCAL_MACHINE\\SOFTWARE\\{key}]", '"Side"="32"']
    return b"\xff\xfe" + ("\r\n".join(lines) + "\r\n").encode("utf-16-le")
