"""Fails when a file under src/ includes a layer that the arrows of docs/architecture.md do not allow, uses a system
header outside sense/platform, or asks the preprocessor which system it is compiled for."""

import pathlib
import re
import sys

ALLOWED = {
    "base": {"base"},
    "think/model": {"base", "think/model"},
    "think/knowledge": {"base", "think/model", "think/knowledge"},
    "think/formats": {"base", "think/model", "think/formats"},
    "think/loader": {"base", "think/model", "think/loader"},
    "think/rules": {"base", "think/model", "think/knowledge", "think/loader", "think/formats", "think/rules"},
    "think/routes": {"base", "think/model", "think/knowledge", "think/formats", "think/routes"},
    "think/explain": {"base", "think/model", "think/knowledge", "think/explain"},
    "sense/host": {"base", "think/model", "sense/host"},
    "sense/probes": {"base", "think/model", "think/formats", "think/knowledge", "sense/host", "sense/probes"},
    "sense/platform": {"base", "think/model", "sense/host", "sense/platform"},
    "say/messages": {"base", "think/model", "say/messages"},
    "say/render": {"base", "think/model", "say/messages", "say/render"},
    "say/lock": {"base", "think/model", "say/lock"},
    "commands": {"base", "think/model", "think/knowledge", "think/loader", "think/formats", "think/rules", "think/routes", "think/explain", "say/lock",
                 "sense/host", "sense/probes", "say/messages", "say/render", "commands"},
}
SYSTEM_HEADERS = re.compile(r"#include <(windows|unistd|dlfcn|fcntl|dirent|link|poll|spawn|signal|pthread|sys/[a-z]+|linux/[a-z]+)\.h>")
IMPURE_HEADERS = re.compile(r"#include <(filesystem|fstream|chrono|random|thread|cstdlib|ctime|iostream)>")
PLATFORM_CONDITION = re.compile(r"#\s*(if|ifdef|elif).*(_WIN32|__linux__|__APPLE__)")


def layer_of(path: str) -> str | None:
    return max((layer for layer in ALLOWED if path.startswith(layer + "/")), key=len, default=None)


def faults_of(root: pathlib.Path) -> list[str]:
    source = root / "src"
    faults = []
    for file in sorted(source.rglob("*")):
        if file.suffix not in {".h", ".cpp"}:
            continue
        name = file.relative_to(source).as_posix()
        layer = layer_of(name)
        if layer is None:
            faults.append(f"{name}: lies in no known layer")
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            included = re.match(r'#include "([^"]+)"', line)
            if included:
                target = layer_of(included[1])
                if target is not None and target not in ALLOWED[layer]:
                    faults.append(f"{name}:{number}: {layer} may not include {target}")
            if SYSTEM_HEADERS.match(line) and layer != "sense/platform":
                faults.append(f"{name}:{number}: system header outside sense/platform")
            if layer.startswith(("think/", "say/")) and IMPURE_HEADERS.match(line):
                faults.append(f"{name}:{number}: {layer} is pure and may not use this header")
            if PLATFORM_CONDITION.match(line) and layer != "sense/platform":
                faults.append(f"{name}:{number}: platform condition outside sense/platform")
    return faults


def main() -> int:
    root = pathlib.Path(sys.argv[1])
    files = list((root / "src").rglob("*.cpp"))
    if len(files) < 10:
        print(f"only {len(files)} sources below {root}/src: nothing was checked")
        return 1
    faults = faults_of(root)
    print("\n".join(faults) or f"{len(files)} sources, no forbidden arrow")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
