"""DLLs that stand in for NVIDIA's: they define what the real CUDA provider imports from each, by reading its import table."""

import pathlib
import re

import pefile

import laboratory
import pe

HERE = pathlib.Path(__file__).resolve().parent
RETURN_ZERO = b"\x31\xc0\xc3"   # xor eax, eax; ret


def imports_of(path: pathlib.Path) -> dict:
    """DLL as it is written in the import table -> the functions taken from it."""
    with pefile.PE(str(path), fast_load=True) as image:
        image.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_IMPORT"]])
        return {entry.dll.decode(): [function.name.decode() for function in entry.imports if function.name]
                for entry in image.DIRECTORY_ENTRY_IMPORT}


def exports_of(image: bytes) -> list:
    with pefile.PE(data=image) as parsed:
        return [symbol.name.decode() for symbol in parsed.DIRECTORY_ENTRY_EXPORT.symbols]


def runtime(folder: pathlib.Path, name: str, functions) -> bytes:
    """cudart64_<n>.dll: cudart_double.c and, for what it does not define, functions that succeed."""
    own = set(re.findall(r"^API .*?(\w+)\(", (HERE / "cudart_double.c").read_text(), re.MULTILINE))
    number = int(re.match(r"cudart64_(\d+)", name)[1])
    source, built = folder / "cudart_rest.c", folder / name
    source.write_text("".join(f"__declspec(dllexport) int {function}(void) {{ return 0; }}\n" for function in sorted(set(functions) - own)))
    major = number // 10 if number >= 100 else number
    # Without a time stamp the same double has the same bytes, so that kept answers stay valid.
    laboratory.run(laboratory.COMPILER, "-shared", "-O2", "-w", "-Wl,--no-insert-timestamp", f"-DCUDART_MAJOR={major}", "-o", built,
                   HERE / "cudart_double.c", source)
    return built.read_bytes()


def of_provider(provider: pathlib.Path, folder: pathlib.Path) -> dict:
    """Name -> bytes of a working double, in the order in which the provider imports them."""
    made = {}
    folder.mkdir(exist_ok=True)
    for name, functions in imports_of(provider).items():
        if name.startswith("cudart64_"):
            made[name] = runtime(folder, name, functions)
        elif name.startswith("cu"):
            made[name] = pe.dll(name, exports=functions, code=RETURN_ZERO)
    return made
