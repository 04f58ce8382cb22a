#!/usr/bin/env python3
"""At least a third of all machines must yield no alarm, and every case must say why its answer is the right one."""

import glob
import json
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
quiet, faults = 0, []
cases = sorted(glob.glob(os.path.join(here, "*", "case.json")))
used = set()
for path in cases:
    folder = os.path.dirname(path)
    case = json.load(open(path, encoding="utf-8"))
    answer = json.load(open(os.path.join(folder, "answer.json"), encoding="utf-8"))
    used |= {layer if isinstance(layer, str) else layer["part"] for layer in case["layers"]}
    if len(case["source"]) < 20:
        faults.append(f"{folder}: source does not say why")
    if "findings" not in answer or "chains" not in answer:
        faults.append(f"{folder}: answer.json has to name all findings and chains")
    quiet += all(finding["severity"] == "note" for finding in answer.get("findings", []))
parts = {os.path.basename(path)[:-5] for path in glob.glob(os.path.join(here, "parts", "*.json"))}
faults += [f"parts/{name}.json is in no machine" for name in sorted(parts - used)]
if 3 * quiet < len(cases):
    faults.append(f"only {quiet} of {len(cases)} machines are healthy or harmlessly odd")
print("\n".join(faults) or f"{len(cases)} machines, {quiet} without an alarm")
sys.exit(1 if faults else 0)
