"""What needs many files. Only with --big; the figures are in README.md."""

import os

from box import require
from case import collector

CASES = []
case = collector(CASES)


@case(seconds=120, memory_mib=512, big=True)
def a_prefix_of_a_hundred_thousand_packages(box):
    prefix = box.onnxruntime()
    site = box.site(prefix)
    for index in range(100_000):
        os.mkdir(site / f"package{index}-1.0.dist-info")
    doc = box.check("--env", prefix)
    require(doc["chains"][0]["imports"] == "yes", doc["findings"])
    require(any("too-large" in p for p in box.snapshot()["environments"][0]["problems"]), "the limit is not named")


@case(seconds=120, memory_mib=512, big=True)
def a_hundred_thousand_packages_that_all_are_read(box):
    prefix = box.onnxruntime()
    site = box.site(prefix)
    for index in range(100_000):
        os.mkdir(site / f"nvidia_thing{index}-1.0.dist-info")
    box.check("--env", prefix)


@case(seconds=120, memory_mib=512, big=True)
def a_folder_of_a_million_files_on_every_path(box):
    prefix = box.onnxruntime()
    folder = box.root / "million"
    folder.mkdir()
    first = folder / "file"
    first.touch()
    made = first
    for index in range(1_000_000):
        if index % 60_000 == 0:  # a file may have some 65,000 names
            made = folder / f"first{index}"
            made.touch()
        os.link(made, folder / f"lib{index}.so.1")
    env = box.environment(LD_LIBRARY_PATH=str(folder), PYTHONPATH=str(folder), PATH=str(folder), VIRTUAL_ENV=str(folder),
                          WORKON_HOME=str(folder))
    doc = box.check("--env", prefix, env=env)
    require(doc["chains"], doc["findings"])
    box.check(env=env, cwd=folder)
    box.run("inspect", folder, codes=(0, 1, 3))
