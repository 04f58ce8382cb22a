"""The Windows program and its host, run under Wine.

    run.py PROGRAMS GPUWAY MACHINES_RUNNER WSL_RELAY [NAME ...]

PROGRAMS is the build folder of the preset `windows`; GPUWAY, MACHINES_RUNNER and
WSL_RELAY (the Linux half of the wsl.exe double) are this machine's own. Exits with 77 where
wine64 or the Windows programs are not there.
"""

import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

from planted import registration
from wine import SKIP, Wine, find_wine, windows_path
from wsl import Wsl, compare_inside, wsl_faults, wsl_states

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
MACHINES = SOURCE / "tests" / "machines"


# What gpuway reads of CPUID, by the kernel's names.
PROCESSOR_FLAGS = {"sse", "sse2", "pni", "ssse3", "sse4_1", "sse4_2", "popcnt", "aes", "hypervisor", "bmi1", "bmi2", "avx", "f16c", "fma",
                   "avx2", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "avx512_vnni"}


class Run:
    def __init__(self, wine: Wine, programs: pathlib.Path, native: str, machines: str, relay: str,
                 folder: pathlib.Path):
        self.wine, self.programs, self.native, self.machines, self.folder = wine, programs, native, machines, folder
        self.relay = relay
        self.faults: list[str] = []
        self.exe = programs / "gpuway.exe"

    def expect(self, fact: bool, what: str) -> None:
        if not fact:
            self.faults.append(what)

    def gpuway(self, *arguments: str, **more) -> subprocess.CompletedProcess[bytes]:
        return self.wine.run(self.exe, *arguments, **more)

    # ---- the tests

    def contract(self) -> None:
        """The host's contract, with the registry planted by the system's own program and a double of dxgi.dll."""
        keys = self.folder / "planted.reg"
        keys.write_bytes(registration())
        imported = self.wine.run("reg", "import", windows_path(keys))
        self.expect(imported.returncode == 0, f"reg import: {imported.stdout!r}")
        double = self.wine.drive_c / "windows" / "system32" / "dxgi.dll"
        kept = double.with_suffix(".kept")
        if not kept.exists():
            shutil.copy(double, kept)
        shutil.copy(self.programs / "doubles" / "dxgi.dll", double)
        overrides = self.wine.environment["WINEDLLOVERRIDES"] + ";dxgi=n"
        try:
            done = self.wine.run(self.programs / "host_contract.exe", "--gtest_brief=1", timeout=300,
                                 variables={"GPUWAY_DXGI_DOUBLE": "1", "WINEDLLOVERRIDES": overrides})
        finally:
            shutil.copy(kept, double)
        text = done.stdout.decode("utf-8", "replace")
        print(text)
        self.expect(done.returncode == 0, "host_contract failed:\n" + text)
        # Wine 8 makes no symbolic links; everything else must have run.
        self.expect(text.count(": Skipped") <= 1, "more than the test of links was skipped")

    def command_line(self) -> None:
        size = self.exe.stat().st_size
        self.expect(size <= 6_000_000, f"gpuway.exe has {size} bytes; 6 MB are promised")
        version = subprocess.run([self.native, "--version"], capture_output=True, check=True).stdout
        self.expect(self.gpuway("--version").stdout == version, "--version differs from this machine's program")
        helped = self.gpuway("--help")
        self.expect(helped.returncode == 0 and b"Exit codes" in helped.stdout and b"\r" not in helped.stdout, f"--help: {helped}")
        wrong = self.gpuway("prüfe漢")
        self.expect(wrong.returncode == 2 and "prüfe漢".encode() in wrong.stderr and wrong.stdout == b"", f"unknown command: {wrong}")
        for name in ("__ask-driver", "__ask-graphics"):
            self.expect(self.gpuway("check", name).returncode == 2, f"{name} is taken behind a command")

    def inspected(self) -> None:
        """A DLL with everything beside it, and one whose import is nowhere."""
        tools = self.wine.drive_c / "inspected"
        tools.mkdir(exist_ok=True)
        shutil.copy(self.programs / "doubles" / "dxgi.dll", tools / "whole.dll")
        broken = (tools / "whole.dll").read_bytes().replace(b"msvcrt.dll", b"nowher.dll")
        (tools / "broken.dll").write_bytes(broken)
        whole = self.gpuway("inspect", "--all", "--json", "C:\\inspected\\whole.dll")
        answer = json.loads(whole.stdout)
        self.by_schema("inspect", answer)
        file = answer["files"][0]
        self.expect(whole.returncode == 0 and file["loads"] == "yes" and file["machine"] == "x86-64", f"inspect: {whole.stdout!r}")
        self.expect({need["name"].lower(): need["state"] for need in file["needs"] if need["direct"]}.get("msvcrt.dll") == "found", f"needs: {file['needs']}")
        gone = self.gpuway("inspect", "--json", "C:\\inspected\\broken.dll")
        missing = [need["name"] for need in json.loads(gone.stdout)["files"][0]["needs"] if need["state"] == "not-found"]
        self.expect(gone.returncode == 1 and missing == ["nowher.dll"], f"missing: {missing}, exit code {gone.returncode}")

    def check_live(self) -> None:
        """This Windows, as far as Wine is one: a defined code, a document by the schema, saved and answered again."""
        saved = self.wine.drive_c / "out é漢.json"
        live = self.gpuway("check", "--json", "--save", "C:\\out é漢.json")
        self.expect(live.returncode in (0, 1), f"check: {live.returncode} {live.stderr!r}")
        self.expect(b"\r" not in live.stdout, "a carriage return in redirected output")
        answer = json.loads(live.stdout)
        self.expect(answer["machine"]["system"] == "windows", f"machine: {answer['machine']}")
        self.by_schema("check", answer)
        snapshot = json.loads(saved.read_text(encoding="utf-8"))
        self.by_schema("snapshot", snapshot)
        probes = {probe["id"]: probe["outcome"] for probe in snapshot["probes"]}
        self.expect(set(probes.values()) == {"ok"}, f"probes: {probes}")
        self.processor(snapshot["system"])
        # Another way to write the same path, from another folder.
        for path in ("\\out é漢.json", "c:out é漢.json", "..\\out é漢.json", "\\\\?\\C:\\out é漢.json"):
            again = self.gpuway("check", "--json", "--from", path, cwd=self.wine.drive_c / "windows")
            if path.startswith("c:"):
                self.expect(again.returncode == 3, f"--from {path} names a file of the current folder")
            else:
                self.expect(again.stdout == live.stdout, f"--from {path}: {again.returncode} {again.stderr!r}")
        native = subprocess.run([self.native, "check", "--json", "--from", str(saved)], capture_output=True, check=False)
        self.expect(native.stdout == live.stdout, "this machine's program answers otherwise from what was saved")

    def processor(self, system: dict) -> None:
        """The kernel that this processor runs judges what CPUID was read as."""
        kernel = next((line for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith("flags")), "")
        expected = sorted(PROCESSOR_FLAGS & set(kernel.partition(":")[2].split()))
        read = system["cpu_flags"].get("value")
        self.expect(bool(expected) and read == expected, f"processor flags: {read}, the kernel says {expected}")
        kind = "vm" if "hypervisor" in expected else "bare"
        self.expect(system["kind"] == kind, f"kind of machine: {system['kind']}, the kernel says {kind}")

    def same_bytes(self) -> None:
        """A saved machine gives the same bytes on both systems, whichever it is."""
        count = 0
        for case in sorted(MACHINES.glob("*/case.json")):
            saved = self.folder / (case.parent.name + ".json")
            subprocess.run([self.machines, "--save", str(saved), str(case.parent)], check=True, capture_output=True)
            for options in (["--json"], ["--lang", "zh", "-v"]):
                here = subprocess.run([self.native, "check", "--from", str(saved), *options], capture_output=True, check=False)
                there = self.gpuway("check", "--from", windows_path(saved), *options)
                same = (here.returncode, here.stdout) == (there.returncode, there.stdout)
                at = next((i for i, (a, b) in enumerate(zip(here.stdout, there.stdout)) if a != b), min(len(here.stdout), len(there.stdout)))
                self.expect(same, f"{case.parent.name} {options}: {here.returncode} here, {there.returncode} there, {there.stderr!r}; "
                            f"{len(here.stdout)} and {len(there.stdout)} bytes, from byte {at}: {there.stdout[at:at + 80]!r}")
                count += 1
        self.expect(count >= 100, f"only {count} answers were compared")
        print(f"{count} answers are the same")

    def streams(self) -> None:
        """Where stdout leads nowhere or away."""
        shell = f'exec "{self.wine.wine}" "{self.exe}" --version'
        full = subprocess.run(["sh", "-c", shell + " >/dev/full"], env=self.wine.environment, capture_output=True, timeout=60, check=False)
        self.expect(full.returncode == 3 and b"could not be written" in full.stderr, f"a full disk: {full}")
        nowhere = self.wine.run("cmd", "/c", windows_path(self.exe) + " --version > NUL")
        self.expect(nowhere.returncode == 0 and nowhere.stdout == b"", f"> NUL: {nowhere}")
        self.terminal()

    def terminal(self) -> None:
        """A console: characters of any kind arrive, and colours only where they are wanted."""
        try:
            ours, theirs = pty.openpty()
        except OSError:
            print("no pseudo-terminals: the console was not tried")
            return
        os.close(ours), os.close(theirs)
        saved = self.folder / "console.json"
        subprocess.run([self.machines, "--save", str(saved), str(MACHINES / "driver-470-torch")], check=True, capture_output=True)
        for language in ("en", "zh"):
            arguments = ["check", "--lang", language, "--from"]
            for colour, variables in (("always", {}), ("never", {"NO_COLOR": "1"})):
                wanted = subprocess.run([self.native, *arguments, str(saved), "--color", colour], capture_output=True, check=False)
                shown = self.on_console([*arguments, windows_path(saved)], variables)
                wanted_text = wanted.stdout.decode()
                if colour == "always":   # Wine takes the letters of an escape for columns and breaks lines too early
                    shown, wanted_text = (re.sub(r"\x1b\[K|\s", "", text) for text in (shown, wanted_text))
                self.expect(shown == wanted_text, f"console, {language}, colours {colour}: {shown!r}")

    def on_console(self, arguments: list[str], variables: dict[str, str]) -> str:
        """What a person sees on a console of 81 columns; the last one stays free."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 81, 0, 0))
        environment = self.wine.environment | {"TERM": "xterm"} | variables
        process = subprocess.Popen([self.wine.wine, str(self.exe), *arguments], stdin=theirs, stdout=theirs, stderr=theirs,
                                   env=environment, cwd=self.wine.drive_c, start_new_session=True)
        os.close(theirs)
        out = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            out += part
        process.wait(timeout=60)
        os.close(ours)
        # Wine hides the cursor meanwhile, and each end of line gets a second carriage return on its way.
        text = out.decode("utf-8", "replace")
        for wines_own in ("\x1b[?25l", "\x1b[?25h", "\r"):
            text = text.replace(wines_own, "")
        return text

    def wsl(self) -> None:
        """Distributions of WSL, seen from Windows."""
        with Wsl(self.wine, self.programs, self.native, self.relay, self.folder) as wsl:
            for test in (compare_inside, wsl_states, wsl_faults):
                test(self, wsl)

    def by_schema(self, name: str, document: dict) -> None:
        try:
            import jsonschema
        except ImportError:
            print("no jsonschema: the schema was not checked")
            return
        schema = json.loads((SOURCE / "docs" / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
        for fault in list(jsonschema.Draft202012Validator(schema).iter_errors(document))[:5]:
            self.faults.append(f"{name}: {fault.json_path}: {fault.message}")


TESTS = ["command_line", "inspected", "contract", "check_live", "wsl", "streams", "same_bytes"]


def main() -> int:
    programs, native, machines, relay, *names = sys.argv[1:]
    if find_wine() is None:
        print("wine64 is not installed: nothing was tried")
        return SKIP
    if not (pathlib.Path(programs) / "host_contract.exe").exists():
        print(f"{programs} has no Windows programs (./dev build windows): nothing was tried")
        return SKIP
    work = pathlib.Path(programs).resolve() / "wine"
    failed = 0
    with Wine(work) as wine, tempfile.TemporaryDirectory() as folder:
        for name in names or TESTS:
            run = Run(wine, pathlib.Path(programs).resolve(), native, machines, relay, pathlib.Path(folder))
            getattr(run, name)()
            failed += bool(run.faults)
            print(f"{name}: " + ("passed" if not run.faults else "FAILED"))
            for fault in run.faults[:20]:
                print("  " + fault)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
