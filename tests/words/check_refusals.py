"""The generators must refuse a faulty vocabulary and name file and line.
    check_refusals.py GENERATE-FINDINGS GENERATE-MESSAGES DATA-FOLDER
Each case edits one real file by one replacement."""

import pathlib
import subprocess
import sys
import tempfile

CASES = [
    # file, text replaced (first occurrence), replacement, what the message must say
    ("tables/findings.toml", 'id = "cudnn-missing"', 'id = "cuda-libraries-missing"', "is there twice"),
    ("tables/findings.toml", 'id = "cudnn-missing"', 'id = "harmless-noise"', "is there twice"),
    ("tables/findings.toml", 'id = "cudnn-missing"', 'id = "Cudnn missing"', "no id of small letters"),
    ("tables/findings.toml", 'link = "gpu-libraries"', 'link = "gpu-library"', "unknown link gpu-library"),
    ("tables/findings.toml", 'severity = "error"', 'severity = "fatal"', "unknown severity fatal"),
    ("tables/findings.toml", 'next_steps = ["rename-local-file"]', "", "without next_steps"),
    ("tables/findings.toml", "\nmeaning = ", "\nborder = ", "is ours and has no meaning"),
    ("tables/findings.toml", "[[reserved]]", "[[kept]]", "unknown table kept"),
    ("tables/python_pins.toml", 'finding = "ml-dtypes-conflict"', 'finding = "ml-dtypes-clash"', "unknown finding ml-dtypes-clash"),
    ("messages/zh.json", '"title": "', '"title": 1, "old": "', "expected text"),
    ("messages/zh.json", '"next_steps": {', '"steps": {', "expected an object with"),
    ("messages/zh.json", '"words": {', '"words": {,', "expected an object with"),
]


def run(findings: str, messages: str, folder: pathlib.Path) -> str:
    """What the generators say; empty when both take the files."""
    commands = ([findings, folder / "findings.inc", folder / "tables/findings.toml", folder / "tables/python_pins.toml"],
                [messages, folder / "messages.inc", folder / "messages/en.json", folder / "messages/zh.json"])
    out = ""
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            out += done.stderr or "nothing said"
    return out


def main() -> int:
    findings, messages, data = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    files = ("tables/findings.toml", "tables/python_pins.toml", "messages/en.json", "messages/zh.json")
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for sub in ("tables", "messages"):
            (folder / sub).mkdir()
        sound = {file: (data / file).read_text(encoding="utf-8") for file in files}
        for edited, old, new, message in [(None, "", "", ""), *CASES]:
            for file, text in sound.items():
                if file == edited and old not in text:
                    faults.append(f"{file} no longer holds {old!r}: this case tests nothing")
                (folder / file).write_text(text.replace(old, new, 1) if file == edited else text, encoding="utf-8")
            said = run(findings, messages, folder)
            if edited is None and said:
                faults.append(f"the real files are refused: {said}")
            if edited is not None and (message not in said or edited.split("/")[1] not in said):
                faults.append(f"{edited}, {old!r} -> {new!r}: said {said!r}, expected {message!r}")
    print("\n".join(faults) or f"{len(CASES)} faulty files refused")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
