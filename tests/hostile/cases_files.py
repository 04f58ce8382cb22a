"""Files and folders that are not what their names say."""

import os
import shutil
import socket
import struct
import subprocess

from box import MIB, require
from case import collector

CASES = []
case = collector(CASES)


def framework(doc, name):
    return [chain for chain in doc["chains"] if chain["framework"] == name]


@case()
def a_healthy_tree_is_read_so_that_the_others_mean_something(box):
    doc = box.check("--env", box.onnxruntime())
    require(framework(doc, "onnxruntime")[0]["imports"] == "yes", doc["findings"])
    require(doc["environments"][0]["python"] == "3.11", doc["environments"])


@case()
def a_link_to_itself_is_no_interpreter(box):
    prefix = box.python()
    os.remove(prefix / "bin/python")
    os.remove(prefix / "bin/python3.11")
    os.symlink("python", prefix / "bin/python")
    os.symlink("python3.11", prefix / "bin/python3.11")
    doc = box.check("--env", prefix)
    require(len(doc["environments"]) == 1, doc["environments"])
    require(box.snapshot()["environments"][0]["real_executable"]["state"] == "absent", "a loop was taken for a file")


@case()
def a_home_that_leads_back_to_the_venv_ends(box):
    prefix = box.python()
    (prefix / "pyvenv.cfg").write_text(f"home = {prefix}/bin\nversion = 3.11.2\ninclude-system-site-packages = true\n")
    doc = box.check("--env", prefix)
    require(len(doc["environments"]) == 1, doc["environments"])


@case()
def lib64_that_leads_to_the_prefix_itself_ends(box):
    prefix = box.onnxruntime()
    os.symlink(".", prefix / "lib64")
    os.symlink(".", prefix / "loop")
    doc = box.check("--env", prefix)
    require(framework(doc, "onnxruntime")[0]["imports"] == "yes", doc["findings"])
    box.run("inspect", prefix)


@case()
def a_site_folder_that_is_a_link_to_itself_is_named(box):
    prefix = box.python()
    os.rmdir(box.site(prefix))
    os.symlink("site-packages", box.site(prefix))
    doc = box.check("--env", prefix)
    require(doc["chains"] == [], doc["chains"])


@case()
def a_site_folder_that_leads_to_the_root_or_proc_ends(box):
    for target in ("/", "/proc", "/proc/self/fd", "/dev", "/sys"):
        prefix = box.python("env" + target.replace("/", "-"))
        os.rmdir(box.site(prefix))
        os.symlink(target, box.site(prefix))
        box.check("--env", prefix)


@case()
def unreadable_places_are_named_and_not_taken_for_empty(box):
    prefix = box.onnxruntime()
    os.chmod(box.site(prefix), 0)
    saved = box.root / "home/saved.json"
    os.chmod(box.root / "home", 0o777)
    box.run("check", "--json", "--save", saved, "--env", prefix, before=box.as_nobody)
    text = saved.read_text()
    require("access-denied" in text, "nothing says that the site folder may not be read")
    os.chmod(box.site(prefix), 0o755)
    for name in os.listdir(box.site(prefix)):
        if name.startswith("onnxruntime_gpu"):
            os.chmod(box.site(prefix) / name / "METADATA", 0)
    capi = box.site(prefix) / "onnxruntime/capi"
    os.chmod(capi / "libonnxruntime_providers_cuda.so", 0)
    os.chmod(prefix / "bin", 0o755)
    os.remove(saved)
    out = box.run("check", "--json", "--save", saved, "--env", prefix, before=box.as_nobody).json()
    require("access-denied" in saved.read_text(), "nothing says that METADATA may not be read")
    chain = framework(out, "onnxruntime")[0]
    require(chain["sees_gpu"] != "yes", chain)


