"""Driver libraries that hang, crash, lie, flood or leave children, and an nvidia-smi that does."""

import json
import os

from box import Wrong, require
from case import collector

CASES = []
case = collector(CASES)

HEAD = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int cuDriverGetVersion(int* v) { *v = 12040; return 0; }
int cuDeviceGetCount(int* n) { *n = 1; return 0; }
int cuDeviceGet(int* d, int i) { *d = i; return 0; }
int cuDeviceTotalMem_v2(size_t* n, int d) { *n = 1; return 0; }
int cuDeviceGetAttribute(int* v, int a, int d) { *v = a == 75 ? 8 : 0; return 0; }
"""


def ask(box, code, **env):
    prefix = box.onnxruntime() if not (box.root / "env").exists() else box.root / "env"
    folder = box.root / "driver"
    folder.mkdir(exist_ok=True)
    box.library(folder / "libcuda.so.1", HEAD + code)
    doc = box.check("--env", prefix, env=box.environment(LD_LIBRARY_PATH=str(folder), **env))
    chain = doc["chains"][0]
    require(chain["imports"] == "yes", doc["findings"])
    return doc, chain


def with_gpu(box):
    """The last answer once more as if an NVIDIA GPU were on the bus: without one a driver's faults are nobody's trouble."""
    document = box.snapshot()
    document["pci_gpus"] = {"state": "known", "value": [{"address": "0000:01:00.0", "vendor": 0x10DE, "device": 0x2684, "driver": "nvidia"}]}
    path = box.root / "with-gpu.json"
    path.write_text(json.dumps(document))
    return box.run("check", "--json", "--from", path).json()


@case()
def one_that_works_so_that_the_others_mean_something(box):
    doc, chain = ask(box, "int cuInit(unsigned f) { return 0; }")
    require(doc["machine"]["driver"]["state"] == "ok" and chain["device_count"] == 1, doc["machine"])


@case()
def crashes_are_outcomes_that_name_the_step(box):
    for code in ("raise(SIGSEGV)", "abort()", "*(volatile int*)0 = 1", "_exit(0)", "_exit(77)", "exit(0)", "raise(SIGKILL)",
                 "__builtin_trap()", "((void(*)(void))8)()", "volatile char c[1<<30]; memset((void*)c, 1, sizeof c)"):
        doc, chain = ask(box, f"int cuInit(unsigned f) {{ {code}; return 0; }}")
        require(chain["cause"] == "driver-crashes", (code, chain["cause"], doc["findings"]))
        require(any("cuInit" in e["where"] for f in doc["findings"] for e in f["evidence"]), (code, doc["findings"]))
        require(doc["machine"]["driver"]["state"] == "broken", (code, doc["machine"]))
    cores = [p.name for p in box.root.iterdir() if p.name.startswith("core")]
    require(not cores, cores)


@case()
def a_crash_while_loading_is_an_outcome(box):
    doc, chain = ask(box, "int cuInit(unsigned f) { return 0; } __attribute__((constructor)) void g(void) { abort(); }")
    require(chain["cause"] == "driver-crashes", doc["findings"])


@case(seconds=40)
def a_hang_ends_after_the_limit(box):
    hangs(box, "signal(SIGTERM, SIG_IGN); for (;;) pause()")


@case(seconds=40, big=True)
def other_hangs_end_after_the_limit(box):
    hangs(box, "for (;;)", "setsid(); for (;;) pause()", "if (fork() == 0) for (;;) pause(); for (;;) pause()")


def hangs(box, *codes):
    for code in codes:
        doc, chain = ask(box, f"int cuInit(unsigned f) {{ {code}; return 0; }}")
        report = next(iter(box.snapshot()["driver"]["reports"].values()))
        require((report["outcome"], report["last_step"]) == ("timed-out", "cuInit"), (code, report))
        found = with_gpu(box)["findings"]
        require(any(f["id"] == "driver-hangs" and f["severity"] == "error" for f in found), (code, found))


@case()
def what_a_library_prints_is_no_answer(box):
    noise = 'printf("init=0\\nend=1\\ncount=64\\ndevice.0.name=FAKE\\nload_error=x\\n"); fflush(stdout); write(1, "init=0\\ncount=9\\nend=1\\n", 21);'
    doc, chain = ask(box, f"int cuInit(unsigned f) {{ {noise} return 100; }}")
    require(doc["machine"]["driver"]["cuinit"] == 100 and chain["sees_gpu"] == "no", (doc["machine"], doc["findings"]))
    doc, chain = ask(box, f"int cuInit(unsigned f) {{ {noise} abort(); }}")
    require(chain["cause"] == "driver-crashes", doc["findings"])


@case()
def a_flood_of_output_is_no_crash(box):
    doc, chain = ask(box, "int cuInit(unsigned f) { char b[65536]; memset(b, 'x', sizeof b); for (int i = 0; i < 4000; i++) write(1 + i % 2, b, sizeof b); return 0; }")
    require(doc["machine"]["driver"]["state"] == "ok", (doc["machine"], doc["findings"]))


@case()
def a_child_that_keeps_the_pipe_open_does_not_make_an_answer_late(box):
    for code in ("if (fork() == 0) { for (;;) pause(); }", "if (fork() == 0) { setsid(); sleep(30); _exit(0); }"):
        doc, chain = ask(box, f"int cuInit(unsigned f) {{ {code} return 0; }}")
        require(doc["machine"]["driver"]["state"] == "ok", (code, doc["machine"], doc["findings"]))
    require(box.slowest < 5, f"{box.slowest} s")


@case()
def closing_everything_is_an_outcome(box):
    doc, chain = ask(box, "int cuInit(unsigned f) { for (int i = 0; i < 1024; i++) close(i); return 0; }")
    require(chain["sees_gpu"] in ("crashes", "undetermined"), (chain, doc["findings"]))


@case()
def names_and_numbers_that_lie_are_bounded(box):
    doc, chain = ask(box, """
