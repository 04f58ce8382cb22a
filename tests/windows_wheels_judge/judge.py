"""Real wheels for Windows, laid out as Windows environments, and what gpuway reads of them against judges from outside:

  pefile (and lief, where pefile and gpuway differ)   headers, imports, delay imports, exports, versions of every .dll, .pyd and .exe
  cuobjdump.exe under Wine                            GPU code: architectures, PTX and their numbers, for every file that has some
  environments.toml                                   which files have a section for GPU code, and what build each framework is

    judge.py --gpuway gpuway.exe --pe-driver pe_driver --fatbin-driver fatbin_driver [--work FOLDER] [--only NAME,...] [--keep]

Wheels are kept in FOLDER/wheels; an environment is unpacked for its turn and removed afterwards. gpuway.exe looks at it under
Wine. Exit code: 0 all agree, 1 something differs, 77 something is missing here. docs/windows-wheels.md says more.
"""

import argparse
import importlib.util
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "windows"))
from wine import SKIP, Wine, find_wine, windows_path  # noqa: E402

LIEF = "lief==1.0.0"
# The DLLs of a real CPython for Windows: the wheel carries them for programs that it packs.
PYTHON = "panda3d==1.10.16"
# Section names of a PE image have eight characters: .nv_fatbin and __nv_relfatbin.
NAMED = (".nv_fatb", "__nv_rel")
EXECUTABLE = 0x20000000
# The oldest architecture that the cuobjdump of CUDA 13 reads, and what it says of an older one.
OLDEST = 50
REMOVED = re.compile(r"Support for 'sm_\d+' has been removed")


