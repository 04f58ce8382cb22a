"""`gpuway inspect` against the real loader, on libraries of this system and on small ones made for the purpose.

    judge.py GPUWAY SCHEMA [FOLDER-OF-LIBRARIES]

What is asked: every library that the loader lists (LD_TRACE_LOADED_OBJECTS, what ldd does) is found by gpuway at the same
path, the missing ones are the same, the document fits its schema, and exit codes are what the help says.
"""

import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

LOADER = "/lib64/ld-linux-x86-64.so.2"
faults: list[str] = []


def expect(what: str, have, want) -> None:
    if have != want:
        faults.append(f"{what}: {have!r}, expected {want!r}")


def inspect(gpuway: str, *arguments, variables: dict | None = None) -> tuple[int, dict | None, str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LD_")}
    done = subprocess.run([gpuway, "inspect", "--json", *map(str, arguments)], capture_output=True, text=True, env=environment | (variables or {}))
    return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr


def listed(library: pathlib.Path, variables: dict | None = None) -> dict[str, str] | None:
    """Name -> real path, or "not found", as the loader lists them; None when it refuses the library as a program."""
    done = subprocess.run([LOADER, str(library)], capture_output=True, text=True,
                          env={"LD_TRACE_LOADED_OBJECTS": "1"} | (variables or {}))
    rows = re.findall(r"^\t(\S+) => (not found|\S+)", done.stdout, re.M)
    if done.returncode != 0 and not rows:
        return None
    return {name: path if path == "not found" else os.path.realpath(path) for name, path in rows}


def replayed(file: dict) -> dict[str, str]:
    return {need["name"]: "not found" if need["state"] in ("not-found", "elsewhere") else os.path.realpath(need["path"] or "")
            for need in file["needs"]}


def compare(library: pathlib.Path, file: dict, variables: dict | None = None) -> bool:
    real = listed(library, variables)
    if real is None:
        return False
    ours = replayed(file)
    ours.pop("ld-linux-x86-64.so.2", None)   # the loader does not list itself by that name
    real.pop("ld-linux-x86-64.so.2", None)
    expect(f"needs of {library}", ours, real)
    return True


def system_libraries(gpuway: str, folder: pathlib.Path) -> int:
    code, document, _ = inspect(gpuway, "--all", folder)
    compared = 0
    for file in document["files"]:
        if file["kind"] == "library" and file["machine"] == "x86-64" and pathlib.Path(file["path"]).parent == folder and compared < 300:
            compared += compare(pathlib.Path(file["path"]), file)
    expect("exit code of a folder", code in (0, 1), True)
    return compared


def made_libraries(gpuway: str, folder: pathlib.Path) -> int:
    """libtop needs libnear (by RUNPATH), libfar (by LD_LIBRARY_PATH only) and libgone (nowhere); libnear needs libdeep,
    which lies beside it and is found only by libnear's own RPATH."""
    def build(name: str, where: pathlib.Path, *options: str) -> pathlib.Path:
        where.mkdir(exist_ok=True)
        source = folder / f"{name}.c"
        source.write_text(f"int {name}(void) {{ return 1; }}\n")
        target = where / f"lib{name}.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", f"-Wl,-soname,lib{name}.so", "-o", str(target), str(source), *options], check=True)
        return target

    near, far, gone = folder / "near", folder / "far", folder / "gone"
    build("deep", near)
    build("near", near, f"-L{near}", "-ldeep", "-Wl,--disable-new-dtags,-rpath,$ORIGIN")
    build("far", far)
    build("gone", gone).rename(folder / "libgone.kept")
    (folder / "libgone.kept").rename(gone / "libgone.so")
    top = build("top", folder, f"-L{near}", "-lnear", f"-L{far}", "-lfar", f"-L{gone}", "-lgone", f"-Wl,-rpath-link,{near}", "-Wl,--enable-new-dtags,-rpath,$ORIGIN/near")
    (gone / "libgone.so").unlink()
    compared = 0
    for variables in ({}, {"LD_LIBRARY_PATH": str(far)}):
        code, document, _ = inspect(gpuway, top, variables=variables)
        compared += compare(top, document["files"][0], variables)
        expect("exit code with a missing library", code, 1)
        expect("loads", document["files"][0]["loads"], "no")
    rules = {need["name"]: need["rule"] for need in document["files"][0]["needs"]}
    expect("rules", {name: rules[name] for name in ("libnear.so", "libdeep.so", "libfar.so", "libgone.so")},
           {"libnear.so": "runpath", "libdeep.so": "rpath", "libfar.so": "ld-library-path", "libgone.so": None})
    missing = next(need for need in document["files"][0]["needs"] if need["name"] == "libgone.so")
    expect("searched places name the run path", str(near) in [place["path"] for place in missing["searched"]], True)

    # A folder that holds what is missing: somebody else must load it before, which is no fault.
    build("gone", folder / "gone")
    build("far", folder / "far")
    code, document, _ = inspect(gpuway, "--all", folder)
    state = {need["name"]: need["state"] for file in document["files"] if file["path"] == str(top) for need in file["needs"]}
    expect("states among themselves", (state["libgone.so"], state["libfar.so"], state["libnear.so"]), ("elsewhere", "elsewhere", "found"))
    expect("exit code when nothing is missing for good", code, 0)

    (near / "libdeep.so").write_bytes((near / "libdeep.so").read_bytes()[:3000])
    code, document, _ = inspect(gpuway, near / "libnear.so")
    expect("a cut off need", ({need["name"]: need["state"] for need in document["files"][0]["needs"]}["libdeep.so"], code), ("cut-off", 1))
    return compared


