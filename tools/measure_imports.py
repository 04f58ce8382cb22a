#!/usr/bin/env python3
"""Measures what `import FRAMEWORK` needs, by asking the real interpreter. Prints one row of data/tables/imports.toml.

    measure_imports.py PYTHON MODULE [--what hard,removed,shadows] [--framework NAME] [--version V]

PYTHON is an interpreter of an environment in which `import MODULE` works.

hard     Every third-party module is blocked; the first one that makes the import fail is freed; repeated until the import
         works. What was freed is what the import cannot do without. (One short run per module.)
removed  Each third-party module is taken away alone. A module that only breaks the import here, and is not in `hard`, is
         needed by another optional module that was there.
shadows  For each top-level name that the import looks for on the search path (standard library included), what an empty
         `NAME.py` in front of everything does. Done by forking the process at the moment the name is first asked for:
         from there on the fork is exactly a process in which the empty file had won.

Nothing of the measuring code may load a module that the interpreter has not loaded at its start, because that would hide
the module from the search; so the code that runs inside uses builtins only.
"""
import argparse
import ast
import collections
import datetime
import os
import subprocess
import sys
import tempfile

INSIDE = r"""
import sys, os
what, module, blocked, asked_order, first = MODE, MODULE, set(BLOCKED), [], {}
_own_top = OWN
builtin_finder, frozen_finder, path_finder = [f for f in sys.meta_path if getattr(f, '__name__', '') in
                                              ('BuiltinImporter', 'FrozenImporter', 'PathFinder')]
ModuleSpec = type(sys.__spec__)
started_with = sorted(sys.modules)

class Empty:
    def create_module(self, spec): return None
    def exec_module(self, module): pass

def unit(name):
    # `google` and `jax_plugins` are namespaces: the part that can be removed is one level below.
    parts = name.split('.')
    return '.'.join(parts[:2]) if parts[0] in ('google', 'jax_plugins') else parts[0]

def report(text):
    os.write(FD, (repr(text) + '\n').encode())

class Finder:
    child = None
    def find_spec(self, name, path=None, target=None):
        key = unit(name)
        if self.child == key and what == 'shadows':
            return ModuleSpec(name, Empty()) if name == key else None
        if self.child == key or key in blocked:
            asked_order.append(key)
            return None  # and Searcher below finds nothing: absence, seen by `import` and by importlib.util.find_spec
        if key in first or key in _own_top or name != key:
            return None
        if builtin_finder.find_spec(name) or frozen_finder.find_spec(name):
            first[key] = ('builtin', '')
            return None
        spec = path_finder.find_spec(name, path)
        origin = '' if spec is None else (spec.origin or 'namespace')
        first[key] = ('missing' if spec is None else 'path', origin)
        third = '-packages' in origin or spec is None or origin == 'namespace'
        if what in ('shadows', 'removed') and self.child is None and (what == 'shadows' or third):
            if what == 'removed' and spec is None:
                return None
            if what == 'shadows' and '.' in key:
                return None
            child = os.fork()
            if child == 0:
                Finder.child = key
                return self.find_spec(name, path, target)
            status = os.waitpid(child, 0)[1]
            report((key, os.waitstatus_to_exitcode(status) if hasattr(os, 'waitstatus_to_exitcode') else status >> 8))
        return None

class Searcher:
    # Stands in the place of PathFinder.
    def find_spec(self, name, path=None, target=None):
        key = unit(name)
        if key in blocked or (what == 'removed' and Finder.child == key):
            return None
        return path_finder.find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(path_finder)] = Searcher()
sys.meta_path.insert(0, Finder())
error = None
try:
    __import__(module)
except BaseException as e:
    error = e
if Finder.child is not None:
    os._exit(0 if error is None else 1)
name = ''
if error is not None:
    seen = error
    while seen is not None:
        if isinstance(seen, ModuleNotFoundError) and seen.name and unit(seen.name) in blocked:
            name = unit(seen.name)
        seen = seen.__cause__ or seen.__context__
    if not name and asked_order:
        name = asked_order[-1]
report(('end', None if error is None else '%s: %s' % (type(error).__name__, error), name, first, started_with))
os._exit(0)
"""


