"""Real reports with known causes judge `gpuway explain`.
    run.py --gpuway GPUWAY [--cases FOLDER] [--only SUBFOLDER] [--list] [--mutations]
FOLDER (default: the folder shared/cases beside this source tree) holds one TOML file per report; of each only `log` is
shown to gpuway. Printed per subfolder, every case counted by the confidence of its label:
  recall at 1 and 3   among those whose cause the text shows: `cause`, `also` or `accept` is first, or among three
  false causes        decided, and the first cause is none of these
  decided in vain     among those whose text does not show the cause: the share that gpuway calls decided
A report of harmless noise counts as right when no cause is named and lines are called harmless.
--list names every miss; --mutations asks again with the text cut, re-wrapped and mixed with other lines: the first cause
must stay the same or the answer say less."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import textwrap

try:
    import tomllib
except ImportError:   # Python 3.10 and older
    from pip._vendor import tomli as tomllib

WEIGHTS = {"confirmed-in-thread": 1.0, "follows-from-docs": 0.8, "likely": 0.5}
NOISE = ["Epoch 3/10", "Requirement already satisfied: six>=1.5 in ./venv/lib (1.16.0)", "100%|##########| 12/12 [00:01<00:00]", "",
         "INFO:root:step 120 loss 0.53"]


def explain(gpuway: str, text: str) -> dict:
    done = subprocess.run([gpuway, "explain", "--json", "-"], input=text.encode("utf-8"), capture_output=True, timeout=60)
    if done.returncode not in (0, 1):
        sys.exit(f"gpuway explain: exit code {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    return json.loads(done.stdout)


def right_causes(truth: dict) -> set:
    return {truth["cause"], *truth.get("also", []), *truth.get("accept", [])}


def names_of(answer: dict) -> list:
    names = [cause["id"] for cause in answer["causes"]]
    return names or (["harmless-noise"] if answer["harmless"] else [])


class Sums:
    def __init__(self):
        self.weight = collections.Counter()
        self.count = collections.Counter()

    def add(self, name: str, weight: float, hit: bool = True) -> None:
        if hit:
            self.weight[name] += weight
            self.count[name] += 1

    def share(self, part: str, whole: str) -> str:
        if not self.count[whole]:
            return "none"
        return f"{100 * self.weight[part] / self.weight[whole]:5.1f} %  ({self.count[part]} of {self.count[whole]} cases)"


def mutations(text: str) -> dict:
    lines = text.splitlines()
    noisy = []
    for number, line in enumerate(lines):
        noisy += [line, NOISE[number % len(NOISE)]]
    wrapped = [part for line in lines for part in (textwrap.wrap(line, 60, break_on_hyphens=False) or [""])]
    hard = [line[at:at + 60] for line in lines for at in range(0, max(len(line), 1), 60)]
    half = len(lines) // 2
    return {"upper half": "\n".join(lines[:half]), "lower half": "\n".join(lines[half:]), "re-wrapped at blanks": "\n".join(wrapped),
            "re-wrapped anywhere": "\n".join(hard), "noise between": "\n".join(noisy)}


def judge_mutations(gpuway: str, text: str, answer: dict) -> list:
    """What a mutation made gpuway say that it had not said of the whole text."""
    whole = {cause["id"] for cause in answer["causes"]}
    faults = []
    for name, changed in mutations(text).items():
        now = explain(gpuway, changed)["causes"]
        if now and now[0]["id"] not in whole:
            faults.append(f"{name}: {now[0]['id']}")
        elif now and "half" not in name and answer["causes"] and now[0]["id"] != answer["causes"][0]["id"]:
            faults.append(f"{name}: {now[0]['id']} before {answer['causes'][0]['id']}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpuway", required=True)
    parser.add_argument("--cases", default=str(pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "cases"))
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--mutations", action="store_true")
    options = parser.parse_args()
    folder = pathlib.Path(options.cases)
    if not folder.is_dir():
        print(f"{folder}: no such folder; nothing was judged. Name one with --cases")
        return 0
    sums = collections.defaultdict(Sums)
    missed, unstable = [], []
    for file in sorted(folder.glob("*/*.toml")):
        group = file.parent.name
        if options.only and group != options.only:
            continue
        case = tomllib.loads(file.read_text(encoding="utf-8"))
        truth = case.get("truth")
        if not truth:
            continue
        text = case.get("log", "")
        answer = explain(options.gpuway, text)
        names, right = names_of(answer), right_causes(truth)
        weight = WEIGHTS.get(truth.get("confidence"), 0.5)
        first, three = bool(names) and names[0] in right, bool(right & set(names[:3]))
        for sum_of in (sums[group], sums["all"]):
            sum_of.add("all", weight)
            sum_of.add("false", weight, answer["decided"] and not first)
            if truth.get("decidable_from_log"):
                sum_of.add("decidable", weight)
                sum_of.add("at-1", weight, first)
                sum_of.add("at-3", weight, three)
                sum_of.add("left-open", weight, not answer["decided"])
            else:
                sum_of.add("open", weight)
                sum_of.add("decided-open", weight, answer["decided"])
        wrong = answer["decided"] and not first
        if wrong or (truth.get("decidable_from_log") and not first) or (not truth.get("decidable_from_log") and answer["decided"]):
            kind = "false" if wrong else "missed" if truth.get("decidable_from_log") else "decided in vain"
            missed.append(f"{kind}: {group}/{file.stem}: {truth['cause']}, said {', '.join(names[:3]) or 'nothing'}")
        if options.mutations:
            unstable += [f"unstable: {group}/{file.stem}: {fault}" for fault in judge_mutations(options.gpuway, text, answer)]
    if not sums:
        print(f"{folder}: no case in it; nothing was judged")
        return 1
    if options.list:
        print("\n".join(sorted(missed)))
    for group in sorted(sums, key=lambda name: (name == "all", name)):
        one = sums[group]
        print(f"{group}: {one.count['all']} cases")
        print(f"  right cause first, of those decidable from the text   {one.share('at-1', 'decidable')}")
        print(f"  right cause among three                               {one.share('at-3', 'decidable')}")
        print(f"  decidable, left open                                  {one.share('left-open', 'decidable')}")
        print(f"  false causes                                          {one.share('false', 'all')}")
        print(f"  not decidable, decided all the same                   {one.share('decided-open', 'open')}")
    if options.mutations:
        print("\n".join(unstable) or "every mutation: the same first cause, or less said")
    return 0


if __name__ == "__main__":
    sys.exit(main())