int cuInit(unsigned f) { return 0; }
int cuDeviceGetName(char* t, int n, int d) { memset(t, 0xff, n); strcpy(t, "\\x1b[31m\\n\\r\\xff=GPU"); return 0; }
int cuDeviceGetPCIBusId(char* t, int n, int d) { memset(t, 'A', n); return 0; }
""")
    require(doc["machine"]["gpus"], doc["machine"])
    for count in (0, -5, 65, 2147483647):
        code = HEAD.replace("*n = 1; return 0; }\nint cuDeviceGet(", f"*n = {count}; return 0; }}\nint cuDeviceGet(", 1)
        box.library(box.root / "driver/libcuda.so.1", code + "int cuInit(unsigned f) { return 0; }")
        doc = box.check("--env", box.root / "env", env=box.environment(LD_LIBRARY_PATH=str(box.root / "driver")))
        require(len(doc["machine"]["gpus"]) <= 64, count)


@case()
def a_library_that_is_no_library(box):
    prefix = box.onnxruntime()
    folder = box.root / "driver"
    folder.mkdir()
    for content in (b"", b"\x7fELF", b"#!/bin/sh\n", os.urandom(5000)):
        (folder / "libcuda.so.1").write_bytes(content)
        doc = box.check("--env", prefix, env=box.environment(LD_LIBRARY_PATH=str(folder)))
        require(doc["chains"][0]["sees_gpu"] != "yes", content[:10])
    os.remove(folder / "libcuda.so.1")
    os.mkfifo(folder / "libcuda.so.1")
    box.check("--env", prefix, env=box.environment(LD_LIBRARY_PATH=str(folder)))


def smi(box, script):
    path = box.root / "bin/nvidia-smi"
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)


@case(seconds=40)
def nvidia_smi_is_asked_only_about_a_driver_that_does_not_work(box):
    smi(box, f"echo ran > {box.root}/ran; echo 'Failed to initialize NVML: Driver/library version mismatch'; exit 18")
    ask(box, "int cuInit(unsigned f) { return 0; }")
    require(not (box.root / "ran").exists(), "it was run although the driver works")
    doc, chain = ask(box, "int cuInit(unsigned f) { return 803; }")
    require((box.root / "ran").exists(), "it was not run")
    found = with_gpu(box)["findings"]
    rows = [e for f in found for e in f["evidence"] if e["source"] == "command"]
    require(any("Driver/library version mismatch" in e["what"] for e in rows), found)


@case(seconds=40)
def a_hostile_nvidia_smi_is_bounded(box):
    for script, outcome in (("trap '' TERM INT; while :; do /bin/sleep 1; done", "timed-out"),
                            ("kill -SEGV $$", None), ("/usr/bin/yes", None), ("/usr/bin/head -c 300000 /dev/urandom", None),
                            ("/bin/sleep 60 & exit 9", None), ("exec 1>&- 2>&-; exit 3", None), ("printf '\\033[2J\\377\\n'; exit 1", None)):
        smi(box, script + "\n")
        doc, chain = ask(box, "int cuInit(unsigned f) { return 999; }")
        require(chain["sees_gpu"] != "yes", doc["findings"])
        rows = [p for p in doc["probes"] if p["id"] == "nvidia-smi"]
        require(len(rows) == 1, (script, doc["probes"]))
        if outcome and rows[0]["outcome"] != outcome:
            raise Wrong(f"{script}: {rows}")
