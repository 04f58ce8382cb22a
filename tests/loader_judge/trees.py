"""Compares the loader replay with the machine's own loader over generated trees of small libraries.

    trees.py --driver trees_driver --work FOLDER [--seed N] [--trees N] [--only NUMBER] [--keep]

Per tree a program opens some libraries, as the tree's program under `LD_DEBUG=libs` and in the replay. Compared are, per
request: whether it loads and which file; which objects are then in the process, in order; for a failure its kind and the
file, library, symbol or version at fault as dlerror names it; for a library that is not found, every place that was tried,
in order.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

from trees_elf import Workshop
from trees_make import Maker, Tree

Step = tuple   # one answer: words, the first says what it is

# dlerror's text -> kind, and what the name before it is. A library that exists for another machine only is "not found"
# to glibc; a short or odd file has many texts.
TEXTS = (
    (r"([^/]*): cannot open shared object file.*", "not-found"),   # the reason is of the last place only
    (r"(.*): cannot open shared object file: No such file or directory", "not-found"),
    (r"(.*): wrong ELF class: ELFCLASS32", "wrong-class"),
    (r"(.*): file too short", "too-short"),
    (r"(.*): version `(.*)' not found \(required by (.*)\)", "version-missing"),
    (r"(.*?): undefined symbol: ([^,\n]*)(?:, version (.*))?", "symbol-missing"),
    (r"(.*): invalid ELF header", "bad-file"),
    (r"(.*): (?:cannot read file data.*|cannot open shared object file: .*|ELF file.*|only ET_DYN and ET_EXEC can be loaded|"
     r"cannot dynamically load .*|shared object cannot be dlopen\(\)ed|nonzero padding.*|internal error|invalid .*|"
     r"object file has no .*|cannot .*)", "bad-file"),
)
SAME_KIND = {"not-elf": "bad-file", "malformed": "bad-file", "wrong-machine": "not-found"}


def plain(path: str, current: pathlib.Path) -> str:
    """The path without what makes no difference: repeated slashes and single dots."""
    path = path if path.startswith("/") else f"{current}/{path}"
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def failure_of(text: str, tree: Tree) -> Step:
    tree.told.append(f"said: {text}")
    for pattern, kind in TEXTS:
        if found := re.fullmatch(pattern, text):
            words = [word or "" for word in found.groups()]
            # For a few faults glibc names what was asked for, not the file.
            name_only = kind in ("not-found", "wrong-class") or (kind == "bad-file" and not re.match(r"[^$]*/", words[0]))
            at = pathlib.PurePath(words[0]).name if name_only else plain(words[0], tree.current)
            return ("failed", kind, at, *words[1:2])
    return ("failed", "?", text)


def tried(debug: str, name: str, tree: Tree) -> list[str]:
    """Files that the loader tried for the last search of `name`."""
    places, within = [], False
    for line in debug.splitlines():
        if f"find library={name} [" in line:
            places, within = [], True
        elif "find library=" in line:
            within = False
        elif within and (found := re.search(r"trying file=(.*)", line)):
            places.append(plain(found[1], tree.current))
    return [place for place in places if not is_variant(place, places)]


def is_variant(place: str, places: list[str]) -> bool:
    """A sub-folder for some processors (glibc-hwcaps, and before glibc 2.37 more) of a folder that is tried as well."""
    folder, _, name = place.rpartition("/")
    while found := re.fullmatch(r"(.*)/(?:glibc-hwcaps/[^/]*|tls|haswell|xeon_phi|avx512_1|x86_64)", folder):
        folder = found[1]
        if f"{folder}/{name}" in places:
            return True
    return False


def in_cache(command: str) -> list[str]:
    """A shell that may mount without anybody noticing; what it gets as words is "$@"."""
    return ["unshare", "-rm", "sh", "-c", command, "sh"]


def make_cache(tree: Tree) -> bool:
    """The tree's own ld.so.cache, made by ldconfig. False where this machine lets nobody mount."""
    (tree.root / "conf").write_text("\n".join(tree.cached) + "\n")
    # ldconfig keeps notes of its own in /var/cache, which are not to change.
    command = f'mount -t tmpfs none /var/cache/ldconfig && exec ldconfig -X -C "{tree.root}/cache" -f "{tree.root}/conf"'
    return subprocess.run(in_cache(command), capture_output=True).returncode == 0


