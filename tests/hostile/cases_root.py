"""Another root that tries to lead out of itself."""

import os

from box import require
from case import collector

CASES = []
case = collector(CASES)

SECRET = "SECRET-OUTSIDE"


@case()
def a_file_or_nothing_is_no_root(box):
    (box.root / "file").touch()
    os.mkfifo(box.root / "fifo")
    os.symlink("loop", box.root / "loop")
    for path in (box.root / "file", box.root / "fifo", box.root / "loop", box.root / "nowhere", "/dev/null", ""):
        if path == "":
            continue
        box.run("check", "--root", path, codes=(2, 3))


@case()
def links_do_not_lead_out_of_it(box):
    outside = box.root / "outside"
    (outside / "etc").mkdir(parents=True)
    (outside / "etc/os-release").write_text(f'PRETTY_NAME="{SECRET}"\n')
    (outside / "secret.pth").write_text(f"/{SECRET}\n")
    (outside / SECRET).mkdir()
    (outside / f"{SECRET}-1.dist-info").mkdir()
    for index, target in enumerate((str(outside), "../outside", "../../../../../../../../.." + str(outside), "/./../" + str(outside),
                                    "x/../../outside")):
        root = box.root / f"image{index}"
        root.mkdir()
        (root / "x").mkdir()
        os.symlink(target + "/etc", root / "etc")
        os.makedirs(root / "usr/bin")
        os.makedirs(root / "usr/lib/python3.11")
        (root / "usr/bin/python3.11").touch()
        (root / "usr/lib/python3.11/os.py").touch()
        os.makedirs(root / "usr/local/lib/python3.11")
        os.symlink(target, root / "usr/lib/python3.11/site-packages")
        os.symlink(target + "/secret.pth", root / "usr/bin/python3")
        os.symlink(target, root / "home")
        os.symlink(target, root / "lib64")
        os.symlink(target, root / "dev")
        os.symlink("/proc/self/root" + str(outside), root / "opt")
        for arguments in ((), ("--env", "/usr")):
            box.check("--root", root, *arguments, codes=(0, 1, 2))
            if (box.root / "saved.json").exists():
                text = (box.root / "saved.json").read_text()
                require(SECRET not in text.replace(str(root), ""), f"{target}: what lies outside was read")
        box.run("inspect", "--root", root, "/usr", codes=(0, 1, 2, 3))


@case()
def links_may_lead_back_into_it(box):
    root = box.root / "image"
    (root / "real/etc").mkdir(parents=True)
    (root / "real/etc/os-release").write_text('PRETTY_NAME="inside"\n')
    os.symlink("/real/etc", root / "etc")
    require(box.check("--root", root)["machine"]["name"] == "inside", "an absolute link starts at the root")
    os.remove(root / "etc")
    os.symlink("../../../real/./etc/", root / "etc")
    require(box.check("--root", root)["machine"]["name"] == "inside", "'..' stays at the root")


@case()
def loops_and_pipes_in_it_end(box):
    root = box.root / "image"
    (root / "etc").mkdir(parents=True)
    os.symlink("/a", root / "b")
    os.symlink("/b", root / "a")
    os.symlink("/a/x", root / "usr")
    os.symlink(".", root / "opt")
    os.symlink("..", root / "home")
    os.mkfifo(root / "etc/os-release")
    os.mkfifo(root / "etc/ld.so.cache")
    os.symlink("/" + "./" * 2000, root / "lib")
    box.check("--root", root)
