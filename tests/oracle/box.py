"""A machine of its own for one scenario: a mount namespace in which everything NVIDIA comes from the scenario alone.

Nothing outside the namespace changes; it goes away with the process. Inside:
  * /mnt is a scratch file system: home, current folder, toolkit folder, shadow folders, overlays' upper layers;
  * every folder of the loader's cache that holds NVIDIA libraries of the test machine is emptied of them;
  * the loader's configuration and cache are the scenario's own, made by ldconfig;
  * site-packages is an overlay: the stub libraries and the scenario's changes lie over the installed packages, which are
    never touched (uv links them from its cache);
  * /dev has the usual nodes and, if the scenario says so, plain files named nvidia0 and nvidiactl.
As root it takes a mount namespace, otherwise a user namespace as well."""

import ctypes
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess

SCRATCH = "/mnt"
SYSTEM = "/usr/lib/x86_64-linux-gnu"
NVIDIA_FILE = re.compile(r"lib(cuda|cublas|cudnn|cufft|cufile|curand|cusolver|cusparse|cupti|cutensor|cuinj|nccl|npp[a-z]|"
                         r"nv(idia|rtc|rtx|vm|blas|jpeg|JitLink|ToolsExt|tx|perf|ptx|shmem|fatbin|infer|parsers|onnxparser))[\w.+-]*\.so")
_libc = ctypes.CDLL(None, use_errno=True)
_NEWNS, _NEWUSER = 0x20000, 0x10000000
_BIND, _REC, _PRIVATE = 4096, 16384, 1 << 18


def _mount(source, target, kind=None, flags=0, data=None):
    encode = lambda text: text.encode() if text is not None else None  # noqa: E731
    if _libc.mount(encode(source), encode(target), encode(kind), flags, encode(data)):
        code = ctypes.get_errno()
        raise OSError(code, f"mount {kind or 'bind'} {source} on {target} ({data}): {os.strerror(code)}")


def nvidia_folders():
    """Folders of the machine's own loader cache with NVIDIA libraries in them: the ones to hide."""
    text = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    found = {SYSTEM}
    for name, path in re.findall(r"^\s+(\S+) \(.*\) => (\S+)$", text, re.M):
        if NVIDIA_FILE.match(name):
            found.add(os.path.realpath(os.path.dirname(path)))
    for name in os.listdir("/usr/local"):
        if name.startswith("cuda"):
            found.add(os.path.realpath(os.path.join("/usr/local", name)))
    return sorted(found)


