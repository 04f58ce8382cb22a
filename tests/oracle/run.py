#!/usr/bin/env python3
"""The real frameworks judge gpuway: generated broken machines, the framework's answer and gpuway's, side by side.

See README.md beside this file. Exit code: 0 all agree, 1 a disagreement, 2 the rig itself failed."""

import argparse
import collections
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import box  # noqa: E402
import environments  # noqa: E402
import faults_wider  # noqa: E402
import judge  # noqa: E402
import scenarios  # noqa: E402
import stubs  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SMOKE = ["tf-2.18.1", "tf-2.21.0", "ort-1.31.1"]


def smoke_environments():
    """Those of the small selection for which this machine has a Python; at least one, or the rig has failed."""
    names = [n for n in SMOKE if environments.find_python(environments.ENVIRONMENTS[n].python)]
    for name in SMOKE:
        if name not in names:
            print(f"left out: {name} needs Python {environments.ENVIRONMENTS[name].python}, which is not on this machine")
    if not names:
        raise SystemExit(2)
    return names


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gpuway", help="the program to judge")
    parser.add_argument("--work", default=os.path.join(HERE, "..", "..", "build", "oracle"), help="folder for environments, stubs, kept answers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--family", default="tf,torch,jax,ort,keras", help="which frameworks")
    parser.add_argument("--env", help="only these environments, by name")
    parser.add_argument("--fast-only", action="store_true", help="only the question that needs no Python")
    parser.add_argument("--smoke", action="store_true", help="the small selection for every test run")
    parser.add_argument("--real", action="store_true", help="also the environment with the vendor's own libraries (2.7 GB)")
    parser.add_argument("--answers-only", action="store_true", help="ask the frameworks, not gpuway")
    parser.add_argument("--fresh", action="store_true", help="do not use kept framework answers")
    parser.add_argument("--check-fast", action="store_true", help="only compare TensorFlow's fast question with its Python one, on COUNT machines")
    parser.add_argument("--no-self-check", action="store_true", help="skip the healthy baselines")
    parser.add_argument("--only", help="one scenario by its id (SEED-INDEX, baseline-…)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", help="write every scenario with both answers to this file")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def prepare(work, names):
    """Environments, stubs, doubles and helpers; nothing is made twice."""
    for folder in ("bin", "answers", "caches", "stubs"):
        os.makedirs(os.path.join(work, folder), exist_ok=True)
    stubs.build_driver(os.path.join(work, "driver"))
    stubs.build_wrong(os.path.join(work, "wrong"))
    helper, source = os.path.join(work, "bin", "tf_fast"), os.path.join(HERE, "ask", "tf_fast.c")
    if not os.path.exists(helper) or os.path.getmtime(helper) < os.path.getmtime(source):
        subprocess.run(["gcc", "-O1", "-Wall", "-Wextra", "-o", helper, source], check=True)
    empty = os.path.join(work, "wrong", "empty")
    os.makedirs(empty, exist_ok=True)
    sonames = {s for table in stubs.SETS.values() for group in table.values() for s in group} | {"libcuda.so.1", "libnvidia-ml.so.1"}
    for soname in sonames:
        if not os.path.exists(os.path.join(empty, soname)):
            stubs.build_plain(os.path.join(empty, soname), soname)
    for name in names:
        environment = environments.ENVIRONMENTS[name]
        started = time.time()
        environments.build(work, environment)
        if time.time() - started > 3:
            print(f"built {name} in {time.time() - started:.0f} s", file=sys.stderr)
    # A set serves all environments that are there, not only those of this run: what it exports must not depend on the
    # order in which they were built, or a kept answer would belong to another library.
    for name in sorted({environments.ENVIRONMENTS[n].set for n in names}.union(faults_wider.SETS_AROUND) - {""}):
        sites = {}
        for environment in environments.ENVIRONMENTS.values():
            prefix = environment.prefix(work)
            if environment.set == name and os.path.exists(os.path.join(prefix, "oracle-built")):
                sites[environment.name] = box.Box(work, prefix, []).site
        stubs.build_set(name, sites, os.path.join(work, "stubs", name))


    for name in names:
        if environments.ENVIRONMENTS[name].real:
            scenarios.find_real_libraries(name, box.Box(work, environments.ENVIRONMENTS[name].prefix(work), []).site)


def is_sound(result):
    """Whether the right machine of an environment got the answer that shows that the doubles work."""
    environment, truth = environments.ENVIRONMENTS[result["scenario"]["env"]], result.get("framework", {})
    refused = environment.real and environment.engine != "tensorflow"  # the vendor's runtime wants the vendor's driver
    return truth.get("imports") == "yes" and (refused or truth.get("sees_gpu") == ("no" if environment.cpu else "yes"))


def describe(result):
    """One disagreement, with both answers and the way to see it again."""
    scenario, truth, said = result["scenario"], result["framework"], result["gpuway"]
    lines = [f"{scenario['id']}  {scenario['env']} ({scenario['question']} question)  {'; '.join(scenario['tags']) or 'nothing done'}"]
    lines += [f"    {kind}: {text}" for kind, text in result["differences"]]
    lines.append("    framework  " + json.dumps({k: v for k, v in truth.items() if k != "log"}))
    lines.append("    gpuway     " + json.dumps(said)[:1500])
    return "\n".join(lines)


