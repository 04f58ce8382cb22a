"""Names and texts that try to write on the terminal or break the JSON."""

import os

from box import require
from case import collector

CASES = []
case = collector(CASES)

NASTY = (b"line\nbreak", b"\x1b[2J\x1b]0;owned\x07", b"\xff\xfe\x80", b"\xc2\x9b31m", "\u202egnp.exe".encode(), b"\xed\xa0\x80",
         "\uf7ff\uf780\uf700".encode(), b"tab\tand\rreturn", b"\xef\x9e", b"{framework}%s\\x1b\"'$(x)")


@case(seconds=60)
def an_environment_with_a_nasty_name(box):
    for index, name in enumerate(NASTY):
        prefix = os.path.join(os.fsencode(box.root), name)
        os.rename(box.onnxruntime(f"plain{index}"), prefix)
        doc = box.check("--env", prefix)
        require(len(doc["environments"]) == 1, name)
        require(doc["chains"][0]["imports"] == "yes", (name, doc["findings"]))
        box.run("inspect", prefix)
        box.run("inspect", "--json", prefix)


@case(seconds=60)
def names_in_folders_and_variables(box):
    prefix = box.onnxruntime()
    site = os.fsencode(box.site(prefix))
    for name in NASTY:
        open(os.path.join(site, b"numpy" + name + b".so"), "wb").close()
        open(os.path.join(site, name + b".pth"), "wb").write(name + b"\nimport " + name + b"\n")
        os.mkdir(os.path.join(site, b"~" + name))
        os.mkdir(os.path.join(site, b"numpy-" + name + b".dist-info"))
        os.mkdir(os.path.join(os.fsencode(box.root), b"folder" + name))
        open(os.path.join(os.fsencode(box.root), b"folder" + name, b"libcuda.so.1"), "wb").close()
    for name in NASTY:
        folder = os.path.join(os.fsencode(box.root), b"folder" + name)
        env = box.environment(LD_LIBRARY_PATH=folder, CUDA_VISIBLE_DEVICES=name, VIRTUAL_ENV=folder, CONDA_PREFIX=folder, PYTHONPATH=folder,
                              KERAS_BACKEND=name)  # ld.so itself prints LD_PRELOAD
        box.check("--env", prefix, env=env)
        box.check(env=env)


@case(seconds=60)
def versions_and_metadata(box):
    for index, name in enumerate(NASTY):
        prefix = box.python(f"env{index}")
        site = os.fsencode(box.site(prefix))
        flat = name.replace(b"/", b"").replace(b"\n", b"\x0b")
        for package in (b"tensorflow", b"torch", b"jax", b"jaxlib", b"onnxruntime_gpu", b"keras", b"numpy"):
            info = os.path.join(site, package + b"-" + name + b".dist-info")
            os.mkdir(info)
            open(os.path.join(info, b"METADATA"), "wb").write(
                b"Name: " + package + b"\nVersion: " + flat + b"\nRequires-Dist: numpy<" + flat + b"\nRequires-Dist: " + flat +
                b"\nRequires-Python: " + flat + b"\n\n")
            open(os.path.join(info, b"INSTALLER"), "wb").write(name)
            open(os.path.join(info, b"direct_url.json"), "wb").write(b'{"url":"' + name + b'"}')
            module = package.replace(b"_gpu", b"")
            os.mkdir(os.path.join(site, module))
            for file in (b"__init__.py", b"version.py"):
                open(os.path.join(site, module, file), "wb").write(b"cuda = '" + name + b"'\n__version__ = '" + name + b"'\n")
        open(os.path.join(os.fsencode(prefix), b"pyvenv.cfg"), "wb").write(
            b"home = " + flat + b"\nversion = " + flat + b"\nprompt = " + flat + b"\n")
        doc = box.check("--env", prefix)
        require(len(doc["chains"]) >= 4, [chain["framework"] for chain in doc["chains"]])


@case()
def arguments_and_other_systems_files(box):
    for name in NASTY:
        for arguments in (("check", "--env", name), ("check", "--framework", name), ("check", "--expect", name), ("check", "--from", name),
                          ("check", "--root", name), (name,), ("--" + os.fsdecode(name),), ("inspect", name), ("check", "--lang", name)):
            box.run(*arguments, codes=(2, 3))
        root = os.path.join(os.fsencode(box.root), b"root" + name)
        os.makedirs(os.path.join(root, b"etc"))
        os.makedirs(os.path.join(root, b"run/systemd"))
        open(os.path.join(root, b"etc/os-release"), "wb").write(b'PRETTY_NAME="' + name + b'"\nID=' + name + b"\nVERSION_ID=" + name)
        box.check("--root", root)
