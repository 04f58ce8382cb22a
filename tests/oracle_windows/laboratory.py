"""Puts a Windows CPython with a real framework together, and a Wine prefix to run it in. All of it is downloaded from the
package index when it is first wanted, and none of it is committed.

The interpreter's DLL and extension modules come from the panda3d wheel, its library from a CPython of the same minor release
on this machine; python.exe is a call of that DLL."""

import os
import pathlib
import shutil
import subprocess
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TENSORFLOW = ["tensorflow==2.10.1", "numpy<2", "h5py==3.7.0"]   # later h5py calls what Wine 8 does not have
COMPILER = "x86_64-w64-mingw32-gcc-posix"
WINE = next((path for path in ("/usr/lib/wine/wine64", shutil.which("wine64"), shutil.which("wine")) if path and os.path.exists(path)), "")
WINESERVER = next((path for path in ("/usr/lib/wine/wineserver64", shutil.which("wineserver")) if path and os.path.exists(path)), "")


class Missing(Exception):
    """Something that this machine lacks."""


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def standard_library(release: str) -> pathlib.Path:
    candidates = [*pathlib.Path.home().glob(f".pyenv/versions/{release}*/lib/python{release}"), pathlib.Path(f"/usr/lib/python{release}"),
                  pathlib.Path(f"/usr/local/lib/python{release}")]
    for folder in candidates:
        if (folder / "os.py").is_file():
            return folder
    raise Missing(f"no standard library of Python {release} on this machine (pyenv install {release})")


def windows_path(path) -> str:
    return "Z:" + str(pathlib.Path(path).resolve()).replace("/", "\\")


class Laboratory:
    """One Windows CPython with `packages` in `work`; several may share a prefix."""

    def __init__(self, work: pathlib.Path, packages=(), prefix=None, release="3.10"):
        self.work = work
        self.packages = list(packages or TENSORFLOW)
        self.release = release   # of Python
        self.python = work / "python"
        self.prefix = prefix or work / "prefix"
        self.system32 = self.prefix / "drive_c/windows/system32"
        self.driver = work / "nvcuda.dll"

    def prepare(self) -> None:
        if not WINE or not WINESERVER:
            raise Missing("Wine is not installed (wine64)")
        if shutil.which(COMPILER) is None:
            raise Missing("the Windows compiler is not installed (g++-mingw-w64-x86-64-posix)")
        self.work.mkdir(parents=True, exist_ok=True)
        if not (self.work / "ready").exists():
            self._build()
            (self.work / "ready").write_text("")
        run(COMPILER, "-shared", "-O2", "-o", self.driver, HERE / "nvcuda_double.c")
        self._start_server()

    def _build(self) -> None:
        library = standard_library(self.release)
        wheels, parts = self.work / "wheels", self.work / "parts"
        download = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--platform", "win_amd64",
                    "--python-version", self.release, "--only-binary=:all:", "-d", wheels]
        run(*download, "--no-deps", "panda3d==1.10.16")
        run(*download, *self.packages)
        shutil.rmtree(self.python, ignore_errors=True)
        shutil.copytree(library, self.python / "Lib", ignore=shutil.ignore_patterns(
            "site-packages", "lib-dynload", "test", "config-*", "__pycache__", "idlelib", "tkinter"))
        site = self.python / "Lib/site-packages"
        (self.python / "DLLs").mkdir()
        site.mkdir()
        for wheel in sorted(wheels.glob("*.whl")):
            with zipfile.ZipFile(wheel) as archive:
                if not wheel.name.startswith("panda3d"):
                    archive.extractall(site)
                    continue
                archive.extractall(parts, [name for name in archive.namelist() if name.startswith("deploy_libs/")])
        for file in (parts / "deploy_libs").iterdir():
            name = file.name.lower()
            # Python 3.12 asks _wmi for Windows' version, and that calls what Wine 8's propsys.dll does not have; without it
            # Python asks elsewhere.
            if name.startswith(("api-ms-", "_wmi")):
                continue
            beside = name.startswith("python3") or name.startswith("vcruntime")
            shutil.copy(file, self.python if beside else self.python / "DLLs")
        name = "python" + self.release.replace(".", "")
        definition = parts / f"{name}.def"
        definition.write_text(f"LIBRARY {name}.dll\nEXPORTS\nPy_Main\n")
        run("x86_64-w64-mingw32-dlltool", "-d", definition, "-l", parts / f"lib{name}.a")
        run(COMPILER, "-municode", "-O2", "-o", self.python / "python.exe", HERE / "python_main.c", parts / f"lib{name}.a")
        shutil.rmtree(wheels)

    def environment(self, more=()) -> dict:
        # Nothing of this machine's own variables: Wine hands them on to the programs.
        return {"WINEPREFIX": str(self.prefix), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree=,mshtml=", "HOME": str(self.work),
                "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **dict(more)}

    def _start_server(self) -> None:
        self.prefix.mkdir(exist_ok=True)
        fresh = not self.system32.exists()
        # The server outlives every pipe that it inherits: it must inherit none.
        subprocess.Popen([WINESERVER, "-p"], env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True, close_fds=True)
        time.sleep(1)
        for command in ([["wineboot", "-u"], ["winecfg", "-v", "win10"]] if fresh else [["cmd", "/c", "ver"]]):
            # What they leave running would keep a pipe open, too.
            subprocess.run([WINE, *command], env=self.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=180, check=False)

    def stop(self) -> None:
        subprocess.run([WINESERVER, "-k"], env=self.environment(), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wine(self, command, cwd=None, more=(), timeout=60) -> tuple:
        """(exit code, stdout, stderr); 124 when it ran out of time."""
        try:
            done = subprocess.run([WINE, *command], cwd=cwd or self.work, env=self.environment(more), stdin=subprocess.DEVNULL,
                                  capture_output=True, timeout=timeout, check=False)
            return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            return 124, "", "ran out of time"