def table(results):
    """Counts by environment and question."""
    rows = collections.OrderedDict()
    for result in results:
        if "framework" not in result:
            continue
        row = rows.setdefault((result["scenario"]["env"], result["scenario"]["question"]), collections.Counter())
        row["all"] += 1
        row["gpu " + result["framework"]["sees_gpu"]] += 1
        row["import " + result["framework"]["imports"]] += 1
        row["differ"] += bool(result.get("differences"))
    print(f"{'environment':<18}{'question':<9}{'scenarios':>9}{'gpu yes':>9}{'no':>6}{'crash':>7}{'hang':>6}{'no import':>11}{'differ':>8}")
    total = collections.Counter()
    for (name, question), row in sorted(rows.items()):
        total.update(row)
        _print_row(name, question, row)
    _print_row("all", "", total)


def _print_row(name, question, row):
    print(f"{name:<18}{question:<9}{row['all']:>9}{row['gpu yes']:>9}{row['gpu no']:>6}{row['gpu crashes']:>7}{row['gpu hangs']:>6}"
          f"{row['import no'] + row['import crashes'] + row['import other']:>11}{row['differ']:>8}")


def main():
    chosen = options()
    work = os.path.realpath(chosen.work)
    gpuway = None if chosen.answers_only or not chosen.gpuway else os.path.realpath(chosen.gpuway)
    if not gpuway and not chosen.answers_only and not chosen.check_fast:
        sys.exit("run.py: --gpuway PATH, or --answers-only")
    if any(path.startswith(box.SCRATCH + "/") for path in (work, HERE, gpuway or "")):
        sys.exit(f"run.py: nothing may lie under {box.SCRATCH}, where each scenario has its own files")
    if chosen.smoke and (reason := box.refusal()):
        print(f"skipped: the scenarios need a mount namespace of their own, which this machine does not allow: {reason}")
        return 77
    families = chosen.family.split(",")
    names = smoke_environments() if chosen.smoke else [n for n in environments.ENVIRONMENTS if chosen.real or not environments.ENVIRONMENTS[n].real]
    if chosen.env:
        names = chosen.env.split(",")
    names = [n for n in names if scenarios.SHORT.get(environments.ENVIRONMENTS[n].framework, environments.ENVIRONMENTS[n].framework) in families]
    if chosen.smoke:
        chosen.count = 60 if chosen.count == 100 else chosen.count
    prepare(work, names)
    checks = [] if chosen.no_self_check else scenarios.baselines(names)
    if chosen.fast_only:
        checks = [c for c in checks if c["question"] == "fast"]
    todo = checks + [scenarios.make(chosen.seed, i, families, names, chosen.fast_only) for i in range(chosen.count)]
    if chosen.smoke:  # Python's question of TensorFlow takes 7 s and more: only its baselines here
        todo = [s for s in todo if s["question"] == "fast" or s["env"].startswith("ort") or s["id"] == "baseline-tf-2.18.1-python"]
    if chosen.only:
        todo = [s for s in todo if s["id"] == chosen.only]
        if not todo:
            sys.exit(f"run.py: no scenario {chosen.only} with these options (give the seed, count, families and environments of that run)")
    for overlay in sorted({s["overlay"] for s in todo if s.get("overlay")}):
        environments.build_overlay(work, overlay)
    digest, hidden = judge.sources_digest(), box.nvidia_folders()
    results, started = [], time.time()
    if chosen.check_fast:
        fast = [s for s in todo if s["question"] == "fast" and environments.ENVIRONMENTS[s["env"]].set and not s.get("limit_s")]
        with ProcessPoolExecutor(chosen.jobs) as pool:
            waiting = [pool.submit(judge.fast_differences, s, work, hidden, digest) for s in fast]
            found = [sentence for sentence in (future.result() for future in waiting) if sentence]
        print("\n".join([*found, f"{len(fast)} machines asked both ways in {time.time() - started:.0f} s, {len(found)} differ"]))
        return 1 if found else 0
    with ProcessPoolExecutor(chosen.jobs) as pool:
        waiting = [pool.submit(judge.judge, s, work, hidden, gpuway, digest, chosen.fresh) for s in todo]
        for number, future in enumerate(waiting):
            results.append(future.result())
            if time.time() - started > 1 and sys.stderr.isatty():
                print(f"\r{number + 1}/{len(todo)}", end="", file=sys.stderr)
    return report(results, chosen, time.time() - started)


def report(results, chosen, seconds):
    broken = [r for r in results if "rig" in r]
    for result in broken[:10]:
        print(f"rig failed at {result['scenario']['id']} {result['scenario']['tags']}: {result['rig']}")
    unhealthy = [r for r in results if r["scenario"]["id"].startswith("baseline-") and not is_sound(r)]
    for result in unhealthy:
        print(f"SELF-CHECK FAILED: {result['scenario']['id']}: this is not the framework's answer on the right machine")
        print("    " + json.dumps(result.get("framework", {}))[:3000])
    differ = [r for r in results if r.get("differences")]
    for result in differ:
        print(describe(result))
    if chosen.verbose:
        for result in results:
            print(json.dumps(result, indent=1))
    if chosen.json:
        with open(chosen.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    table(results)
    kinds = collections.Counter(kind for r in differ for kind in {k for k, _ in r["differences"]})
    print(f"{len(results)} scenarios in {seconds:.0f} s, {len(differ)} disagree {dict(kinds) if kinds else ''}")
    if differ:
        print("one again: add --only ID --verbose to the same command")
    return 2 if broken or unhealthy else 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
