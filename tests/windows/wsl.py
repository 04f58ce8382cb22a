"""WSL as a Windows has it, for run.py: registry keys, a wsl.exe double that runs real Linux processes (wsl_double/), and a
distribution whose home folder lies in the test's own folder. The judge of what is inside is this machine's own program."""

import json
import pathlib
import shutil
import subprocess
import sys
import time

from wine import Wine, windows_path

LXSS = "HKEY_CURRENT_USER\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss"
PACKAGE = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss\\Msi"


def listing(*rows: tuple[str, str, int], heading: str = "  NAME            STATE           VERSION") -> str:
    lines = [heading] + [f"{'*' if i == 0 else ' '} {name:<16}{state:<16}{version}" for i, (name, state, version) in enumerate(rows)]
    return "\r\n".join(lines) + "\r\n"


class Wsl:
    """`with Wsl(...) as wsl: wsl.check(...)`; what it has put into the prefix goes away with it."""

    def __init__(self, wine: Wine, programs: pathlib.Path, native: str, relay: str, folder: pathlib.Path):
        self.wine, self.native, self.folder = wine, pathlib.Path(native).resolve(), folder / "wsl"
        self.folder.mkdir(exist_ok=True)
        self.home = self.folder / "home"
        self.double = wine.drive_c / "windows" / "system32" / "wsl.exe"
        self.settings = self.double.with_name("wsl-double.ini")
        # A blank in the folder's name: --cd has to be quoted then, and only there.
        self.tools = wine.drive_c / "gpuway tools"
        self.tools.mkdir(exist_ok=True)
        shutil.copy(programs / "gpuway.exe", self.tools)
        shutil.copy(self.native, self.tools / "gpuway-linux")
        shutil.copy(programs / "doubles" / "wsl.exe", self.double)
        self.started = self.folder / "started"
        self.basic = {"names": "Ubuntu-24.04 old", "relay": windows_path(pathlib.Path(relay)), "folder": str(wine.drive_c),
                      "home": str(self.home), "started": windows_path(self.started)}
        self.make_home()

    def make_home(self) -> None:
        """A home folder with a virtual environment that holds a torch without GPU code."""
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        packages = self.home / "venv" / "lib" / f"python{version}" / "site-packages"
        for package, files in {"torch": {"__init__.py": "", "version.py": "cuda = None\n"},
                               "torch-2.6.0+cpu.dist-info": {"METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.6.0+cpu\n"}}.items():
            (packages / package).mkdir(parents=True, exist_ok=True)
            for name, text in files.items():
                (packages / package / name).write_text(text, encoding="utf-8")
        (self.home / "venv" / "bin").mkdir(exist_ok=True)
        (self.home / "venv" / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}.0\n", encoding="utf-8")
        python = self.home / "venv" / "bin" / "python"
        if not python.is_symlink():
            python.symlink_to("/usr/bin/python3")

    def __enter__(self) -> "Wsl":
        lines = ["Windows Registry Editor Version 5.00", "", f"[{PACKAGE}]", '"Version"="2.6.3.0"', "",
                 f"[{LXSS}]", '"DefaultDistribution"="{1}"', '"DefaultVersion"=dword:00000002']
        for guid, name, flags in (("{1}", "Ubuntu-24.04", 15), ("{2}", "old", 7)):
            lines += ["", f"[{LXSS}\\{guid}]", f'"DistributionName"="{name}"', f'"BasePath"="C:\\\\wsl\\\\{name}"', f'"Flags"=dword:{flags:08x}', '"State"=dword:00000001']
        keys = self.folder / "lxss.reg"
        keys.write_bytes(b"\xff\xfe" + ("\r\n".join(lines) + "\r\n").encode("utf-16-le"))
        done = self.wine.run("reg", "import", windows_path(keys))
        assert done.returncode == 0, done
        return self

    def __exit__(self, *_: object) -> None:
        for key in (LXSS, PACKAGE):
            self.wine.run("reg", "delete", key, "/f")
        for file in (self.double, self.settings):
            file.unlink(missing_ok=True)
        shutil.rmtree(self.tools, ignore_errors=True)

    def set(self, answer: str | bytes, code: int = 0, encoding: str = "utf-16-le", **more: str | bytes) -> None:
        """What the double does from now on: `answer` is what --list --verbose prints."""
        settings = dict(self.basic)
        for name, text in {"list": answer, **{key: value for key, value in more.items() if key == "run"}}.items():
            file = self.folder / name
            file.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
            settings[name] = windows_path(file)
        settings |= {key: str(value) for key, value in more.items() if key != "run"}
        settings["list_code"] = str(code)
        self.settings.write_text("[wsl]\n" + "".join(f"{key}={value}\n" for key, value in settings.items()), encoding="utf-8")
        self.started.unlink(missing_ok=True)

    def check(self, *options: str) -> tuple[dict, float]:
        start = time.monotonic()
        done = self.wine.run(self.tools / "gpuway.exe", "check", "--json", "--save", "C:\\wsl-saved.json", *options, timeout=180)
        assert done.returncode in (0, 1), done
        return json.loads(done.stdout), time.monotonic() - start

    def started_in(self) -> list[str]:
        return self.started.read_text(encoding="utf-8").split() if self.started.exists() else []

    def native_answer(self) -> dict:
        """What this machine's program says with the variables and the folder that a distribution gives a process."""
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/games:/usr/local/games:/usr/lib/wsl/lib"
        environment = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "WSL_DISTRO_NAME": "Ubuntu-24.04", "HOSTTYPE": "x86_64"}
        return json.loads(subprocess.run([self.native, "check", "--json"], env=environment, cwd=self.home, capture_output=True, check=False).stdout)


