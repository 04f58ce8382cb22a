"""A place to be hostile in: builds trees, runs gpuway in them and checks what must hold of every run."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time

MIB = 1 << 20
# Enough for every mapping of a 10 GB file; ends a run that would eat the machine.
ADDRESS_SPACE = 64 << 30


class Wrong(Exception):
    """What the program did is not what the case allows."""


class Outcome:
    def __init__(self, code, out, err, seconds, peak_mib):
        self.code, self.out, self.err, self.seconds, self.peak_mib = code, out, err, seconds, peak_mib

    def json(self):
        return json.loads(self.out)


def control_characters(data):
    """Offsets of what could drive a terminal: C0 but line feed, DEL, C1, and the marks that reorder a line."""
    text = data.decode("utf-8")  # raises on invalid UTF-8, which is a fault too
    reorder = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    return [at for at, c in enumerate(text) if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160 or c in reorder]


class Box:
    def __init__(self, gpuway, seconds=20, memory_mib=256, sanitized=False):
        self.gpuway, self.seconds, self.memory_mib = str(gpuway), seconds, memory_mib
        self.sanitized = sanitized
        if sanitized:  # needs address space without a limit, memory beside every byte, and time
            self.seconds, self.memory_mib = seconds * 8, memory_mib * 8 + 1024
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="gpuway-hostile-"))
        (self.root / "home").mkdir()
        (self.root / "bin").mkdir()
        os.chmod(self.root, 0o755)
        self.slowest, self.largest, self.runs = 0.0, 0, 0

    def close(self):
        subprocess.run(["chmod", "-R", "u+rwX", self.root], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.root, ignore_errors=True)

    def environment(self, **more):
        base = {"HOME": str(self.root / "home"), "PATH": str(self.root / "bin"), "LC_ALL": "C.UTF-8"}
        if self.sanitized:  # a code that no case allows; a driver child that is killed has no time to free anything
            base.update(ASAN_OPTIONS="exitcode=99:detect_leaks=0:handle_segv=0:handle_abort=0", UBSAN_OPTIONS="exitcode=99")
        base.update(more)
        return {os.fsencode(k): os.fsencode(v) for k, v in base.items() if v is not None}

    def public_program(self):
        """A copy that every user may start; the build folder may lie in somebody's closed home."""
        copy = self.root / "gpuway"
        if not copy.exists():
            shutil.copy(self.gpuway, copy)
            os.chmod(copy, 0o755)
        return str(copy)

    def run(self, *arguments, env=None, cwd=None, codes=(0, 1), stdin=subprocess.DEVNULL, before=None, raw=False):
        """Runs the program; any way of ending but those of `codes`, any control character and any excess is Wrong."""
        def prepare():
            if not self.sanitized:
                resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
            if before:
                before()
        # Files, not pipes: a child of a hostile library that lives on must not keep this runner waiting.
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            program = self.public_program() if before == self.as_nobody else self.gpuway
            process = subprocess.Popen([program, *[os.fsencode(a) for a in arguments]], stdin=stdin, stdout=out, stderr=err,
                                       env=env if env is not None else self.environment(), cwd=cwd or self.root, preexec_fn=prepare)
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - start > self.seconds:
                    os.kill(process.pid, signal.SIGKILL)
                    os.wait4(process.pid, 0)
                    process.returncode = -9
                    raise Wrong(f"{' '.join(map(str, arguments))}: still running after {self.seconds} s")
                time.sleep(0.002)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            outcome = Outcome(process.returncode, out.read(), err.read(), time.monotonic() - start, usage.ru_maxrss // 1024)
        self.runs += 1
        self.slowest, self.largest = max(self.slowest, outcome.seconds), max(self.largest, outcome.peak_mib)
        said = outcome.err.decode("utf-8", "replace")[-400:]
        if outcome.code not in codes:
            raise Wrong(f"{' '.join(map(str, arguments))}: ended with {outcome.code}, allowed {codes}; stderr: {said!r}")
        if outcome.peak_mib > self.memory_mib:
            raise Wrong(f"{' '.join(map(str, arguments))}: {outcome.peak_mib} MiB of memory, allowed {self.memory_mib}")
        for name, data in (("stdout", outcome.out), ("stderr", outcome.err)):
            try:
                bad = [] if raw else control_characters(data)
            except UnicodeDecodeError as fault:
                raise Wrong(f"{name} is no UTF-8: {fault}") from None
            if bad:
                near = data.decode("utf-8")[max(0, bad[0] - 40):bad[0] + 10]
                raise Wrong(f"{name} has {len(bad)} control characters, the first near {near!r}")
        return outcome

    def check(self, *arguments, env=None, cwd=None, codes=(0, 1), before=None):
        """`check` as JSON and as text, then both once more from the saved Snapshot: the same bytes. Gives the JSON."""
        saved = self.root / "saved.json"
        first = self.run("check", "--json", "--save", saved, *arguments, env=env, cwd=cwd, codes=codes, before=before)
        again = self.run("check", "--json", "--from", saved, codes=codes)
        if first.out != again.out or first.code != again.code:
            raise Wrong(f"--from answers differently ({first.code}, {again.code})")
        self.run("check", "--all", "-v", "--from", saved, codes=codes)
        saved.read_bytes().decode("utf-8")
        return first.json()

    def snapshot(self):
        return json.loads((self.root / "saved.json").read_bytes())

    def as_nobody(self):
        """For `before`: root may read everything, so that unreadable places need another user."""
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

    # ---- trees

    def python(self, name="env", packages=None):
        """A prefix that looks like CPython 3.11, with distributions {name: version}."""
        prefix = self.root / name
        site = prefix / "lib/python3.11/site-packages"
        site.mkdir(parents=True)
        (prefix / "bin").mkdir()
        shutil.copy("/bin/true", prefix / "bin/python3.11")
        os.symlink("python3.11", prefix / "bin/python")
        (prefix / "lib/python3.11/os.py").touch()
        for package, version in (packages or {}).items():
            self.distribution(site, package, version)
        return prefix

    @staticmethod
    def site(prefix):
        return pathlib.Path(prefix) / "lib/python3.11/site-packages"

    @staticmethod
    def distribution(site, package, version, module=None):
        stem = package.replace("-", "_")
        info = site / f"{stem}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n\n")
        folder = site / (module or stem)
        folder.mkdir(exist_ok=True)
        (folder / "__init__.py").touch()
        return info

    def onnxruntime(self, name="env"):
        """The smallest tree that gpuway takes for a CUDA build of ONNX Runtime, so that it asks the driver."""
        prefix = self.python(name, {"numpy": "1.26.4", "coloredlogs": "15.0.1", "flatbuffers": "24.3.25", "packaging": "24.0",
                                    "sympy": "1.12"})
        site = self.site(prefix)
        self.distribution(site, "protobuf", "4.25.3", "google")
        self.distribution(site, "onnxruntime-gpu", "1.18.1", "onnxruntime")
        capi = site / "onnxruntime/capi"
        capi.mkdir()
        (capi / "__init__.py").touch()
        for library in ("onnxruntime_pybind11_state.cpython-311-x86_64-linux-gnu.so", "libonnxruntime_providers_shared.so",
                        "libonnxruntime_providers_cuda.so"):
            self.library(capi / library, "int gpuway_nothing(void) { return 0; }")
        return prefix

    def library(self, path, code, *options):
        source = self.root / "source.c"
        source.write_text(code)
        subprocess.run(["gcc", "-shared", "-fPIC", "-w", *options, "-o", path, source], check=True)
        return path


def require(condition, text):
    if not condition:
        raise Wrong(text)