def refusal():
    """Why this machine allows no such namespace, or nothing. A container without rights over mounts is such a machine."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            Box.private_machine()
            folders = [f"{SCRATCH}/{name}" for name in ("lower", "upper", "work", "target")]
            for folder in folders:
                os.makedirs(folder)
            _mount("overlay", folders[3], "overlay", 0, f"lowerdir={folders[0]},upperdir={folders[1]},workdir={folders[2]}")
        except OSError as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as file:
        return file.read()


class Box:
    """The places of one environment inside the namespace, and the steps that make it."""

    def __init__(self, work, prefix, hidden):
        self.work, self.prefix, self.hidden = work, prefix, hidden
        lib = os.path.join(prefix, "lib")
        python = next(name for name in sorted(os.listdir(lib)) if name.startswith("python3"))
        self.site = os.path.join(lib, python, "site-packages")
        self.names = {
            "site": self.site, "prefix": prefix, "mnt": SCRATCH, "system": SYSTEM, "cuda": f"{SCRATCH}/cuda/lib64",
            "cwd": f"{SCRATCH}/cwd", "home": f"{SCRATCH}/home", "doubles": os.path.join(work, "driver"),
            "wrong": os.path.join(work, "wrong"), "stubs": os.path.join(work, "stubs"), "extra": os.path.join(work, "extra"),
        }

    def fill(self, text):
        """`text` with {site}, {cuda} … replaced."""
        return re.sub(r"\{(\w+)\}", lambda match: self.names[match.group(1)], text)

    def enter(self, scenario):
        """Makes the calling process live in the scenario's machine. Call it in a child."""
        self.private_machine()
        for folder in ("cuda/lib64", "cwd", "home", "empty", "etc/conf.d"):
            os.makedirs(f"{SCRATCH}/{folder}")
        self._layers = 0
        self._hide()
        self._devices(scenario.get("device_nodes", True))
        lower = [self.site]
        if scenario.get("set"):
            tree = os.path.join(self.work, "stubs", scenario["set"], "tree")
            if scenario.get("place") == "wheels":
                lower.insert(0, tree)
            else:
                for root, _, files in os.walk(tree):
                    for name in files:
                        shutil.copy(os.path.join(root, name), f"{SCRATCH}/cuda/lib64/{name}")
        self._overlay(self.site, lower)
        self._driver(scenario["driver"])
        for operation in scenario.get("operations", []):
            apply(operation[0], *[self.fill(part) if isinstance(part, str) else part for part in operation[1:]])
        self._loader(scenario)

    @staticmethod
    def private_machine():
        """A mount namespace of its own for the calling process, with an empty scratch file system."""
        if os.geteuid():
            uid, gid = os.geteuid(), os.getegid()
            Box._unshare(_NEWNS | _NEWUSER)
            for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
                with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                    file.write(text)
        else:
            Box._unshare(_NEWNS)
        _mount("none", "/", None, _REC | _PRIVATE)
        _mount("tmpfs", SCRATCH, "tmpfs", 0, "mode=755,size=8g")

    @staticmethod
    def _unshare(flags):
        if _libc.unshare(flags):
            code = ctypes.get_errno()
            raise OSError(code, f"unshare: {os.strerror(code)} (run as root, or allow user namespaces)")

    def _overlay(self, target, lower):
        self._layers += 1
        upper, work = f"{SCRATCH}/layers/{self._layers}/upper", f"{SCRATCH}/layers/{self._layers}/work"
        os.makedirs(upper)
        os.makedirs(work)
        _mount("overlay", target, "overlay", 0, f"lowerdir={':'.join(lower)},upperdir={upper},workdir={work}")

    def _hide(self):
        for folder in self.hidden:
            if folder.startswith("/usr/local/cuda"):
                top = "/".join(folder.split("/")[:4])
                if os.listdir(top):
                    _mount(f"{SCRATCH}/empty", top, None, _BIND)
            elif os.path.isdir(folder):
                self._overlay(folder, [folder])
                for name in os.listdir(folder):
                    if NVIDIA_FILE.match(name):
                        os.unlink(os.path.join(folder, name))

    @staticmethod
    def _devices(with_nvidia):
        new = f"{SCRATCH}/dev"
        os.makedirs(new + "/shm")
        for name in ("null", "zero", "full", "random", "urandom", "tty"):
            open(f"{new}/{name}", "w", encoding="ascii").close()
            _mount(f"/dev/{name}", f"{new}/{name}", None, _BIND)
        for name in ("nvidia0", "nvidiactl", "nvidia-uvm") if with_nvidia else ():
            open(f"{new}/{name}", "w", encoding="ascii").close()
            os.chmod(f"{new}/{name}", 0o666)
        for name, target in (("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
            os.symlink(target, f"{new}/{name}")
        _mount(new, "/dev", None, _BIND | _REC)

    def _driver(self, driver):
        settings = "".join(f"{key}={value}\n" for key, value in sorted(driver.get("settings", {}).items()))
        with open(f"{SCRATCH}/driver.conf", "w", encoding="utf-8") as file:
            file.write(settings)
        folder = self.fill(driver.get("folder", "{system}"))
        os.makedirs(folder, exist_ok=True)
        if driver.get("library"):
            shutil.copy(os.path.join(self.work, "driver", driver["library"], "libcuda.so.1"), folder + "/libcuda.so.1")
        if driver.get("nvml", True):
            shutil.copy(os.path.join(self.work, "driver", "nvml", "libnvidia-ml.so.1"), folder + "/libnvidia-ml.so.1")

    def _loader(self, scenario):
        """/etc/ld.so.conf.d with the machine's own non-NVIDIA folders and the scenario's, and the cache over both."""
        conf = f"{SCRATCH}/etc/conf.d"
        for name in sorted(os.listdir("/etc/ld.so.conf.d")):
            with open(f"/etc/ld.so.conf.d/{name}", encoding="utf-8", errors="replace") as file:
                text = file.read()
            if "cuda" not in text and "nvidia" not in text:
                with open(f"{conf}/{name}", "w", encoding="utf-8") as file:
                    file.write(text)
        for name, text in scenario.get("conf", {}).items():
            with open(f"{conf}/{name}", "w", encoding="utf-8") as file:
                file.write(self.fill(text) + "\n")
        _mount(conf, "/etc/ld.so.conf.d", None, _BIND)
        key = hashlib.sha256(json.dumps([scenario.get(part) for part in ("set", "place", "conf", "operations", "driver", "stale_cache")],
                                        sort_keys=True).encode()).hexdigest()[:24]
        kept = os.path.join(self.work, "caches", key)
        if not os.path.exists(kept):
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            made = f"{SCRATCH}/etc/ld.so.cache"
            subprocess.run(["/sbin/ldconfig", "-X", "-i", "-C", made, "-f", "/etc/ld.so.conf"], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            shutil.copy(made, f"{kept}.{os.getpid()}")
            try:  # never replace it: a file that another box is just mounting must keep its name
                os.link(f"{kept}.{os.getpid()}", kept)
            except FileExistsError:
                pass
            os.unlink(f"{kept}.{os.getpid()}")
        _mount(kept, "/etc/ld.so.cache", None, _BIND)
        for operation in scenario.get("after_cache", []):
            apply(operation[0], *[self.fill(part) if isinstance(part, str) else part for part in operation[1:]])

    def environment(self, scenario):
        """The whole environment of the processes that are asked."""
        variables = {"PATH": f"{self.prefix}/bin:/usr/bin:/bin", "HOME": f"{SCRATCH}/home", "LANG": "C.UTF-8",
                     "GPU_DOUBLE_CONFIG": f"{SCRATCH}/driver.conf", "PYTHONDONTWRITEBYTECODE": "1"}
        for name, value in scenario.get("environment", {}).items():
            variables[name] = self.fill(value)
        return variables


def apply(verb, *arguments):
    """One change of the scenario's files. Parents are made; what is replaced is unlinked first, never written through."""
    if verb == "remove_distribution":  # {site}/NAME: its metadata folder
        folder, name = os.path.split(arguments[0])
        for entry in os.listdir(folder):
            if re.fullmatch(re.escape(name) + r"-[^-]+\.dist-info", entry, re.I):
                shutil.rmtree(os.path.join(folder, entry))
        return
    if verb == "forbid":
        os.chmod(arguments[0], 0)
        return
    if verb in ("remove", "remove?"):
        (path,) = arguments
        if verb == "remove?" and not os.path.lexists(path):
            return
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        return
    target = arguments[1] if verb in ("copy", "move", "copytree") else arguments[0]
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if verb == "truncate":
        with open(target, "rb") as file:
            start = file.read(arguments[1])
        os.unlink(target)
        with open(target, "wb") as file:
            file.write(start)
        return
    if verb == "copytree":
        shutil.copytree(arguments[0], target, dirs_exist_ok=True, symlinks=True)
        return
    if os.path.lexists(target):
        os.unlink(target)
    if verb == "copy":
        shutil.copy(arguments[0], target)
    elif verb == "move":
        shutil.move(arguments[0], target)
    elif verb == "write":
        with open(target, "w", encoding="utf-8") as file:
            file.write(arguments[1])
    elif verb == "link":
        os.symlink(arguments[1], target)
    else:
        raise ValueError(f"unknown change {verb}")


def _plain_rights():
    """Takes root's way round permissions from the program that follows (in a user namespace as well)."""
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        if _libc.prctl(24, capability, 0, 0, 0):  # PR_CAPBSET_DROP
            os._exit(126)


def run(command, variables, folder, limit_s, plain_rights=False):
    """Runs `command` and returns (return code or None when it ran past the limit, stdout, stderr)."""
    process = subprocess.Popen(command, env=variables, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True,
                               preexec_fn=_plain_rights if plain_rights else None)
    try:
        out, err = process.communicate(timeout=limit_s)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err