@case()
def pipes_sockets_and_devices_are_not_opened(box):
    prefix = box.onnxruntime()
    site, capi = box.site(prefix), box.site(prefix) / "onnxruntime/capi"
    os.mkfifo(prefix / "pyvenv.cfg")
    os.mkfifo(site / "many.pth")
    os.mkfifo(site / "sitecustomize.py")
    os.mkfifo(capi / "libcudart.so.12")
    with socket.socket(socket.AF_UNIX) as listening:
        folder = os.open(capi, os.O_PATH)
        listening.bind(f"/proc/self/fd/{folder}/libcudnn.so.9")  # the whole path may be too long for a socket
        os.close(folder)
        os.symlink("/dev/zero", capi / "libcublas.so.12")
        os.symlink("/dev/zero", site / "zero.pth")
        for name in os.listdir(site):
            if name.startswith("onnxruntime_gpu"):
                os.remove(site / name / "METADATA")
                os.mkfifo(site / name / "METADATA")
                os.symlink("/dev/zero", site / name / "direct_url.json")
                os.mkfifo(site / name / "WHEEL")
        doc = box.check("--env", prefix, env=box.environment(LD_LIBRARY_PATH=str(capi)))
        require(framework(doc, "onnxruntime"), "the framework was lost")
        box.run("inspect", capi, env=box.environment(LD_LIBRARY_PATH=str(capi)))
        box.run("inspect", capi / "libcudart.so.12", codes=(0, 1, 2, 3))


@case()
def a_pipe_somebody_holds_open_does_not_hang(box):
    prefix = box.python()
    pipe = prefix / "pyvenv.cfg"
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        box.check("--env", prefix)
    finally:
        os.close(end)


@case()
def a_configuration_of_a_gigabyte_is_refused_by_its_size(box):
    prefix = box.python()
    (prefix / "pyvenv.cfg").write_text(f"home = {prefix}/bin\n")
    os.truncate(prefix / "pyvenv.cfg", 1 << 30)
    box.check("--env", prefix)
    require(any("pyvenv.cfg: too-large" in p for p in box.snapshot()["environments"][0]["problems"]), "not named")


@case()
def metadata_of_a_gigabyte_and_of_nul_bytes_is_bounded(box):
    prefix = box.onnxruntime()
    for name in os.listdir(box.site(prefix)):
        info = box.site(prefix) / name
        if not name.endswith(".dist-info"):
            continue
        if name.startswith("numpy"):
            (info / "METADATA").write_bytes(b"Name: numpy\nVersion: 1.26.4\0\x1b[31m\nRequires-Dist: a\0b\n\n")
        if name.startswith("sympy"):
            os.truncate(info / "METADATA", 1 << 30)
        if name.startswith("onnxruntime"):
            (info / "RECORD").touch()
            os.truncate(info / "RECORD", 1 << 30)
            (info / "WHEEL").touch()
            os.truncate(info / "WHEEL", 1 << 30)
    doc = box.check("--env", prefix)
    require(framework(doc, "onnxruntime"), "the framework was lost")


@case()
def a_path_file_of_a_million_lines_or_one_endless_line_is_bounded(box):
    prefix = box.python()
    (box.site(prefix) / "lines.pth").write_text("".join(f"/nowhere/{i}\n" for i in range(250_000)))
    (box.site(prefix) / "line.pth").write_text("/" + "x" * (3 * MIB))
    (box.site(prefix) / "huge.pth").write_text("y\n" * (3 * MIB))
    (box.site(prefix) / "code.pth").write_text("import " + "z" * (3 * MIB) + "\n")
    box.check("--env", prefix)
    require(any("huge.pth: too-large" in p for p in box.snapshot()["environments"][0]["problems"]), "not named")


@case(memory_mib=192)
def a_sparse_library_of_ten_gigabytes_costs_nothing(box):
    folder = box.root / "libraries"
    folder.mkdir()
    for name in ("libcudart.so.12", "libcudnn.so.9"):
        (folder / name).touch()
        os.truncate(folder / name, 10 << 30)
    # One that is a library by its head, and a hole behind.
    real = box.library(folder / "libcublas.so.12", "int f(void) { return 0; }")
    os.truncate(real, 10 << 30)
    prefix = box.onnxruntime()
    provider = box.site(prefix) / "onnxruntime/capi/libonnxruntime_providers_cuda.so"
    subprocess.run(["gcc", "-shared", "-o", provider, "-Wl,--no-as-needed", real], check=True)
    doc = box.check("--env", prefix, env=box.environment(LD_LIBRARY_PATH=str(folder)))
    require(framework(doc, "onnxruntime")[0]["missing"] == [] or
            framework(doc, "onnxruntime")[0]["missing"][0]["library"] != "libcublas.so.12", "a sparse library still loads")
    for name in ("libcudart.so.12", "libcudnn.so.9"):
        box.run("inspect", folder / name)


