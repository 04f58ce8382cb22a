"""pefile (from the package index) against what gpuway reads of PE images: every .dll, .exe and .pyd below the folders.
    judge.py --driver PE_DRIVER FOLDER...
Without a folder: the DLLs of the Wine that is installed. Exit code 77: there is nothing to judge."""

import argparse
import json
import pathlib
import subprocess
import sys

WINE = ["/usr/lib/x86_64-linux-gnu/wine/x86_64-windows", "/usr/lib/x86_64-linux-gnu/wine/i386-windows", "/usr/lib/wine/x86_64-windows"]
ENDINGS = {".dll", ".exe", ".pyd", ".drv", ".ocx", ".cpl"}


def text(raw) -> str:
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw


def truth(pefile, path):
    # Its own limits of 8,192 would leave out what OpenBLAS exports and what PyTorch imports.
    pefile.MAX_IMPORT_SYMBOLS = 1 << 20
    pe = pefile.PE(str(path), fast_load=True, max_symbol_exports=1 << 20)
    pe.parse_data_directories([pefile.DIRECTORY_ENTRY[name] for name in (
        "IMAGE_DIRECTORY_ENTRY_IMPORT", "IMAGE_DIRECTORY_ENTRY_DELAY_IMPORT", "IMAGE_DIRECTORY_ENTRY_EXPORT",
        "IMAGE_DIRECTORY_ENTRY_RESOURCE", "IMAGE_DIRECTORY_ENTRY_LOAD_CONFIG")])
    return pe


def names_of(rows):
    return [text(row.dll) for row in rows if row.imports]


def version_texts(pe):
    out = {}
    for block in getattr(pe, "FileInfo", None) or []:
        for entry in block:
            for table in getattr(entry, "StringTable", []):
                for key, value in table.entries.items():
                    out.setdefault(text(key), text(value).strip())
    return out


def facts(pe):
    fixed = getattr(pe, "VS_FIXEDFILEINFO", None)
    version = ""
    if fixed:
        high, low = fixed[0].FileVersionMS, fixed[0].FileVersionLS
        version = f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"
    exports = getattr(pe, "DIRECTORY_ENTRY_EXPORT", None)
    strings = version_texts(pe)
    config = getattr(pe, "DIRECTORY_ENTRY_LOAD_CONFIG", None)
    return {
        "machine": pe.FILE_HEADER.Machine,
        "is_64": pe.OPTIONAL_HEADER.Magic == 0x20B,
        "characteristics": pe.FILE_HEADER.Characteristics,
        "dll_characteristics": pe.OPTIONAL_HEADER.DllCharacteristics,
        "imports": names_of(getattr(pe, "DIRECTORY_ENTRY_IMPORT", [])),
        "delayed_imports": [text(row.dll) for row in getattr(pe, "DIRECTORY_ENTRY_DELAY_IMPORT", [])],
        "export_name": text(exports.name or b"") if exports else "",
        "export_count": exports.struct.NumberOfNames if exports else 0,
        "file_version": version,
        "product_version": strings.get("ProductVersion", ""),
        "product_name": strings.get("ProductName", ""),
        "company": strings.get("CompanyName", ""),
        "dependent_load_flags": getattr(config.struct, "DependentLoadFlags", 0) or 0 if config else 0,
    }


def exported(pe):
    table = getattr(pe, "DIRECTORY_ENTRY_EXPORT", None)
    names, ordinals = {}, {}
    for symbol in table.symbols if table else []:
        forward = text(symbol.forwarder) if symbol.forwarder else ""
        ordinals[symbol.ordinal] = forward
        if symbol.name:
            names[symbol.name] = forward
    return names, ordinals


def import_truth(row, names, ordinals):
    missing, forwarded = [], []
    for symbol in row.imports:
        known = ordinals if symbol.import_by_ordinal else names
        key = symbol.ordinal if symbol.import_by_ordinal else symbol.name
        if key not in known:
            missing.append(f"#{symbol.ordinal}" if symbol.import_by_ordinal else text(symbol.name))
        elif known[key]:
            library = known[key].rsplit(".", 1)[0]
            library += "" if library.lower().endswith(".dll") else ".dll"
            if library not in forwarded:
                forwarded.append(library)
    return missing, forwarded


class Driver:
    """gpuway's own reading, one answer per request."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request: str) -> dict:
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def judge_images(pefile, driver: Driver, files: list) -> tuple[list, int]:
    """Where pefile and gpuway differ, as (file, text), and how many import tables were looked up in the other files."""
    by_name = {path.name.lower(): path for path in reversed(files)}
    faults, checks, tables = [], 0, {}
    for path in files:
        try:
            pe = truth(pefile, path)
        except pefile.PEFormatError as error:
            if "error" not in driver.ask(str(path)):
                faults.append((path, f"read, although pefile refuses it: {error}"))
            continue
        said = driver.ask(str(path))
        for key, value in facts(pe).items():
            if said.get(key) != value:
                faults.append((path, f"{key} is {value!r}, gpuway says {said.get(key, said)!r}"))
        for row in getattr(pe, "DIRECTORY_ENTRY_IMPORT", []):
            target = by_name.get(text(row.dll).lower())
            if target is None:
                continue
            if target not in tables:
                tables[target] = exported(truth(pefile, target))
            missing, forwarded = import_truth(row, *tables[target])
            said = driver.ask(f"{path}\t{text(row.dll)}\t{target}")
            checks += 1
            if not said["looked"] or said["missing"] != missing[:16] or said["missing_count"] != len(missing) or said["forwarded_to"] != forwarded:
                faults.append((path, f"from {target.name}: missing {missing[:5]} of {len(missing)}, forwarded {forwarded}, gpuway says {said}"))
        pe.close()
    return faults, checks


def images_below(folder) -> list:
    return sorted(path for path in pathlib.Path(folder).glob("**/*") if path.suffix.lower() in ENDINGS and path.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--limit", type=int, default=0, help="no more than this many files")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    try:
        import pefile
    except ImportError:
        print("pefile is not installed")
        return 77
    files = []
    for folder in options.folders or WINE:
        files += images_below(folder)
    files = files[:: max(1, len(files) // options.limit)] if options.limit else files
    if not files:
        print("no PE images here: install wine64, or name a folder")
        return 77
    faults, checks = judge_images(pefile, Driver(options.driver), files)
    for path, fault in faults[:40]:
        print(f"{path}: {fault}")
    print(f"{len(files)} images, {checks} import tables, {len(faults)} differ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
