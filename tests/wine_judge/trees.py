"""Compares the replay of Windows' loader with Wine's loader over generated trees of small DLLs.

    trees.py --driver windows_driver --work FOLDER [--seed N] [--trees N] [--only NUMBER] [--keep]

Per tree a fresh process under Wine loads what the tree's script says, and the replay does the same with the variant for
Wine. Compared are, per request: the file that is taken or the error's number; of a failure the DLL at fault and who asked for
it; and every module in the process, in order. docs/loader-windows.md says what Wine does otherwise and how that is left out.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import wine_prefix
from trees_make import Maker, Tree
from wine_prefix import Prefix, windows_path

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
PROGRAM = "app\\p.exe"
DIED = "died of a load that failed: "


class Answer:
    """What one request gave: ("L", path) or ("E", number), the modules, and of a failure which DLL Wine names."""

    def __init__(self, outcome: tuple):
        self.outcome, self.modules, self.faults, self.forwards = outcome, [], [], False


def canonical(path: str) -> str:
    """The path in one way of writing: what Windows and gpuway write differently does not count."""
    path = path.replace("\\", "/").removeprefix("//?/")
    parts = []
    for part in path.split("/"):
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts).lower()


def unescaped(text: str) -> str:
    """A text as Wine's messages have it."""
    return re.sub(r"\\\\|\\([0-9a-f]{4})", lambda found: chr(int(found[1], 16)) if found[1] else "\\", text)


def with_extension(name: str) -> str:
    return (name if "." in name else name + ".dll").lower()


def is_of_system(path: str) -> bool:
    return canonical(path).startswith("c:/windows/") and not re.search(r"/(?:gw_|g)\d+[a-z][^/]*$", canonical(path))


def asked(tree: Tree, prefix: Prefix) -> tuple[list[Answer], str]:
    """Wine's answers, and how the program ended when it did not reach its end."""
    command = [windows_path(tree.root / "app/p.exe"), windows_path(tree.root / "script")]
    code, text = prefix.run(command, tree.root / "cwd")
    if not text:
        code, text = prefix.run(command, tree.root / "cwd")   # on a busy machine Wine may fail to start a program
    answers, faults, forwards = [], [], False
    for line in text.splitlines():
        if found := re.fullmatch(r".*:err:module:import_dll (?:Library|Loading library) (.*) \(which is needed by L\"(.*)\"\) .*", line):
            faults.append((with_extension(found[1]), canonical(unescaped(found[2]))))
        elif ":err:module:find_forwarded_export" in line:
            forwards = True
        elif line.startswith(("@L ", "@E ")):
            answers.append(Answer((line[1], canonical(line[3:]) if line[1] == "L" else line[3:])))
            answers[-1].faults, answers[-1].forwards, faults, forwards = faults, forwards, [], False
        elif line.startswith("@M ") and not is_of_system(line[3:]):
            answers[-1].modules.append(canonical(line[3:]))
    if "@end" in text and code == 0:
        return answers, ""
    return answers, f"{DIED}{code}" if faults else f"the program ended with {code}: {text[-600:]}"


def replayed(lines: list[str]) -> tuple[list[Answer], str]:
    answers = []
    for line in lines:
        word, *rest = line.split("\t")
        if word == "L":
            answers.append(Answer((word, canonical(rest[0]))))
        elif word == "E":
            answers.append(Answer((word, rest[0])))
            answers[-1].faults = [(rest[1].lower(), canonical(rest[2]))]
        elif word == "M" and not is_of_system(rest[0]):
            answers[-1].modules.append(canonical(rest[0]))
        elif word not in ("S", "P", "M"):
            return answers, line
    return answers, ""


def difference(real: Answer, ours: Answer) -> str:
    if is_of_system(real.outcome[1]) and is_of_system(ours.outcome[1]):
        return ""
    wanted = ours.outcome
    if wanted[0] == "E" and ours.faults[0][1]:
        wanted = ("E", "126")   # Wine's number for whatever an import fails for
    if real.outcome != wanted:
        return f"Wine {real.outcome} {real.faults[:1]}, replay {ours.outcome} {ours.faults}"
    if real.outcome[0] == "E" and real.faults and ours.faults[0][1]:
        # What a forwarder needs is told among the rest, but fails nothing in Wine.
        if ours.faults[0] not in (real.faults if real.forwards else real.faults[:1]):
            return f"at fault: Wine {real.faults}, replay {ours.faults[0]}"
    return ""


def same_name(one: Answer, other: Answer) -> bool:
    return one.outcome[1].rsplit("/", 1)[-1] == other.outcome[1].rsplit("/", 1)[-1]


