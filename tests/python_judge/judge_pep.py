"""Sets gpuway's PEP 440/508 reader beside the `packaging` library on generated inputs.

usage: judge_pep.py DRIVER [--count N] [--seed N]

The generators make mostly valid texts, near-valid ones (one piece dropped, doubled or replaced) and the corners that
people meet: local labels, wildcards, epochs, long numbers, pre-releases of the version compared with.
"""
import argparse
import json
import random
import subprocess
import sys
from collections import Counter

try:
    from packaging import tags, utils
    from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version
except ImportError:
    print("no `packaging` here; run through ./dev test, which makes an environment with tests/requirements.txt")
    sys.exit(77)

VARIABLES = ["os_name", "sys_platform", "platform_machine", "platform_python_implementation", "platform_release",
             "platform_system", "platform_version", "python_version", "python_full_version", "implementation_name",
             "implementation_version"]
OLD_VARIABLES = ["os.name", "sys.platform", "platform.version", "platform.machine", "platform.python_implementation",
                 "python_implementation"]


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability):
        return self.random.random() < probability

    def number(self):
        return self.pick("0", "1", "2", "3", "9", "10", "11", "00", "01", "20240101", "18446744073709551616",
                         "340282366920938463463374607431768211457")

    def release(self):
        return ".".join(self.pick("0", "1", "1", "2", "3", "10", self.number()) for _ in range(self.random.randint(1, 4)))

    def label(self, words):
        separator = lambda: self.pick("", "", "", ".", "-", "_")
        word = self.pick(*words)
        if self.chance(0.1):
            word = self.pick(word.upper(), word.title())
        number = self.pick("", "0", "1", "2", self.number())
        return separator() + word + separator() + number

    def version(self, local=True):
        text = self.pick("", "", "", "v", "V") + (self.number() + "!" if self.chance(0.08) else "") + self.release()
        if self.chance(0.3):
            text += self.label(["a", "b", "c", "rc", "alpha", "beta", "pre", "preview"])
        if self.chance(0.25):
            text += "-" + self.number() if self.chance(0.3) else self.label(["post", "rev", "r"])
        if self.chance(0.25):
            text += self.label(["dev"])
        if local and self.chance(0.25):
            text += "+" + self.pick(".", "-", "_").join(
                self.pick("cu118", "cpu", "abc", "1", "5", "10", "07", "CU121", "g1234", "rocm6", "a")
                for _ in range(self.random.randint(1, 3)))
        if self.chance(0.05):
            text = self.pick(" ", "\t", "\n", "") + text + self.pick(" ", "\n", "\r\n", "\f", "")
        return text

    def near(self, text):
        """The text with one fault, or as it is."""
        if not text or not self.chance(0.15):
            return text
        at = self.random.randrange(len(text))
        return self.pick(text[:at] + text[at + 1:], text[:at] + text[at] + text[at:], text[:at] + self.pick(*".-_+!*~ vx1,;()[]@\"'=<>") + text[at + 1:])

    def neighbour(self, text):
        """A version close to `text`, where the operators have their corners."""
        try:
            base = Version(text)
        except InvalidVersion:
            return self.version()
        release = ".".join(map(str, base.release))
        return self.pick(base.public, base.base_version, release + ".0", base.public + "+cu118", release + "rc1", release + ".post1",
                         release + ".dev1", release + ".post1.dev0", release + "a1.post0", release + ".1", str(base) + ".5" if base.local else str(base),
                         "1!" + release, release.rpartition(".")[0] or release)

    def specifier(self):
        op = self.pick("==", "!=", "<=", ">=", "<", ">", "~=", "===", ">=", "==")
        blank = self.pick("", "", "", " ", "  ")
        if op in ("==", "!=") and self.chance(0.3):
            return op + blank + self.pick("", "", "", "v", "1!") + self.release() + ".*"
        return op + blank + self.version(local=op in ("==", "!=", "===") or self.chance(0.05)).strip()

    def specifiers(self):
        return self.near(self.pick(",", ", ", " , ", ",").join(self.specifier() for _ in range(self.pick(0, 1, 1, 1, 1, 2, 2, 3))))

    def quoted(self, text):
        quote = self.pick('"', "'")
        return quote + text.replace(quote, "") + quote

    def comparison(self):
        variable = self.pick(*VARIABLES, *OLD_VARIABLES, "extra", "extra", "python_version", "python_full_version")
        if variable.startswith("python_") or variable.endswith(("_version", "release")):
            value = self.pick("3.8", "3.9", "3.10", "3.11", "3.11.7", "3.*", "3.1", "3.12.0rc1", "5.10", "3.9, 3.10", "", self.version())
        else:
            value = self.pick("linux", "win32", "darwin", "posix", "Linux", "x86_64", "aarch64", "CPython", "cpython", "and-cuda", "And_Cuda", "cuda", "test", "")
        op = self.pick("==", "!=", ">=", "<=", "<", ">", "in", "not in", "~=", "===", "==", "==")
        sides = [variable, self.quoted(value)]
        if self.chance(0.2):
            sides.reverse()
        if self.chance(0.02):
            sides[1] = sides[0]
        gap = " " if op[-1] == "n" or self.chance(0.8) else ""
        return sides[0] + gap + op + gap + sides[1]

    def marker(self, depth=0):
        def part():
            if depth < 3 and self.chance(0.25):
                return "(" + self.marker(depth + 1) + ")"
            return self.comparison()
        text = part()
        for _ in range(self.pick(0, 0, 1, 1, 2, 3)):
            text += self.pick(" and ", " or ") + part()
        return text

    def environment(self):
        full = self.pick("3.8.10", "3.9.18", "3.10.13", "3.11.7", "3.12.1", "3.13.0", "3.13.0rc2", "3.14.0+")
        values = {"os_name": "posix", "sys_platform": "linux", "platform_machine": self.pick("x86_64", "aarch64"),
                  "platform_python_implementation": "CPython",
                  "platform_release": self.pick("5.15.146.1-microsoft-standard-WSL2", "6.1.0", "6.1.0-13-amd64", "5.10"),
                  "platform_system": "Linux", "platform_version": "#1 SMP Debian 6.1.55-1 (2023-09-29)",
                  "python_version": ".".join(full.split(".")[:2]), "python_full_version": full, "implementation_name": "cpython",
                  "implementation_version": full.rstrip("+")}
        extras = self.random.sample(["and-cuda", "And_Cuda", "cuda", "test", "", "x"], self.pick(0, 1, 1, 2, 3))
        return values, sorted(extras)

    def name(self):
        text = "".join(self.pick("a", "B", "torch", "tf", "1", "-", "_", ".", "--", "x", "Py") for _ in range(self.random.randint(1, 5)))
        return text

    def requirement(self):
        blank = lambda: self.pick("", "", " ", "\t")
        text = blank() + self.pick(self.name(), "torch", "nvidia-cudnn-cu12", "foo.bar_baz") + blank()
        if self.chance(0.3):
            text += "[" + blank() + (blank() + "," + blank()).join(self.name() for _ in range(self.random.randint(0, 3))) + blank() + "]" + blank()
        if self.chance(0.15):
            text += "@ " + self.pick("https://example.org/a.whl", "file:///a/b", "git+https://x/y@v1#egg=z", "")
            if self.chance(0.4):
                text += self.pick(" ", "") + ";" + self.marker()
            return self.near(text)
        specifiers = self.specifiers() + self.pick("", "", "", "", ",")
        text += "(" + blank() + specifiers + blank() + ")" if self.chance(0.25) else specifiers
        text += blank()
        if self.chance(0.4):
            text += ";" + blank() + self.marker() + blank()
        return self.near(text)

    def tag(self, target=None):
        one = lambda options: ".".join(self.random.sample(options, self.pick(1, 1, 1, 2)))
        machine = self.pick("x86_64", "x86_64", "aarch64", "i686")
        if target and self.chance(0.6):
            own, machine = f"cp3{target['minor']}", target["machine"]
            python = self.pick(own, own, "py3", "cp38", "py38")
            abi = "none" if python[0] == "p" else self.pick(own + ("t" if target["free_threaded"] else ""), "abi3", "none")
            platform = self.pick("any", *(f"{name}_{machine}" for name in ("linux", "manylinux_2_17", "manylinux2014", "manylinux_2_28", "musllinux_1_1")))
            return f"{python}-{abi}-{platform}"
        python = one(["cp37", "cp38", "cp39", "cp310", "cp311", "cp312", "cp313", "cp32", "cp3", "py3", "py2", "py38", "py311", "py313", "pp39", "cp31", "cp27"])
        abi = one(["none", "abi3", "cp39", "cp310", "cp311", "cp312", "cp313", "cp313t", "cp37m", "cp311d", "cp314t"])
        platform = one(["any", "linux_" + machine, "manylinux_2_17_" + machine, "manylinux2014_" + machine, "manylinux1_" + machine,
                        "manylinux2010_" + machine, "manylinux_2_28_" + machine, "manylinux_2_36_" + machine, "manylinux_2_4_" + machine,
                        "manylinux_2_5_" + machine, "musllinux_1_1_" + machine, "musllinux_1_2_" + machine, "win_amd64", "macosx_11_0_arm64",
                        "manylinux_2_40_" + machine])
        return f"{python}-{abi}-{platform}"

    def tag_target(self):
        musl = self.chance(0.2)
        free_threaded = self.chance(0.2)
        return {"minor": self.pick(13, 14) if free_threaded else self.random.randint(7, 14), "free_threaded": free_threaded,
                "machine": self.pick("x86_64", "x86_64", "aarch64", "i686"), "musl": musl, "libc": [1, self.pick(1, 2)] if musl else [2, self.pick(17, 28, 31, 36, 39)]}

    def wheel(self):
        parts = [self.pick("torch", "tensorflow", "nvidia_cudnn_cu12", "Foo.Bar"), self.pick("1.0", "2.1.0+cu118", "0.9.dev3")]
        if self.chance(0.2):
            parts.append(self.pick("1", "2b", "3_x"))
        return "-".join(parts + [self.tag()]) + ".whl"

    def question(self):
        kind = self.pick("version", "compare", "compare", "admits", "admits", "admits", "admits", "marker", "marker", "requirement", "requirement", "normalize", "tag", "tag", "wheel")
        if kind == "version":
            return [kind, self.near(self.version())]
        if kind == "compare":
            first = self.version()
            return [kind, first, self.pick(self.version(), self.neighbour(first))]
        if kind == "admits":
            text = self.specifiers()
            bare = text.split(",")[0].strip().lstrip("=<>!~ ").removesuffix(".*")
            return [kind, text, self.pick(self.version(), self.neighbour(bare), self.neighbour(bare), "no version", bare), self.chance(0.7)]
        if kind == "marker":
            return [kind, self.near(self.marker()), *self.environment()]
        if kind == "requirement":
            return [kind, self.requirement()]
        if kind == "normalize":
            return [kind, self.name()]
        if kind == "tag":
            target = self.tag_target()
            return [kind, self.tag(target), target]
        return [kind, self.wheel()]


