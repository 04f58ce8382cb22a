"""A Wine prefix of the judge's own, with a server that stays for the run."""

import os
import pathlib
import shutil
import subprocess
import time

COMPILER = "x86_64-w64-mingw32-gcc-posix"
FOLDERS = "/usr/lib/wine:/usr/lib/x86_64-linux-gnu/wine:" + os.environ.get("PATH", "")
WINE = shutil.which("wine64", path=FOLDERS)
SERVER = shutil.which("wineserver64", path=FOLDERS) or shutil.which("wineserver", path=FOLDERS)
SAFE_MODE = r"HKLM\System\CurrentControlSet\Control\Session Manager"


def missing() -> str:
    """What the judge lacks on this machine, or nothing."""
    if not WINE or not SERVER:
        return "Wine (package wine64)"
    return "" if shutil.which(COMPILER) else "the compiler for Windows (package g++-mingw-w64-x86-64-posix)"


def windows_path(path) -> str:
    return "Z:" + str(path).replace("/", "\\")


class Prefix:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.windows = folder / "drive_c/windows"
        # Nothing of this machine's own variables: Wine hands them on to the programs.
        self.environment = {"WINEPREFIX": str(folder), "WINEDEBUG": "fixme-all,warn-all,err-all,err+module", "WINEDLLOVERRIDES": "mscoree=,mshtml=,winedbg.exe=d",
                            "HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}

    def __enter__(self):
        fresh = not (self.folder / "ready").exists()
        if fresh:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        # The server and what Wine starts first outlive every pipe that they inherit: they must inherit none.
        subprocess.Popen([SERVER, "-f", "-p"], env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)
        time.sleep(0.5)
        for command in (["wineboot", "-u"], ["winecfg", "-v", "win10"]) if fresh else (["cmd", "/c", "ver"],):
            self.quietly(command)
        (self.windows / "system").mkdir(exist_ok=True)
        (self.folder / "ready").touch()
        return self

    def __exit__(self, *_):
        subprocess.run([SERVER, "-k"], env=self.environment, check=False, timeout=60, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def quietly(self, command) -> None:
        subprocess.run([WINE, *command], env=self.environment, check=False, timeout=300, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def set_safe_mode(self, safe: bool) -> None:
        """SafeDllSearchMode of all processes that start later."""
        self.quietly(["reg", "add", SAFE_MODE, "/v", "SafeDllSearchMode", "/t", "REG_DWORD", "/d", str(int(safe)), "/f"])

    def run(self, command, folder: pathlib.Path) -> tuple[int, str]:
        """The exit code and what went to stderr, Wine's messages among it."""
        try:
            done = subprocess.run([WINE, *command], env=self.environment, cwd=folder, check=False, timeout=60, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired as late:
            return 124, (late.stderr or b"").decode("utf-8", "replace")
        return done.returncode, done.stderr.decode("utf-8", "replace")
