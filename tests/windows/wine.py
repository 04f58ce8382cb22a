"""Wine as the Windows that tests run on: a prefix of its own, and one server that lives as long as the run."""

import os
import pathlib
import shutil
import subprocess

SKIP = 77


def find_wine() -> tuple[str, str] | None:
    """wine64 and its server, or None where they are not installed."""
    folders = [pathlib.Path("/usr/lib/wine"), pathlib.Path("/usr/bin")]
    for folder in folders:
        if (folder / "wine64").exists() and (folder / "wineserver64").exists():
            return str(folder / "wine64"), str(folder / "wineserver64")
    wine, server = shutil.which("wine64"), shutil.which("wineserver")
    return (wine, server) if wine and server else None


class Wine:
    """A running server. `with Wine(prefix) as wine: wine.run(program, ...)`."""

    def __init__(self, prefix: pathlib.Path):
        found = find_wine()
        if found is None:
            raise RuntimeError("wine64 is not installed")
        self.wine, self.server = found
        self.prefix = prefix.resolve()
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.prefix), "WINEPREFIX": str(self.prefix), "WINEDEBUG": "-all",
            # With LC_ALL=C arguments lose their characters.
            "LC_ALL": "C.UTF-8", # A crash that a test wants must not start Wine's debugger.
            "WINEDLLOVERRIDES": "mscoree,mshtml,winemenubuilder.exe,winedbg.exe=",
        }

    def __enter__(self) -> "Wine":
        self.prefix.mkdir(parents=True, exist_ok=True)
        # Started by itself: a server that the first program starts keeps that program's pipes open.
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([self.server, "-p"], env=self.environment, start_new_session=True, timeout=60, check=False, **quiet)
        if not (self.prefix / "system.reg").exists():
            subprocess.run([self.wine, "wineboot", "-i"], env=self.environment, timeout=180, check=True, **quiet)
            version = ["reg", "add", "HKCU\\Software\\Wine", "/v", "Version", "/d", "win10", "/f"]
            subprocess.run([self.wine, *version], env=self.environment, timeout=60, check=True, **quiet)
        # The first program starts the services, which keep what it leads to: a pipe would never end.
        subprocess.run([self.wine, "cmd", "/c", "exit"], env=self.environment, timeout=60, check=True, **quiet)
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run([self.server, "-k"], env=self.environment, timeout=60, check=False)

    @property
    def drive_c(self) -> pathlib.Path:
        return self.prefix / "drive_c"

    def run(self, *command: str | pathlib.Path, variables: dict[str, str] | None = None, timeout: float = 60,
            cwd: pathlib.Path | None = None) -> subprocess.CompletedProcess[bytes]:
        """Runs a program of Windows to its end; stdout and stderr are kept apart as bytes."""
        return subprocess.run([self.wine, *map(str, command)], env=self.environment | (variables or {}), capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=timeout, cwd=cwd or self.drive_c, check=False)


def windows_path(path: pathlib.Path) -> str:
    """How a Windows program under Wine sees a file of this machine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")