RUNNING = listing(("Ubuntu-24.04", "Running", 2), ("old", "Stopped", 1))
STOPPED = listing(("Ubuntu-24.04", "Stopped", 2), ("old", "Stopped", 1))
CHINESE = "由于虚拟机或容器未响应，操作超时。 \r\n错误代码: Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_CONNECTION_TIMEOUT\r\n"


def inside(answer: dict) -> tuple[str | None, list[dict]]:
    """Why the first distribution was not looked into, and its chains."""
    rows = answer["machine"]["wsl"]["distributions"]
    return rows[0]["not_looked"], [chain for chain in answer["chains"] if chain["distribution"]]


def compare_inside(run, wsl: Wsl) -> None:
    """What is answered for a distribution is what the Linux program itself answers there."""
    wsl.set(RUNNING)
    joined, _ = wsl.check()
    run.by_schema("check", joined)
    native = wsl.native_answer()
    run.expect(len(native["chains"]) > 0, "the home folder of the test holds no framework")
    why, chains = inside(joined)
    run.expect(why is None and wsl.started_in() == ["Ubuntu-24.04"], f"not looked into: {why}, {wsl.started_in()}")
    rows = joined["machine"]["wsl"]["distributions"]
    run.expect([row["not_looked"] for row in rows] == [None, "wsl-1"], f"distributions: {rows}")
    run.expect({k: v for k, v in (rows[0]["machine"] or {}).items()} == native["machine"], "the machine inside is another one")
    first = len(joined["chains"]) - len(chains)

    def plain(chain: dict) -> dict:
        keys = {"distribution", "environment", "findings", "links"}
        return {key: value for key, value in chain.items() if key not in keys} | {"links": [link["state"] for link in chain["links"]]}

    run.expect([plain(chain) for chain in chains] == [plain(chain) for chain in native["chains"]], f"chains: {chains}")
    names = {environment["id"]: environment["path"] for environment in joined["environments"]}
    run.expect([names[chain["environment"]] for chain in chains] ==
               [{e["id"]: e["path"] for e in native["environments"]}[chain["environment"]] for chain in native["chains"]], "the environments inside are others")
    keys = {finding["key"] for finding in joined["findings"]}
    run.expect(len(keys) == len(joined["findings"]) and all(set(chain["findings"]) <= keys for chain in joined["chains"]), "keys of findings")
    told = [(f["id"], f["severity"], f["evidence"], f["next_step"]) for f in joined["findings"] if f["distribution"] == "Ubuntu-24.04"]
    run.expect(told == [(f["id"], f["severity"], f["evidence"], f["next_step"]) for f in native["findings"]], f"findings inside: {told}")
    run.expect(all(f["chain"] is None or f["chain"] >= first for f in joined["findings"] if f["distribution"]), "a finding names a chain of Windows")
    saved = wsl.wine.drive_c / "wsl-saved.json"
    run.by_schema("snapshot", json.loads(saved.read_text(encoding="utf-8")))
    again = json.loads(subprocess.run([run.native, "check", "--json", "--from", str(saved)], capture_output=True, check=False).stdout)
    run.expect(again == joined, "the saved Snapshot is answered otherwise")