def run_inside(python, module, mode, blocked=(), own=(), timeout=3600):
    """Runs the import once; returns (forks, end) as INSIDE reported them."""
    reader, writer = os.pipe()
    code = "MODE, MODULE, BLOCKED, OWN, FD = %r, %r, %r, %r, %d\n%s" % (
        mode, module, sorted(blocked), sorted(own), writer, INSIDE)
    env = dict(os.environ, CUDA_VISIBLE_DEVICES="", TF_CPP_MIN_LOG_LEVEL="3", PYTHONDONTWRITEBYTECODE="")
    env.pop("PYTHONPATH", None)
    with tempfile.TemporaryDirectory() as empty:
        process = subprocess.Popen([python, "-c", code], cwd=empty, env=env, pass_fds=[writer],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(writer)
        lines = []
        with os.fdopen(reader, encoding="utf-8") as answers:
            for line in answers:
                lines.append(ast.literal_eval(line))
        process.wait(timeout=timeout)
    ends = [line for line in lines if line[0] == "end"]
    return [line for line in lines if line[0] != "end"], (ends[-1] if ends else None)


def hard_modules(python, module, own, third):
    """Blocks everything, frees what is needed, until the import works. A freed module may need others of its own."""
    hard, blocked = [], set(third)
    for _ in range(len(third) + 1):
        _, end = run_inside(python, module, "hard", blocked, own)
        if end is None:
            raise SystemExit("the interpreter died while measuring with %d modules blocked" % len(blocked))
        if end[1] is None:
            return sorted(hard)
        culprit = end[2]
        if not culprit or culprit not in blocked:
            raise SystemExit("the import fails and no blocked module is to blame: " + end[1])
        blocked.discard(culprit)
        hard.append(culprit)
    raise SystemExit("no end")


def toml_list(key, names, width=116):
    text, lines = "%s = [" % key, []
    for name in names:
        piece = '"%s", ' % name
        if len(text) + len(piece) > width:
            lines.append(text.rstrip())
            text = "  "
        text += piece
    lines.append(text.rstrip(" ,") + "]")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python")
    parser.add_argument("module")
    parser.add_argument("--what", default="hard,removed,shadows")
    parser.add_argument("--framework")
    parser.add_argument("--version", default="")
    parser.add_argument("--own", default="", help="further top-level names that belong to the framework itself")
    options = parser.parse_args()
    options.python = os.path.abspath(options.python)  # not resolved: a venv is known by its link
    own = {options.module} | set(filter(None, options.own.split(",")))
    what = options.what.split(",")

    _, base = run_inside(options.python, options.module, "trace", (), own)
    if base is None or base[1] is not None:
        raise SystemExit("`import %s` does not work here: %s" % (options.module, base and base[1]))
    first = base[3]
    third = sorted(k for k, (kind, where) in first.items()
                   if kind == "path" and ("-packages" in where or where == "namespace") and k not in own
                   and k not in ("google", "jax_plugins"))
    version = subprocess.run([options.python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                             capture_output=True, text=True, check=True).stdout.strip()
    row = ["[[import]]", 'framework = "%s"' % (options.framework or options.module), 'from = "%s"' % options.version,
           'python = "%s"' % version]
    if "hard" in what:
        row.append(toml_list("hard", hard_modules(options.python, options.module, own, third)))
    if "removed" in what:
        forks, end = run_inside(options.python, options.module, "removed", (), own)
        row.append(toml_list("removed_alone", sorted(k for k, code in forks if code != 0)))
        row.append(toml_list("optional", sorted(k for k, code in forks if code == 0)))
    if "shadows" in what:
        forks, end = run_inside(options.python, options.module, "shadows", (), own)
        by = collections.defaultdict(list)
        for key, code in forks:
            by["breaks" if code == 1 else "harmless" if code == 0 else "dies"].append(key)
        row.append(toml_list("shadow_breaks", sorted(by["breaks"])))
        row.append(toml_list("shadow_harmless", sorted(by["harmless"])))
        if by["dies"]:
            row.append(toml_list("shadow_dies", sorted(by["dies"])))
    row.append('source = "measured with tools/measure_imports.py"')
    row.append('checked = "%s"' % datetime.date.today().isoformat())
    print("\n".join(row))


if __name__ == "__main__":
    main()
