"""The table generators must refuse a faulty table and name file and line; a generator that lets one pass is a fault.
    check_refusals.py GPU-TABLES-GENERATOR LOADS-GENERATOR WSL-KEYS-GENERATOR TABLES-FOLDER
Each case edits the real tables by one replacement."""

import pathlib
import subprocess
import sys
import tempfile

CASES = [
    # file, text replaced (first occurrence), replacement, what the message must say
    ("gpus.toml", 'source = "okm"', 'source = "nobody"', "unknown source nobody"),
    ("gpus.toml", 'checked = "2026-12-01"', 'checked = "soon"', "checked is no date: soon"),
    ("gpus.toml", 'checked = "2026-12-01"', "", "without checked"),
    ("gpus.toml", '"2684 GeForce RTX 4090"', '"2684 GeForce RTX 4090", "2684 Another"', "is there twice"),
    ("gpus.toml", '"2684 GeForce RTX 4090"', '"26g4 GeForce RTX 4090"', "is no PCI id"),
    ("gpus.toml", '"2684 GeForce RTX 4090"', '"2684"', "expected ID NAME"),
    ("gpus.toml", 'architecture = "ada"', 'architecture = "adam"', "unknown architecture adam"),
    ("gpus.toml", 'cc = "8.9"', 'cc = "8"', "is no version MAJOR.MINOR"),
    ("gpus.toml", "[[chip]]\nname", "[[chips]]\nname", "unknown table chips"),
    ("gpus.toml", 'open_module = "only"\nsource', 'open_module = "yes"\nsource', "open_module is"),
    ("cuda.toml", 'isa = "8.7"', 'isa = "8.8"', "ptx is there twice"),
    ("cuda.toml", "branch = 550", "branch = 555", "branch is there twice"),
    ("cuda.toml", 'id = "mvc"', 'id = "mvc2"', "unknown source mvc"),
    ("loads.toml", 'source = "file-names"', 'source = "nobody"', "unknown source nobody"),
    ("loads.toml", 'checked = "2026-12-01"', "", "without checked"),
    ("loads.toml", 'library = "cudart"', 'library = "cublas"', "the library is there twice"),
    ("loads.toml", '"10.1 10.1"', '"10.1"', "expected CUDA NUMBER"),
    ("loads.toml", '"10.1 10.1"', '"10 10.1"', "is no release MAJOR.MINOR"),
    ("loads.toml", 'stage = "import"', 'stage = "start"', "unknown stage: start"),
    ("loads.toml", 'miss = "no-gpu"', 'miss = "bad"', "unknown miss: bad"),
    ("loads.toml", 'system = "linux"', 'system = "beos"', "unknown system: beos"),
    ("loads.toml", 'library = "cusparse"\nmiss', 'library = "cusparze"\nmiss', "unknown library cusparze"),
    ("loads.toml", "[[holder]]\nframework", "[[holders]]\nframework", "unknown table holders"),
    ("wsl_keys.toml", 'source = "coreconfig"', 'source = "nobody"', "unknown source nobody"),
    ("wsl_keys.toml", 'checked = "2026-12-01"', "", "without checked"),
    ("wsl_keys.toml", 'file = "wslconfig"', 'file = "wsl.ini"', "unknown file: wsl.ini"),
    ("wsl_keys.toml", 'type = "size"', 'type = "float"', "unknown type: float"),
    ("wsl_keys.toml", 'type = "enum"', 'type = "bool"', "values belong to an enum"),
    ("wsl_keys.toml", 'name = "wsl2.memory"', 'name = "memory"', "is no SECTION.KEY"),
    ("wsl_keys.toml", 'name = "wsl2.memory"', 'name = "wsl2.kernel"', "wsl2.kernel is there twice"),
]


TABLES = ("gpus.toml", "cuda.toml", "loads.toml", "wsl_keys.toml")


def run(generators: list[str], file: str, tables: pathlib.Path, folder: pathlib.Path) -> subprocess.CompletedProcess:
    command = [generators[0], folder / "out", tables / "gpus.toml", tables / "cuda.toml"]
    if file in ("loads.toml", "wsl_keys.toml"):
        command = [generators[1 if file == "loads.toml" else 2], tables / file, folder / "rows.inc"]
    return subprocess.run(command, capture_output=True, text=True)


def main() -> int:
    generators, source = sys.argv[1:4], pathlib.Path(sys.argv[4])
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in TABLES:
            sound = run(generators, file, source, folder)
            if sound.returncode != 0:
                faults.append(f"the real tables are refused: {sound.stderr}")
        for file, old, new, message in CASES:
            for table in TABLES:
                text = (source / table).read_text(encoding="utf-8")
                if table == file:
                    if old not in text:
                        faults.append(f"{file} no longer holds {old!r}: this case tests nothing")
                    text = text.replace(old, new, 1)
                (folder / table).write_text(text, encoding="utf-8")
            done = run(generators, file, folder, folder)
            if done.returncode == 0 or message not in done.stderr or f"{file}:" not in done.stderr:
                faults.append(f"{file}, {old!r} -> {new!r}: exit code {done.returncode}, said {done.stderr!r}, expected {message!r}")
    print("\n".join(faults) or f"{len(CASES)} faulty tables refused")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
