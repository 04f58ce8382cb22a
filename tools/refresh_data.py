#!/usr/bin/env python3
"""Reads the package index again and prints where data/tables/builds.toml differs from it: Pythons that a build has wheels for, builds
that are gone or withdrawn, and releases that the table does not have yet.

    refresh_data.py [--table FILE]

Needs `packaging` and the index (JSON of PEP 691). Changes nothing: what the differences mean is for a person to decide. Exit code 1
when a row is wrong; newer releases alone are none."""

import argparse
import json
import pathlib
import sys
import tomllib
import urllib.error
import urllib.request

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.tags import Tag
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

INDEX = "https://pypi.org/simple/"
TABLE = pathlib.Path(__file__).resolve().parent.parent / "data/tables/builds.toml"
PYTHONS = [f"3.{minor}" for minor in range(7, 16)]
LIMIT = 64 << 20   # bytes of one project's page


def files_of(name: str, cache: dict) -> list:
    if name not in cache:
        request = urllib.request.Request(INDEX + name + "/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            cache[name] = json.loads(answer.read(LIMIT))["files"]
    return cache[name]


def fits_system(tag: Tag, system: str) -> bool:
    if tag.platform == "any":
        return True
    return tag.platform == "win_amd64" if system == "windows" else tag.platform.endswith("x86_64") and "linux" in tag.platform and "musl" not in tag.platform


def fits_python(tag: Tag, python: str) -> bool:
    digits = python.replace(".", "")
    if tag.abi == "abi3":
        return tag.interpreter.startswith("cp3") and int(tag.interpreter[3:]) <= int(digits[1:])
    return tag.interpreter in (f"cp{digits}", "py3", f"py{digits}") and tag.abi in ("none", f"cp{digits}", f"cp{digits}m")


def pythons_of(name: str, version: str, system: str, cache: dict) -> tuple[set, bool]:
    """Minors that a wheel of this release serves, and whether one of its files was withdrawn."""
    out, withdrawn = set(), False
    for file in files_of(name, cache):
        try:
            _, found, _, tags = parse_wheel_filename(file["filename"])
        except InvalidWheelFilename:
            continue
        if found != Version(version):
            continue
        withdrawn |= bool(file.get("yanked"))
        wanted = SpecifierSet(file.get("requires-python") or "")
        out |= {python for python in PYTHONS if python + ".99" in wanted and any(fits_system(tag, system) and fits_python(tag, python) for tag in tags)}
    return out, withdrawn


def newest_of(name: str, cache: dict) -> Version | None:
    versions = []
    for file in files_of(name, cache):
        try:
            _, version, _, _ = parse_wheel_filename(file["filename"])
        except InvalidWheelFilename:
            continue
        if not version.is_prerelease and not file.get("yanked"):
            versions.append(version)
    return max(versions, default=None)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    options = parser.parse_args()
    builds = tomllib.loads(options.table.read_text(encoding="utf-8"))["build"]
    cache, wrong, checked, elsewhere = {}, 0, 0, 0
    newest = {}
    for build in builds:
        if build.get("index"):
            elsewhere += 1
            continue
        served, withdrawn = set(PYTHONS), False
        for text in build["install"]:
            requirement = Requirement(text)
            version = next(iter(requirement.specifier)).version
            try:
                some, gone = pythons_of(requirement.name, version, build["system"], cache)
            except urllib.error.HTTPError as fault:
                some, gone = set(), False
                print(f"{requirement.name}: {fault}")
            served &= some
            withdrawn |= gone
            newest.setdefault(requirement.name, Version(version))
            newest[requirement.name] = max(newest[requirement.name], Version(version))
        checked += 1
        row = f"{' '.join(build['install'])} on {build['system']}"
        extra = sorted(set(build["python"]) - served, key=Version)
        if extra:
            wrong += 1
            print(f"{row}: no wheel for Python {', '.join(extra)}")
        missing = sorted(served - set(build["python"]), key=Version)
        if missing:
            print(f"{row}: also has wheels for Python {', '.join(missing)}")
        if withdrawn:
            print(f"{row}: a file of it was withdrawn")
    for name, version in sorted(newest.items()):
        try:
            latest = newest_of(name, cache)
        except urllib.error.HTTPError:
            continue
        if latest is not None and latest > version:
            print(f"{name}: {latest} is out, the table ends at {version}")
    print(f"{checked} builds looked up, {wrong} wrong; {elsewhere} lie on another index and were not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
