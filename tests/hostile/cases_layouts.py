"""Pythons that lie, or are told of, in unusual ways."""

import os
import shutil
import struct
import zipfile

from box import require
from case import collector
from cases_files import framework

CASES = []
case = collector(CASES)


@case()
def an_archive_on_pythonpath_answers_imports(box):
    prefix, archive = box.onnxruntime(), box.root / "parts.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("onnxruntime/__init__.py", "raise RuntimeError\n")
        file.writestr("pyspark/__init__.py", "")
    doc = box.check("--env", prefix, env=box.environment(PYTHONPATH=str(archive)))
    chain = framework(doc, "onnxruntime")[0]
    require((chain["imports"], chain["sees_gpu"]) == ("undetermined", "no"), chain)
    finding = [one for one in doc["findings"] if one["id"] == "module-shadowed-by-local-file"][0]
    require(finding["next_step"]["commands"] == [f"mv {archive} {archive}.renamed"], finding)


@case()
def an_archive_that_holds_nothing_of_the_framework_changes_nothing(box):
    prefix, archive = box.onnxruntime(), box.root / "parts.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("pyspark/__init__.py", "")
        file.writestr("deep/onnxruntime/__init__.py", "")
    doc = box.check("--env", prefix, env=box.environment(PYTHONPATH=str(archive)))
    require(framework(doc, "onnxruntime")[0]["imports"] == "yes", doc["findings"])


@case()
def damaged_archives_on_pythonpath_answer_nothing(box):
    prefix, archive = box.onnxruntime(), box.root / "parts.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for number in range(50):
            file.writestr(f"onnxruntime{number}.py", "x = 1\n" * 100)
    whole = archive.read_bytes()
    lies = [whole[:-10] + struct.pack("<I", size) + whole[-6:] for size in (0, 1, 2**31, 2**32 - 1, len(whole) - 22)]
    for text in [b"", b"PK\x05\x06", whole[:-1], whole[: len(whole) // 2], b"\0" * 100_000, b"PK\x05\x06" * 30_000, *lies]:
        archive.write_bytes(text)
        doc = box.check("--env", prefix, env=box.environment(PYTHONPATH=str(archive)))
        require(framework(doc, "onnxruntime")[0]["imports"] == "yes", doc["findings"])
    with open(archive, "wb") as file:
        file.truncate(10 << 30)
    box.check("--env", prefix, env=box.environment(PYTHONPATH=str(archive)))


@case()
def a_relative_entry_of_path_starts_from_the_current_folder(box):
    prefix = box.python()
    for path, folder in (("env/bin", box.root), (".", prefix / "bin"), (":/nowhere", prefix / "bin"), ("../env//bin/", prefix)):
        doc = box.check(env=box.environment(PATH=path), cwd=folder)
        active = [one["path"] for one in doc["environments"] if one["active"]]
        require([os.path.realpath(one) for one in active] == [str(prefix)], (path, active))


@case()
def a_python_without_the_gil_is_told_by_its_name(box):
    prefix = box.onnxruntime()
    os.rename(prefix / "lib/python3.11", prefix / "lib/python3.13t")
    os.remove(prefix / "bin/python")
    os.rename(prefix / "bin/python3.11", prefix / "bin/python3.13t")
    os.symlink("python3.13t", prefix / "bin/python")
    info = prefix / "lib/python3.13t/site-packages/onnxruntime_gpu-1.18.1.dist-info"
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp313-cp313-manylinux_2_17_x86_64\n")
    doc = box.check("--env", prefix)
    pythons = [one["args"]["python"] for one in doc["findings"] if one["id"] == "no-wheel-for-python-version"]
    require(pythons and set(pythons) == {"3.13t"}, doc["findings"])


@case()
def compiled_modules_of_cpython_are_nothing_for_pypy(box):
    prefix = box.onnxruntime()
    os.rename(prefix / "lib/python3.11", prefix / "lib/pypy3.11")
    os.remove(prefix / "bin/python")
    os.rename(prefix / "bin/python3.11", prefix / "bin/pypy3.11")
    os.symlink("pypy3.11", prefix / "bin/python")
    info = prefix / "lib/pypy3.11/site-packages/onnxruntime_gpu-1.18.1.dist-info"
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_17_x86_64\n")
    doc = box.check("--env", prefix)
    require(framework(doc, "onnxruntime")[0]["imports"] == "no", doc["chains"])
    require(any(one["args"].get("python") == "PyPy 3.11" for one in doc["findings"]), doc["findings"])


@case()
def a_moved_venv_still_has_its_packages(box):
    prefix = box.onnxruntime()
    shutil.move(prefix, box.root / "moved")
    doc = box.check("--env", box.root / "moved")
    require(framework(doc, "onnxruntime")[0]["imports"] == "yes", doc["findings"])