def asked(tree: Tree) -> tuple[list[Step], list[list[str]]]:
    """The loader's own answers, and what it tried for the library that each step failed to find."""
    words = list(itertools.chain.from_iterable(
        ("g" if r.everywhere else "l", "-" if r.caller < 0 else str(r.caller), r.name) for r in tree.requests))
    variables = ["LD_DEBUG=libs"]
    if tree.library_path:
        variables.append(f"LD_LIBRARY_PATH={tree.library_path}")
    if tree.preload:
        variables.append(f"LD_PRELOAD={tree.preload}")
    if tree.cached:
        # env sets the variables: the shell on the way is not to be judged.
        command = [*in_cache(f'mount --bind "{tree.root}/cache" /etc/ld.so.cache && exec env -i "$@"'), *variables, tree.program, *words]
        environment = {"PATH": os.environ["PATH"]}
    else:
        command, environment = [tree.program, *words], dict(variable.split("=", 1) for variable in variables)
    done = subprocess.run(command, cwd=tree.current, env=environment, capture_output=True, text=True, timeout=60)
    parts = re.split(r"^@.*\n", done.stderr, flags=re.M)
    steps, places = [], []
    lines = done.stdout.splitlines()
    if not lines or lines[0] != "started":
        said = re.search(r": error while loading shared libraries: (.*)", done.stderr) or re.search(
            r"/program: (.*: version `.*)", done.stderr) or re.search(r"symbol lookup error: (.*)", done.stderr)
        if done.returncode < 0:
            return [("dies",)], [[]]
        step = failure_of(said[1], tree) if said else ("failed", "?", done.stderr[-300:])
        return [step], [tried(parts[0], said[1].split(": cannot open")[0], tree) if step[1] == "not-found" else []]
    for line in lines:
        word, *rest = line.split("\t")
        if word == "objects":
            kept = [plain(o, tree.current) for o in rest[1:] if o and not o.startswith("linux-vdso") and "/ld-linux" not in o]
            steps[-1] = (*steps[-1], tuple(kept))
            continue
        debug = parts[len(steps)] if len(steps) < len(parts) else ""
        if word == "started":
            steps.append(("loaded", str(tree.program)))
        elif word == "loaded":
            steps.append(("loaded", plain(rest[0] or str(tree.program), tree.current)))
        elif word == "failed":
            steps.append(failure_of(rest[0], tree))
        else:
            steps.append((word,))
        missing = steps[-1][0] == "failed" and steps[-1][1] == "not-found"
        name = rest[0].split(": cannot open")[0] if missing else ""
        places.append(tried(debug, name, tree) if missing else [])
    if done.returncode < 0:
        steps.append(("dies",))
        places.append([])
    return steps, places


def replayed(lines: list[str], tree: Tree) -> tuple[list[Step], list[list[tuple[str, str]]]]:
    steps, places = [], []
    for line in lines:
        word, *rest = line.split("\t")
        if word == "objects":
            kept = [plain(o, tree.current) for o in rest[1:] if "/ld-linux" not in o]
            steps[-1] = (*steps[-1], tuple(kept))
        elif word == "place":
            places[-1].append((rest[1], rest[2]))
        else:
            places.append([])
            if word == "loaded":
                steps.append(("loaded", plain(rest[0], tree.current)))
            elif word == "failed":
                kind, library, path, symbol, _, provider = rest
                kind = SAME_KIND.get(kind, kind)
                at = path if kind not in ("not-found", "wrong-class", "version-missing") else library
                at = provider if kind == "version-missing" else at
                at = pathlib.PurePath(at).name if kind in ("not-found", "wrong-class") else plain(at, tree.current)
                steps.append(("failed", kind, at, *([symbol] if kind in ("version-missing", "symbol-missing") else [])))
            elif word == "dies":
                steps.append(("dies",))
            else:
                steps.append((word, *rest))
    if steps and steps[0][0] != "loaded":
        steps[0] = steps[0][:-1] if isinstance(steps[0][-1], tuple) else steps[0]
    return steps, places


def places_differ(real: list[str], ours: list[tuple[str, str]], tree: Tree) -> str:
    """Every place that the loader tried is named, in that order; what it did not try is no folder at all."""
    left = list(dict.fromkeys(real))   # a folder may stand there twice
    # A place that holds the library is named as the file, any other as the folder.
    named = [f"{folder}/x" for path, _ in ours for folder in (plain(path, tree.current), plain(os.path.dirname(path), tree.current))]
    passed = set()
    for path, outcome in ours:
        path = plain(path, tree.current)
        if path in passed:
            continue
        passed.add(path)
        inside = path if left and path == left[0] else f"{path}/{left[0].rsplit('/', 1)[1]}" if left else ""
        if left and inside == left[0]:
            left.pop(0)
        elif os.path.isdir(path) and outcome != "no-such-folder" and not is_variant(path + "/x", named):
            return f"named but not tried: {path} ({outcome})"
    return f"tried but not named: {left}" if left else ""


