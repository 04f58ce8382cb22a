"""Asks the framework and gpuway inside one box, and says where they differ."""

import hashlib
import json
import os
import re
import sys

import box as boxes
import environments
import stubs

HERE = os.path.dirname(os.path.abspath(__file__))
# Requests whose failure TensorFlow's log tells and which decide nothing.
_DECIDES_NOTHING = re.compile(r"lib(nvinfer|nvinfer_plugin|nccl|cupti|nvshmem|nvrtc)")
_LOAD_FAILURE = re.compile(r"Could not load dynamic library '([^']+)'; dlerror: (.*)")
_CANNOT_OPEN = re.compile(r"(lib[\w.+-]+\.so[\w.]*): cannot open shared object file")
_LIMIT_S = {"fast": 60, "python": 300}


def missed_libraries(framework, text):
    """What the loader missed, as the framework's own log tells it: [{asked, library}]."""
    found = []
    for asked, error in _LOAD_FAILURE.findall(text):
        if _DECIDES_NOTHING.match(asked):
            continue
        deepest = _CANNOT_OPEN.search(error)
        found.append({"asked": asked, "library": deepest.group(1) if deepest else None, "error": error.split("; LD_LIBRARY_PATH")[0][:300]})
    if framework in ("pytorch", "onnxruntime"):
        for name in _CANNOT_OPEN.findall(text):
            if not any(miss["library"] == name for miss in found):
                found.append({"asked": name, "library": name, "error": "cannot open shared object file"})
    unique = []
    for miss in found:
        if miss not in unique:
            unique.append(miss)
    return unique


def ask_framework(box, environment, scenario, work):
    """The framework's own answer; call it inside the box."""
    variables = box.environment(scenario)
    python = os.path.join(box.prefix, "bin", "python")
    if environment.engine == "tensorflow":
        variables.update(TF_CPP_VMODULE="dso_loader=1", TF_CPP_MIN_LOG_LEVEL="0")
    if scenario["question"] == "fast":
        target = os.path.join(box.site, "tensorflow")
        if environment.release < (2, 11):
            command = [python, "-I", "-S", os.path.join(HERE, "ask", "tf_fast.py"), target]
        else:
            command = [os.path.join(work, "bin", "tf_fast"), target]
    else:
        with open(os.path.join(HERE, "ask", "question.py"), encoding="utf-8") as file:
            command = [python, "-c", file.read(), environment.framework]
    code, out, err = boxes.run(command, variables, box.names["cwd"], scenario.get("limit_s", _LIMIT_S[scenario["question"]]),
                               scenario.get("plain_rights", False))
    lines = [line for line in out.splitlines() if line.startswith("{")]
    answer = {"imports": "no", "sees_gpu": "no", "device_count": 0}
    if lines:
        answer.update(json.loads(lines[-1]))
    if code is None:
        answer["sees_gpu"] = "hangs"
        answer["imports"] = "yes" if lines else "hangs"
    elif code < 0:
        answer.update(sees_gpu="crashes", signal=-code, device_count=0, imports="yes" if lines else "crashes")
    elif code and lines:  # some releases end by exit() where others abort
        answer.update(sees_gpu="crashes", exit_code=code, device_count=0)
    elif code and not lines:
        answer["error"] = f"exit code {code}"
        answer["void"] = code == 127 and "error while loading shared libraries" in err  # LD_PRELOAD: no program starts here
    answer["missed"] = missed_libraries(environment.engine, err)
    answer["log"] = err[-6000:]
    return answer


def ask_gpuway(box, environment, scenario, gpuway):
    """gpuway's chain for this framework, or {"failed": why}; call it inside the box."""
    command = [gpuway, "check", "--json", "--env", box.prefix, "--framework", environment.framework]
    code, out, err = boxes.run(command, box.environment(scenario), box.names["cwd"], 120, scenario.get("plain_rights", False))
    if code is None or code < 0:
        return {"failed": f"gpuway {'ran past 120 s' if code is None else f'died of signal {-code}'}", "log": err[-2000:]}
    try:
        document = json.loads(out)
    except ValueError:
        return {"failed": f"no JSON, exit code {code}", "log": (out[-500:] + err[-1500:])}
    chains = [c for c in document.get("chains", []) if c.get("framework") == environment.framework]
    if not chains:
        return {"failed": "no chain for the framework", "log": err[-2000:]}
    chain = chains[0]
    keys = set(chain.get("findings", []))
    about = [f for f in document.get("findings", []) if f.get("key") in keys or f.get("chain") == document["chains"].index(chain)]
    return {"imports": chain.get("imports"), "sees_gpu": chain.get("sees_gpu"), "device_count": chain.get("device_count"),
            "cause": chain.get("cause"), "links": {link["id"]: link["state"] for link in chain.get("links", []) if link.get("state") != "ok"},
            "missing": chain.get("missing", []),
            "findings": [{"id": f.get("id"), "severity": f.get("severity"), "evidence": f.get("evidence", [])[:3]} for f in about]}