def kinds(gpuway: str, folder: pathlib.Path) -> None:
    """Files that are no libraries, made by the programs that make such files, or as their specification has them."""
    source = folder / "part.c"
    source.write_text("int part(void) { return 1; }\n")
    subprocess.run(["gcc", "-c", "-o", str(folder / "part.o"), str(source)], check=True)
    subprocess.run(["ar", "rc", str(folder / "libpart.a"), str(folder / "part.o")], check=True)
    with zipfile.ZipFile(folder / "some-1.0-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr("some/__init__.py", "value = 1\n" * 100)
    (folder / "packed.gz").write_bytes(gzip.compress(b"x" * 1000))
    (folder / "empty.so").write_bytes(b"")
    (folder / "script").write_text("#!/bin/sh\n" + "exit 0\n" * 30)
    (folder / "README.md").write_text("# Words\n\nDies ist Prosa über nichts.\n" * 10, encoding="utf-8")
    (folder / "noise.bin").write_bytes(bytes(range(256)) * 4)
    (folder / "pointer.so").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12345\n")
    packed, none = "undetermined", "none"
    for name, kind, state in (("libpart.a", "ar", none), ("some-1.0-py3-none-any.whl", "zip", packed), ("packed.gz", "gzip", packed),
                              ("empty.so", "empty", none), ("script", "script", none), ("README.md", "text", none),
                              ("noise.bin", "unknown", none), ("pointer.so", "git-lfs-pointer", none), ("text.so", "linker-script", none)):
        code, document, _ = inspect(gpuway, folder / name)
        file = document["files"][0]
        expect(name, (code, file["kind"], file["detail"], file["gpu_code"]["state"]), (0, "other", kind, state))


def odd_arguments(gpuway: str, folder: pathlib.Path) -> None:
    code, document, err = inspect(gpuway, folder / "nothing-here")
    expect("exit code of a path that does not exist", (code, document), (2, None))
    expect("and it is named", str(folder / "nothing-here") in err, True)
    (folder / "text.so").write_text("/* GNU ld script */ INPUT(-lm)\n" * 10)
    code, document, _ = inspect(gpuway, folder / "text.so")
    expect("a linker script", (code, document["files"][0]["kind"]), (0, "other"))
    kinds(gpuway, folder)
    code, document, err = inspect(gpuway, "")
    expect("an empty path", (code, document, "empty" in err), (2, None, True))
    os.mkfifo(folder / "fifo.so")
    code, document, _ = inspect(gpuway, folder / "fifo.so")
    expect("a FIFO does not hang", (code, document["files"][0]["kind"]), (3, "unreadable"))
    (folder / "kernel.ptx").write_text(".version 8.4\n.target sm_90a\n.address_size 64\n")
    code, document, _ = inspect(gpuway, folder / "kernel.ptx")
    expect("a PTX file", (document["files"][0]["gpu_code"]["architectures"][0]["name"], document["files"][0]["driver"]["lowest"]), ("compute_90a", "550.54.14"))
    empty = folder / "empty"
    empty.mkdir()
    code, document, _ = inspect(gpuway, empty)
    expect("an empty folder", (code, document["files"]), (0, []))


def main() -> int:
    gpuway, schema = sys.argv[1], json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else "/usr/lib/x86_64-linux-gnu")
    compared = system_libraries(gpuway, folder)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        compared += made_libraries(gpuway, work)
        odd_arguments(gpuway, work)
    try:
        import jsonschema
        for argument in (folder, "/bin/sh"):
            for fault in jsonschema.Draft202012Validator(schema).iter_errors(inspect(gpuway, "--all", argument)[1]):
                faults.append(f"schema: {fault.json_path}: {fault.message}")
    except ImportError:
        print("no jsonschema: the schema was not checked")
    print("\n".join(faults[:40]) or f"{compared} libraries as the loader finds them")
    return 1 if faults or compared < 10 else 0


if __name__ == "__main__":
    sys.exit(main())