@case(seconds=60, memory_mib=192)
def a_library_whose_section_is_a_hole_of_ten_gigabytes_is_searched_within_bounds(box):
    source = box.root / "section.s"
    source.write_text('.section .nv_fatbin,"a",@progbits\n.long 1\n.section .nvFatBinSegment,"aw"\n.long 2\n')
    path = box.root / "libhole.so"
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", path, source], check=True)
    data = bytearray(path.read_bytes())
    table = int.from_bytes(data[40:48], "little")
    for index in range(int.from_bytes(data[60:62], "little")):
        at = table + index * 64
        if int.from_bytes(data[at + 4:at + 8], "little") == 1 and data[at + 32:at + 40] == (4).to_bytes(8, "little"):
            data[at + 32:at + 40] = ((10 << 30) - 65536).to_bytes(8, "little")
    path.write_bytes(data)
    os.truncate(path, 10 << 30)
    box.run("inspect", "--json", path)


def needing(names, repeat):
    """An ELF library whose dynamic section asks for the texts at the offsets `names`, each of them `repeat` long."""
    strings = b"a" * repeat + b"\0"
    entries = [(1, at) for at in names]
    dynamic_at, text_at = 64 + 2 * 56, 64 + 2 * 56 + 16 * (len(entries) + 3)
    entries += [(5, text_at), (10, len(strings)), (0, 0)]
    size = text_at + len(strings)
    head = b"\x7fELF\2\1\1" + b"\0" * 9 + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, 2, 64, 0, 0)
    segments = (struct.pack("<IIQQQQQQ", 1, 4, 0, 0, 0, size, size, 4096) +
                struct.pack("<IIQQQQQQ", 2, 4, dynamic_at, dynamic_at, dynamic_at, 16 * len(entries), 16 * len(entries), 8))
    return head + segments + b"".join(struct.pack("<QQ", *entry) for entry in entries) + strings


@case(seconds=30)
def a_library_with_sixty_thousand_needs_is_bounded(box):
    path = box.root / "libneedy.so"
    for names, repeat in (([0] * 60_000, 4000), (list(range(4000)) * 15, 4000), (list(range(3600, 4000)) * 20, 4000), ([3998, 3999] * 30_000, 4000)):
        path.write_bytes(needing(names, repeat))
        box.run("inspect", "--json", path, codes=(0, 1, 3))
        prefix = box.root / "env"
        prefix = prefix if prefix.exists() else box.onnxruntime()
        shutil.copy(path, box.site(prefix) / "onnxruntime/capi/libonnxruntime_providers_cuda.so")
        box.check("--env", prefix)
    path.write_bytes(needing([3999], 4000))
    out = box.run("inspect", "--json", path).json()
    require([need["name"] for need in out["files"][0]["needs"]] == ["a"], "the library of this test is no library")


@case()
def a_damaged_loader_cache_counts_as_none(box):
    root = box.root / "image"
    (root / "etc").mkdir(parents=True)
    header = b"glibc-ld.so.cache1.1"
    for content in (b"", b"garbage" * 1000, header, header + b"\xff" * 200, b"ld.so-1.7.0\0\xff\xff\xff\xff" + b"\0" * 64,
                    os.urandom(4096)):
        (root / "etc/ld.so.cache").write_bytes(content)
        box.check("--root", root)
        require(box.snapshot()["loader_cache"]["state"] == "undetermined", content[:30])
    # One string of 4 KB that 300,000 entries share would be gigabytes when copied for each.
    count = 300_000
    text_at = 48 + 24 * count
    entry = (0x0303).to_bytes(4, "little") + text_at.to_bytes(4, "little") * 2 + b"\0" * 12
    head = header + count.to_bytes(4, "little") + (4096).to_bytes(4, "little") + bytes([2]) + b"\0" * 19
    require(len(head) == 48, len(head))
    (root / "etc/ld.so.cache").write_bytes(head + entry * count + b"a" * 4000 + b"\0")
    box.check("--root", root)