def differences(scenario, truth, said):
    """Every disagreement as (kind, sentence)."""
    if truth.get("void"):
        return []
    if "failed" in said:
        return [("failed", said["failed"])]
    found = []
    environment = environments.ENVIRONMENTS[scenario["env"]]
    crashed_import = truth["imports"] in ("crashes", "hangs")
    fits = {"other": ("yes", "no"), "hangs": ("undetermined",)}.get(truth["imports"], (truth["imports"],))
    if scenario["question"] == "python" and said["imports"] not in fits:
        found.append(("imports", f"imports: framework {truth['imports']}, gpuway {said['imports']}"))
    accepted = {truth["sees_gpu"]}
    if truth["sees_gpu"] == "hangs":
        accepted = {"undetermined", "crashes", "no"}
    elif crashed_import:
        accepted = {"crashes", "no"}
    # The vendor's runtime refuses the driver double: only imports, missing libraries and false alarms can be judged there.
    refused = environment.real and environment.engine != "tensorflow" and truth["sees_gpu"] == "no" and not truth["missed"]
    if said["sees_gpu"] not in accepted and not refused:
        found.append(("sees_gpu", f"sees the GPU: framework {truth['sees_gpu']}"
                                  f"{' (signal %d)' % truth['signal'] if truth.get('signal') else ''}, gpuway {said['sees_gpu']}"))
    named = {miss["library"] for miss in said["missing"] if miss.get("effect") != "harmless"}
    if truth["sees_gpu"] == "yes":
        if named:
            found.append(("alarm", f"the framework sees the GPU; gpuway misses {', '.join(sorted(named))}"))
        counts = not scenario["env"].startswith("ort-")  # a session has a provider or not; it counts no devices
        if counts and truth.get("device_count") and said.get("device_count") != truth["device_count"]:
            found.append(("count", f"devices: framework {truth['device_count']}, gpuway {said.get('device_count')}"))
    errors = [f["id"] for f in said["findings"] if f["severity"] == "error"]
    if errors and scenario["alarm_free"] and (truth["sees_gpu"] == "yes" or refused):
        found.append(("alarm", f"healthy machine, but error findings {', '.join(errors)}"))
    for miss in truth["missed"] if truth["sees_gpu"] in ("no", "crashes") else []:
        wanted = {miss["library"]} if miss["library"] else {miss["asked"], *re.findall(r"lib[\w.+-]+\.so[\w.]*", miss["error"])}
        if not wanted & named:
            found.append(("missing", f"the loader missed {' or '.join(sorted(wanted))} ({miss['error']}); gpuway named {sorted(named)}"))
    return found


def fast_differences(scenario, work, hidden, digest):
    """Asks the fast and the Python question on one machine; they must answer alike. Returns a sentence or None."""
    answers = []
    for question in ("fast", "python"):
        result = judge({**scenario, "question": question}, work, hidden, None, digest)
        if "rig" in result:
            return f"rig: {result['rig']}"
        answers.append({k: result["framework"].get(k) for k in ("sees_gpu", "device_count", "signal")})
    return None if answers[0] == answers[1] else f"{scenario['id']} {scenario['env']} {scenario['tags']}: fast {answers[0]}, Python {answers[1]}"


def sources_digest():
    """Changes whenever a framework answer kept from an earlier run may no longer hold: {question: digest}."""
    names = [os.path.join(folder, name) for folder in ("double", "data") for name in sorted(os.listdir(os.path.join(HERE, folder)))]
    names += ["stubs.py", "box.py"]
    found = {}
    for question, own in (("fast", ["tf_fast.c", "tf_fast.py"]), ("python", ["question.py"])):
        digest = hashlib.sha256(b"2")  # counts up when ask_framework takes another answer from the same words
        for name in [*names, *(os.path.join("ask", part) for part in own)]:
            with open(os.path.join(HERE, name), "rb") as file:
                digest.update(file.read())
        found[question] = digest.hexdigest()
    return found


def answer_key(scenario, environment, digest, work):
    content = {k: v for k, v in scenario.items() if k not in ("id", "tags", "alarm_free")}
    packages = [environment.python, environment.packages, environment.bare]
    text = json.dumps(content)
    stood_in = []  # what each set of stand-ins exports depends on the environments that are there
    for name in sorted(stubs.SETS):
        if f'"{name}"' in text or f"{{stubs}}/{name}/" in text:
            with open(os.path.join(work, "stubs", name, "built"), encoding="utf-8") as file:
                stood_in.append(file.read())
    return hashlib.sha256(json.dumps([content, packages, stood_in, digest[scenario["question"]]], sort_keys=True).encode()).hexdigest()[:32]


def judge(scenario, work, hidden, gpuway, digest, fresh=False):
    """Runs one scenario in a child process; returns {scenario, framework, gpuway, differences}."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        try:
            result = _inside(scenario, work, hidden, gpuway, digest, fresh)
        except BaseException as error:  # told to the parent, which reports it as a failure of the rig
            result = {"rig": f"{type(error).__name__}: {error}"}
        with os.fdopen(writer, "w", encoding="utf-8") as file:
            json.dump(result, file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as file:
        text = file.read()
    os.waitpid(child, 0)
    result = json.loads(text) if text else {"rig": "the child gave no answer"}
    result["scenario"] = scenario
    if "framework" in result and result.get("gpuway"):
        result["differences"] = differences(scenario, result["framework"], result["gpuway"])
    return result


def _inside(scenario, work, hidden, gpuway, digest, fresh):
    environment = environments.ENVIRONMENTS[scenario["env"]]
    kept = os.path.join(work, "answers", answer_key(scenario, environment, digest, work) + ".json")
    truth = None
    if os.path.exists(kept) and not fresh:
        with open(kept, encoding="utf-8") as file:
            truth = json.load(file)
        if not gpuway:
            return {"framework": truth, "gpuway": None}
    box = boxes.Box(work, environment.prefix(work), hidden)
    box.enter(scenario)
    if truth is None:
        truth = ask_framework(box, environment, scenario, work)
        with open(f"{kept}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump(truth, file)
        os.rename(f"{kept}.{os.getpid()}", kept)
    said = ask_gpuway(box, environment, scenario, gpuway) if gpuway else None
    return {"framework": truth, "gpuway": said}


if __name__ == "__main__":
    sys.exit("use run.py")