def judge(tree: Tree, lines: list[str]) -> tuple[list[str], collections.Counter]:
    real, real_places = asked(tree)
    ours, our_places = replayed(lines, tree)
    faults = []
    kinds = collections.Counter(step[1] if step[0] == "failed" else step[0] for step in real)
    del kinds["?"]   # counted below, or told as a difference
    for i, (one, other) in enumerate(itertools.zip_longest(real, ours)):
        what = "start" if i == 0 else f"request {i - 1} {tree.requests[i - 1]}"
        if one == ("skipped",) and one != other:
            kinds["library without an opener"] += 1
            break   # the library that should open is not one of ours
        if one[2:] and str(one[2]).endswith("(fatal)"):
            kinds["symbol missing at start"] += 1   # not replayed, see docs/loader.md
            break
        if one[:2] == other[:2] == ("failed", "bad-file") and "/" not in one[2]:
            other = ("failed", "bad-file", pathlib.PurePath(other[2]).name, *other[3:])
        if one != other:
            faults.append(f"{what}\n      loader  {one}\n      replay  {other}")
            break   # what follows follows from it
        if one[:2] == ("failed", "not-found"):
            if text := places_differ(real_places[i], our_places[i], tree):
                faults.append(f"{what}: {text}\n      loader  {real_places[i]}\n      replay  {our_places[i]}")
                break
            kinds["places tried"] += len(real_places[i])
    return faults, kinds


def asked_of_driver(trees: list[Tree]) -> str:
    lines = []
    for i, tree in enumerate(trees):
        lines.append("\t".join(("process", str(i), str(tree.current), str(tree.program), tree.library_path, tree.preload,
                                str(tree.root / "cache") if tree.cached else "")))
        lines += ["\t".join(("open", "g" if r.everywhere else "l", "-" if r.caller < 0 else str(r.caller), r.name)) for r in tree.requests]
        lines.append("end")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trees", type=int, default=150)
    parser.add_argument("--only", type=int, help="one tree of the seed, told in full and kept")
    options = parser.parse_args()
    work = options.work.resolve()
    shutil.rmtree(work, ignore_errors=True)
    workshop = Workshop(work / "templates", pathlib.Path(__file__).with_name("trees_program.c").resolve())
    numbers = range(options.trees) if options.only is None else [options.only]
    total, different = collections.Counter(), 0
    for batch in itertools.batched(numbers, 100) if sys.version_info >= (3, 12) else [list(numbers)[i:i + 100] for i in range(0, len(numbers), 100)]:
        trees = [Maker(workshop, work / f"t{number}", f"{options.seed}/{number}").make() for number in batch]
        for tree in trees:
            if tree.cached and not make_cache(tree):
                tree.cached = []
                total["without a cache of its own, for want of mounting"] += 1
        answer = subprocess.run([options.driver.resolve()], input=asked_of_driver(trees), capture_output=True, text=True, check=True, timeout=600)
        ours = [part.splitlines()[1:] for part in answer.stdout.split("end\n") if part]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(judge, trees, ours))
        for number, tree, (faults, kinds) in zip(batch, trees, results, strict=True):
            total += kinds
            different += bool(faults)
            if faults or options.only is not None:
                print(f"{'DIFFERENT' if faults else 'same'}: seed {options.seed} tree {number}", *faults, sep="\n    ")
            if options.only is not None:
                print(*tree.told, f"LD_LIBRARY_PATH={tree.library_path}", f"LD_PRELOAD={tree.preload}", f"cached: {tree.cached}", f"in {tree.current}",
                      *tree.requests, sep="\n    ")
            else:
                shutil.rmtree(tree.root)
    print(f"{len(numbers)} trees, {different} different;", ", ".join(f"{key} {value}" for key, value in sorted(total.items())))
    few = [kind for kind in ("loaded", "not-found", "wrong-class", "bad-file", "too-short", "version-missing", "symbol-missing", "dies")
           if options.only is None and total[kind] == 0]
    if few:
        print("never seen, so not judged:", *few)
    return 1 if different or few else 0


if __name__ == "__main__":
    sys.exit(main())