def judge(tree: Tree, lines: list[str], prefix: Prefix) -> tuple[list[str], collections.Counter]:
    real, broken = asked(tree, prefix)
    ours, fault = replayed(lines)
    steps = [step for step in tree.steps if step.what != "adddir"]
    told = collections.Counter()
    if fault or broken and not broken.startswith(DIED):
        return [broken or f"replay: {fault}"], told
    before = [canonical(windows_path(tree.root / "app/p.exe"))]
    for index, step in enumerate(steps):
        if index == len(real) and broken and ours[index].outcome[0] == "E":
            told["died in Wine of a failed load"] += 1   # of what it leaves behind
            break
        if index >= len(real) or index >= len(ours):
            return [f"step {index}: Wine {len(real)} answers, replay {len(ours)}"], told
        one, other = real[index], ours[index]
        told["loaded" if one.outcome[0] == "L" else f"error {other.outcome[1] if other.outcome[0] == 'E' else one.outcome[1]}"] += 1
        if one.outcome != other.outcome and {one.outcome[1], other.outcome[1]} <= set(before) and same_name(one, other):
            told["other copy of a name"] += 1   # Wine takes the one that it looked up last, Windows the first
            break
        if step.name.endswith(".") and other.outcome[1] in before and one.outcome != other.outcome:
            told["dot behind a loaded name"] += 1   # Wine compares the dot too, and looks for the file
            break
        if found := difference(one, other):
            return [f"step {index} ({step.line()!r}): {found}"], told
        if one.outcome[0] == "E" and one.modules != before:
            # Wine leaves behind what a failed load had mapped; from here on the processes differ.
            if other.modules != before:
                return [f"step {index}: the replay left modules behind: {other.modules}"], told
            told["left behind by Wine"] += 1
            break
        if one.modules != other.modules:
            return [f"step {index} ({step.line()!r}): modules: Wine {one.modules}, replay {other.modules}"], told
        before = one.modules
    return [], told


class Driver:
    def __init__(self, program: str, prefix: Prefix):
        self.process = subprocess.Popen([program, str(prefix.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, tree: Tree) -> list[str]:
        words = ["process", str(tree.number), windows_path(tree.root) + "\\" + PROGRAM, windows_path(tree.root / "cwd"), tree.path, f"{tree.defaults:x}",
                 str(int(tree.safe)), *([] if tree.set_directory is None else [tree.set_directory])]
        self.process.stdin.write("\n".join(["\t".join(words), *(step.line() for step in tree.steps), "end"]) + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line == "end\n":
                return lines[1:]
            lines.append(line.rstrip("\n"))
        raise RuntimeError(f"the driver ended in tree {tree.number}")


def describe(tree: Tree, lines: list[str]) -> None:
    print(f"  {tree.root}\n  safe {tree.safe}")
    for path, kind, needs in tree.files:
        print(f"  file {path} ({kind}): {', '.join(needs)}")
    print("  script\n    " + tree.script().replace("\n", "\n    "))
    print("  replay\n    " + "\n    ".join(lines))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--driver", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trees", type=int, default=60)
    parser.add_argument("--only", type=int)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    if lacks := wine_prefix.missing():
        print(f"skipped: this machine lacks {lacks}")
        return SKIPPED
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    program = work / "p.exe"
    subprocess.run([wine_prefix.COMPILER, "-O2", "-s", "-o", program, HERE / "wine_program.c"], check=True)
    trees = work / "trees"
    shutil.rmtree(trees, ignore_errors=True)
    numbers = [arguments.only] if arguments.only is not None else list(range(arguments.trees))
    told, faults = collections.Counter(), []
    with Prefix(work / "prefix") as prefix:
        driver = Driver(arguments.driver, prefix)
        # A part of the trees without SafeDllSearchMode, which processes read when they start.
        unsafe = {number for number in numbers if number % 6 == 5}
        for safe in (True, False):
            chosen = [number for number in numbers if (number not in unsafe) == safe]
            if not chosen:
                continue
            prefix.set_safe_mode(safe)
            made = [Maker(number, arguments.seed, trees / f"t{number}", prefix.windows).make() for number in chosen]
            try:
                for tree in made:
                    tree.safe = safe
                    os.link(program, tree.root / "app/p.exe")
                    (tree.root / "script").write_text(tree.script())
                lines = {tree.number: driver.ask(tree) for tree in made}
                with concurrent.futures.ThreadPoolExecutor(2) as pool:
                    for tree, (found, kinds) in zip(made, pool.map(lambda tree: judge(tree, lines[tree.number], prefix), made)):
                        told += kinds
                        if found:
                            faults.append(tree.number)
                            print(f"tree {tree.number}: {found[0]}")
                            if arguments.only is not None:
                                describe(tree, lines[tree.number])
            finally:
                for tree in made:
                    for path in tree.planted:
                        path.unlink(missing_ok=True)
        prefix.set_safe_mode(True)
    if not arguments.keep:
        shutil.rmtree(trees)
    print(f"{len(numbers)} trees, {len(faults)} differ: {faults}")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(told.items())))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