def wsl_states(run, wsl: Wsl) -> None:
    """What is not looked into, and that nothing is started for it."""
    for name, answer, more, wanted in (
            ("stopped", STOPPED, {}, "stopped"),
            ("listed in UTF-8", STOPPED.encode(), {}, "stopped"),
            ("a state in another language", listing(("Ubuntu-24.04", "正在运行", 2), heading="  名称            状态           版本"), {}, "state"),
            ("garbled", bytes(range(251)) * 3, {}, "state"),
            ("cut", RUNNING.encode("utf-16-le")[:31], {}, "state"),
            ("a fault", "x\r\nError code: Wsl/EnumerateDistros/E_FAIL\r\n", {"code": -1}, "state"),
            ("the list hangs", "", {"hang": "list"}, "state")):
        wsl.set(answer, **more)
        found, seconds = wsl.check()
        run.expect(inside(found) == (wanted, []) and wsl.started_in() == [], f"{name}: {inside(found)}, started {wsl.started_in()}")
        run.expect(seconds < 30, f"{name}: {seconds:.0f} s")
    wsl.set(STOPPED)
    found, _ = wsl.check("--start-distros")
    run.expect(inside(found)[0] is None and wsl.started_in() == ["Ubuntu-24.04"], f"--start-distros: {inside(found)}")
    wsl.set(RUNNING)
    venv = wsl.tools / "venv"   # of Windows; any program will do
    (venv / "Scripts").mkdir(parents=True, exist_ok=True)
    (venv / "pyvenv.cfg").write_text("home = C:\\Python\nversion = 3.11.0\n", encoding="utf-8")
    shutil.copy(wsl.double, venv / "Scripts" / "python.exe")
    found, _ = wsl.check("--env", "C:\\gpuway tools\\venv")
    run.expect(wsl.started_in() == [], "--env looks into a distribution")


def wsl_faults(run, wsl: Wsl) -> None:
    """A distribution that cannot be entered, answers nonsense or hangs."""
    for name, more, wanted in (
            ("cannot start", {"run": CHINESE, "run_code": -1}, "Wsl/Service/CreateInstance/CreateVm/HCS/HCS_E_CONNECTION_TIMEOUT"),
            ("nothing", {"run": b"", "run_code": 1}, "exit code 1"),
            ("no JSON", {"run": b"{" + bytes(range(256)) * 40}, "malformed: no JSON: byte 2"),
            ("deep", {"run": b"{" + b'"a":[' * 60 + b"[" * 3000}, "malformed: no Snapshot: more than 64 levels at byte 304"),
            ("its home folder is gone", {"home": "/nowhere", "folder": "/nowhere"}, "exit code 1")):
        wsl.set(RUNNING, **more)
        found, seconds = wsl.check("--timeout", "1")
        run.expect(inside(found) == (wanted, []), f"{name}: {inside(found)}")
        run.expect(seconds < 60, f"{name}: {seconds:.0f} s")
    # A process inside that does not end is ended with wsl.exe.
    program = wsl.tools / "gpuway-linux"
    program.write_text("#!/bin/sh\nsleep 98765\n", encoding="utf-8")
    wsl.set(RUNNING)
    found, seconds = wsl.check("--timeout", "1")
    run.expect(inside(found) == ("timed-out", []) and seconds < 60, f"hangs: {inside(found)}, {seconds:.0f} s")
    time.sleep(1)
    run.expect(subprocess.run(["pgrep", "-f", "sleep 98765"], capture_output=True, check=False).stdout == b"", "the process inside lives on")
    program.unlink()
    wsl.set(RUNNING)
    run.expect(inside(wsl.check()[0]) == ("no-program", []) and wsl.started_in() == [], "without the Linux program")
