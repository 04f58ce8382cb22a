#!/usr/bin/env python3
"""Runs gpuway against bad input. See README.md.

usage: run.py --gpuway PATH [--big] [--only WORD] [--list] [--sanitized]
"""

import argparse
import pathlib
import sys
import time
import traceback

import cases_big
import cases_driver
import cases_files
import cases_layouts
import cases_names
import cases_process
import cases_root
import cases_snapshot
from box import Box, Wrong

MODULES = (cases_files, cases_layouts, cases_names, cases_process, cases_driver, cases_snapshot, cases_root, cases_big)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpuway", required=True)
    parser.add_argument("--big", action="store_true", help="also the cases that need minutes or many files")
    parser.add_argument("--only", default="", help="only cases whose name holds WORD")
    parser.add_argument("--sanitized", action="store_true", help="PATH is of the preset asan: wider limits")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    cases = [case for module in MODULES for case in module.CASES if options.only in case.name and (options.big or not case.big)]
    if options.list:
        print("\n".join(case.name for case in cases))
        return 0
    program = pathlib.Path(options.gpuway).resolve()
    failed = []
    for case in cases:
        box = Box(program, case.seconds, case.memory_mib, options.sanitized)
        start = time.monotonic()
        try:
            case.function(box)
            if box.runs == 0:
                raise Wrong("the case ran nothing")
            word = "ok"
        except Wrong as fault:
            failed.append(case.name)
            word = f"WRONG: {fault}"
        except Exception:
            failed.append(case.name)
            word = "BROKEN CASE: " + traceback.format_exc()
        finally:
            box.close()
        print(f"{case.name:<52} {box.runs:>3} runs, slowest {box.slowest:6.2f} s, most {box.largest:>4} MiB, "
              f"whole {time.monotonic() - start:5.1f} s  {word}", flush=True)
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