def supported_tags(target, cache={}):
    key = json.dumps(target, sort_keys=True)
    if key not in cache:
        machine, (major, minor) = target["machine"], target["libc"]
        floor = 4 if machine in ("x86_64", "i686") else 16
        names = {5: "manylinux1", 12: "manylinux2010", 17: "manylinux2014"}
        if target["musl"]:
            platforms = [f"musllinux_{major}_{n}_{machine}" for n in range(minor, -1, -1)]
        else:
            platforms = []
            for n in range(minor, floor, -1):
                platforms.append(f"manylinux_{major}_{n}_{machine}")
                if n in names:
                    platforms.append(f"{names[n]}_{machine}")
        platforms.append(f"linux_{machine}")
        version = (3, target["minor"])
        abi = f"cp3{target['minor']}" + ("t" if target["free_threaded"] else "m" if target["minor"] < 8 else "")
        found = set(tags.cpython_tags(version, abis=[abi], platforms=platforms))
        found.update(tags.compatible_tags(version, interpreter=f"cp3{target['minor']}", platforms=platforms))
        cache[key] = found
    return cache[key]


def expected(question):
    kind = question[0]
    try:
        if kind == "version":
            return str(Version(question[1]))
        if kind == "compare":
            a, b = Version(question[1]), Version(question[2])
            return (a > b) - (a < b)
        if kind == "admits":
            return SpecifierSet(question[1]).contains(question[2], prereleases=question[3])
        if kind == "marker":
            extras = set(question[3])
            extra = extras if len({utils.canonicalize_name(e) for e in extras}) > 1 else next(iter(extras), "")
            try:
                return Marker(question[1]).evaluate({**question[2], "extra": extra})
            except (UndefinedComparison, UndefinedEnvironmentName):
                return "undefined"
            except InvalidMarker:
                return "invalid"
        if kind == "requirement":
            parsed = Requirement(question[1])
            return {"name": parsed.name, "extras": sorted(parsed.extras), "specifiers": sorted(set(map(str, parsed.specifier))),
                    "url": parsed.url or "", "marker": parsed.marker is not None}
        if kind == "normalize":
            return utils.canonicalize_name(question[1])
        if kind == "tag":
            return bool(tags.parse_tag(question[1]) & supported_tags(question[2]))
        name, version, build, found = utils.parse_wheel_filename(question[1])
        return {"name": str(name), "version": question[1].split("-")[1], "build": question[1].split("-")[2] if build else "", "tags": sorted(map(str, found))}
    except (InvalidVersion, InvalidSpecifier, InvalidRequirement, utils.InvalidWheelFilename):
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("driver")
    parser.add_argument("--count", type=int, default=30000)
    parser.add_argument("--seed", type=int, default=440)
    options = parser.parse_args()
    generator = Generator(options.seed)
    questions = [generator.question() for _ in range(options.count)]
    text = "".join(json.dumps(question) + "\n" for question in questions)
    answers = subprocess.run([options.driver], input=text, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(answers) == len(questions), (len(answers), len(questions))
    asked, yes, wrong = Counter(), Counter(), []
    for question, answer in zip(questions, map(json.loads, answers)):
        want = expected(question)
        asked[question[0]] += 1
        yes[question[0]] += want not in (None, False, "invalid", "undefined")
        if want != answer:
            wrong.append((question, want, answer))
    for question, want, answer in wrong[:20]:
        print(f"{json.dumps(question)}\n  packaging: {want!r}\n  gpuway:    {answer!r}")
    for kind in sorted(asked):
        print(f"{kind}: {asked[kind]} asked, {yes[kind]} with a positive answer")
        if not 0 < yes[kind] or asked[kind] < 100:
            wrong.append((kind, "too few questions", ""))
    print(f"{len(questions)} questions, {len(wrong)} disagreements")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