def judge_of(folder: str):
    """The judge of a neighbouring test, as a module."""
    spec = importlib.util.spec_from_file_location(folder, HERE.parent / folder / "judge.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pe_judge, fatbin_judge = judge_of("pe_judge"), judge_of("fatbin_judge")


class Missing(Exception):
    """Something that this machine lacks."""


class Shelf:
    """What comes from the package index, kept once it is there."""

    def __init__(self, work: pathlib.Path):
        self.work = work
        self.wheels = work / "wheels"

    def wheel(self, requirement: str, python: str) -> pathlib.Path:
        name, version = requirement.split("==")
        tag = "cp" + python.replace(".", "")
        fits = [path for path in self.wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl") if f"-{tag}-" in path.name or "-py3-" in path.name]
        if fits:
            return fits[0]
        # Downloaded beside and moved when whole.
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-cache-dir", "--only-binary", ":all:",
                       "--platform", "win_amd64", "--python-version", python, "--no-deps", "-d", folder, requirement]
            if subprocess.run(command, check=False).returncode != 0:
                raise Missing(f"{requirement} cannot be downloaded")
            self.wheels.mkdir(exist_ok=True)
            (found,) = pathlib.Path(folder).glob("*.whl")
            return found.replace(self.wheels / found.name)

    def unpacked(self, requirement: str) -> pathlib.Path:
        folder = self.work / requirement.split("==")[0]
        if not (folder / ".done").exists():
            with zipfile.ZipFile(self.wheel(requirement, "3.12")) as archive:
                archive.extractall(folder)
            (folder / ".done").touch()
        return folder

    def base_python(self, python: str, program: pathlib.Path) -> pathlib.Path:
        """A folder as the installer leaves it, as far as gpuway looks: the DLLs are real, python.exe is any program."""
        folder = self.work / f"python-{python}"
        if folder.exists():
            return folder
        with tempfile.TemporaryDirectory(dir=self.work) as parts, zipfile.ZipFile(self.wheel(PYTHON, python)) as archive:
            made = pathlib.Path(parts) / "made"
            (made / "Lib").mkdir(parents=True)
            (made / "Lib/os.py").touch()
            shutil.copy(program, made / "python.exe")
            for name in archive.namelist():
                base = name.rsplit("/", 1)[-1].lower()
                if name.startswith("deploy_libs/") and re.fullmatch(r"(python3\d*|vcruntime140(_1)?)\.dll", base):
                    (made / base).write_bytes(archive.read(name))
            made.replace(folder)
        return folder


def lay_out(shelf: Shelf, environment: dict, program: pathlib.Path, folder: pathlib.Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    base = shelf.base_python(environment["python"], program)
    (folder / "Scripts").mkdir(parents=True)
    shutil.copy(program, folder / "Scripts/python.exe")
    (folder / "pyvenv.cfg").write_text(f"home = {windows_path(base)}\ninclude-system-site-packages = false\nversion = {environment['python']}.0\n")
    site = folder / "Lib/site-packages"
    for requirement in environment["wheels"]:
        with zipfile.ZipFile(shelf.wheel(requirement, environment["python"])) as archive:
            archive.extractall(site)
        # An installer moves what lies below .data/purelib and platlib to where it is imported from.
        for data in site.glob("*.data"):
            for kind in ("purelib", "platlib"):
                if (data / kind).is_dir():
                    shutil.copytree(data / kind, site, dirs_exist_ok=True)


class Judges:
    def __init__(self, options, shelf: Shelf, wine: Wine):
        try:
            import pefile
        except ImportError:
            raise Missing("pefile is not installed") from None
        self.pefile, self.shelf, self.wine = pefile, shelf, wine
        self.gpuway, self.fatbin_driver = options.gpuway.resolve(), options.fatbin_driver.resolve()
        self.reader = pe_judge.Driver(options.pe_driver.resolve())
        self.cuobjdump = next(shelf.unpacked(fatbin_judge.CUOBJDUMP).rglob("cuobjdump.exe"))
        # The one for this machine reads what was cut out of images; it does not know PE.
        if not fatbin_judge.install(fatbin_judge.CUOBJDUMP, shelf.work / "cuobjdump"):
            raise Missing("cuobjdump cannot be installed")
        self.native_cuobjdump = next((shelf.work / "cuobjdump").rglob("bin/cuobjdump"))
        self.native_cuobjdump.chmod(0o755)
        self.images = self.tables = self.entries = self.unjudged = 0

    # ---- images

    def lief_says(self, path: pathlib.Path) -> str:
        """A third opinion, for whoever looks into a difference."""
        if not fatbin_judge.install(LIEF, self.shelf.work / "lief"):
            return "lief cannot be installed"
        code = ("import json, lief, sys; pe = lief.PE.parse(sys.argv[1]); export = pe.get_export() if pe.has_exports else None; "
                "print(json.dumps({'imports': [i.name for i in pe.imports], 'delayed_imports': [i.name for i in pe.delay_imports], "
                "'export_count': sum(1 for e in export.entries if e.name) if export else 0, 'export_name': export.name if export else ''}))")
        done = subprocess.run([sys.executable, "-c", code, path], env={"PYTHONPATH": str(self.shelf.work / "lief")}, capture_output=True, text=True, check=False)
        return done.stdout.strip() or done.stderr.strip()[-300:]

    def judge_images(self, site: pathlib.Path, images: list) -> list:
        faults, checks = pe_judge.judge_images(self.pefile, self.reader, images)
        self.images += len(images)
        self.tables += checks
        asked = {path: self.lief_says(path) for path in {path for path, _ in faults}}
        return [f"{path.relative_to(site)}: {fault}; lief says {asked[path]}" for path, fault in faults]

    # ---- GPU code

    def look_for_containers(self, path: pathlib.Path, everywhere: bool = False) -> tuple[bool, list]:
        """Whether the image has a section for GPU code, and the containers that lie elsewhere, or all (code is not searched)."""
        pe = self.pefile.PE(str(path), fast_load=True)
        named, found = False, []
        for section in pe.sections:
            if section.Name.rstrip(b"\0").decode("latin-1") in NAMED:
                named = True
                if not everywhere:
                    continue
            if section.Characteristics & EXECUTABLE:
                continue
            begin, end = section.PointerToRawData, section.PointerToRawData + section.SizeOfRawData
            at = pe.__data__.find(fatbin_judge.MAGIC, begin, end)
            while at >= 0:
                length = int.from_bytes(pe.__data__[at + 8:at + 16], "little")
                # The magic alone, as a constant of code that looks for it.
                if length > end - at - 16:
                    length = 0
                else:
                    found.append(pe.__data__[at:at + 16 + length])
                at = pe.__data__.find(fatbin_judge.MAGIC, at + 16 + length, end)
        pe.close()
        return named, found

    def asked_cuobjdump(self, path: pathlib.Path, elsewhere: list) -> tuple:
        done = self.wine.run(self.cuobjdump, "-all", windows_path(path), timeout=900)
        out = done.stdout.decode().replace("\r", "")
        if REMOVED.search(out + done.stderr.decode()):
            count, isa, old = self.asked_without_old(path)
            return count, isa, f", {old} too old for cuobjdump"
        count, isa = fatbin_judge.listed(done.returncode, out, done.stderr.decode())
        with tempfile.TemporaryDirectory() as folder:
            more, more_isa = fatbin_judge.asked_elsewhere(self.native_cuobjdump, elsewhere, pathlib.Path(folder))
        for arch, version in more_isa.items():
            isa[arch] = max(isa.get(arch, (0, 0)), version)
        return count + more, isa, ""

    def asked_without_old(self, path: pathlib.Path) -> tuple:
        """cuobjdump ends at the first entry for an architecture that it no longer knows (sm_35): here it is shown all others,
        cut out, and those are counted from their headers."""
        count, kept = fatbin_judge.Count(), []
        for container in self.look_for_containers(path, everywhere=True)[1]:
            at, entries = 16, []
            while at + 64 <= len(container):
                kind, header, size, arch = *struct.unpack_from("<H2xIQ", container, at), int.from_bytes(container[at + 28:at + 32], "little")
                if arch < OLDEST:
                    count[{1: "ptx", 2: "elf"}.get(kind, "other"), str(arch)] += 1
                else:
                    entries.append(container[at:at + header + size])
                at += header + size
            body = b"".join(entries)
            kept.append(container[:8] + len(body).to_bytes(8, "little") + body)
        old = count.total()
        with tempfile.TemporaryDirectory() as folder:
            more, isa = fatbin_judge.asked_elsewhere(self.native_cuobjdump, kept, pathlib.Path(folder))
        return count + more, isa, old

    def judge_gpu_code(self, site: pathlib.Path, images: list, expected: list) -> list:
        faults, having = [], []
        for path in images:
            name = path.relative_to(site).as_posix()
            named, elsewhere = self.look_for_containers(path)
            if named:
                having.append(name)
            ours, our_isa, tail = fatbin_judge.read_by_us(self.fatbin_driver, path)
            if not named and not elsewhere:
                if ours:
                    faults.append(f"{name}: no section for GPU code, gpuway reads {dict(ours)}")
                continue
            try:
                count, isa, note = self.asked_cuobjdump(path, elsewhere)
            except fatbin_judge.NoAnswer as reason:
                self.unjudged += 1
                print(f"    in part: {name}: cuobjdump gives up after {reason.count.total()} of {ours.total()} entries: {reason}", flush=True)
                if reason.count - ours:
                    faults.append(f"{name}: cuobjdump lists {dict(reason.count - ours)} more than gpuway")
                continue
            self.entries += count.total()
            architectures = " ".join(sorted({f"{kind}:{arch}" for kind, arch in count}))
            print(f"    {name}: {count.total()} entries ({architectures}), {len(elsewhere)} containers outside .nv_fatb{note}; {tail}", flush=True)
            if ours != count:
                faults.append(f"{name}: only cuobjdump lists {dict(count - ours)}, only gpuway {dict(ours - count)}")
            if our_isa != isa:
                faults.append(f"{name}: PTX ISA by cuobjdump {isa}, by gpuway {our_isa}")
        if having != sorted(expected):
            faults.append(f"files with a section for GPU code: {having}, environments.toml says {sorted(expected)}")
        return faults

    # ---- what gpuway.exe says

    def judge_answer(self, environment: dict, folder: pathlib.Path) -> list:
        done = self.wine.run(self.gpuway, "check", "--json", "--env", windows_path(folder), timeout=300)
        if done.returncode not in (0, 1):
            return [f"gpuway.exe: exit code {done.returncode}: {done.stderr.decode()[-400:]}"]
        answer = json.loads(done.stdout)
        (found,) = answer["environments"] or [{}]
        faults = []
        if not found.get("python", "").startswith(environment["python"] + "."):
            faults.append(f"gpuway.exe: Python {found.get('python')}")
        flavours = {chain["framework"]: chain["flavour"] for chain in answer["chains"]}
        print(f"    gpuway.exe: {flavours}", flush=True)
        if flavours != environment["flavours"]:
            faults.append(f"flavours: gpuway says {flavours}, environments.toml {environment['flavours']}")
        pins = {name: version for name, version in (wheel.split("==") for wheel in environment["wheels"])}
        for chain in answer["chains"]:
            if pins.get(chain["package"]) != chain["version"]:
                faults.append(f"{chain['framework']}: gpuway says {chain['package']} {chain['version']}")
        return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpuway", type=pathlib.Path, required=True)
    parser.add_argument("--pe-driver", type=pathlib.Path, required=True)
    parser.add_argument("--fatbin-driver", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/windows-wheels"))
    parser.add_argument("--only", help="these environments, by name")
    parser.add_argument("--keep", action="store_true", help="leave the environments unpacked (10 GB)")
    options = parser.parse_args()
    environments = tomllib.loads((HERE / "environments.toml").read_text())["environment"]
    if options.only:
        environments = [row for row in environments if row["name"] in options.only.split(",")]
    if find_wine() is None:
        print("wine64 is not installed")
        return SKIP
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    shelf, faults, start = Shelf(work), 0, time.monotonic()
    try:
        with Wine(work / "prefix") as wine:
            judges = Judges(options, shelf, wine)
            for environment in environments:
                print(environment["name"], flush=True)
                folder = work / "environments" / environment["name"]
                lay_out(shelf, environment, judges.gpuway, folder)
                site = folder / "Lib/site-packages"
                images = pe_judge.images_below(site)
                found = judges.judge_images(site, images) + judges.judge_gpu_code(site, images, environment["gpu_code"])
                found += judges.judge_answer(environment, folder)
                faults += len(found)
                for fault in found:
                    print("    DIFFERS " + fault, flush=True)
                if not options.keep:
                    shutil.rmtree(folder)
    except Missing as missing:
        print(missing)
        return SKIP
    print(f"{len(environments)} environments, {judges.images} images, {judges.tables} import tables, {judges.entries} entries of GPU code, "
          f"{judges.unjudged} files judged in part, {faults} differ; {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
