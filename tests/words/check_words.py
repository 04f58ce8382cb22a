"""The vocabulary of findings, the code that uses it and the texts of both languages must agree.
    check_words.py SOURCE-FOLDER [--write-docs]
Checks data/tables/findings.toml, data/messages/*.json, docs/findings.md and the literals in src/think/rules and src/say.
--write-docs writes docs/findings.md from the table and the English texts."""

import json
import pathlib
import re
import sys

try:
    import tomllib
except ImportError:   # Python 3.10 and older
    from pip._vendor import tomli as tomllib

WIDE = r"[\u2e80-\u303e\u3041-\u9fff\uf900-\ufaff]"           # ideographs, without full-width punctuation
FULL = "，。：；！？（）、"
faults = []


def placeholders(text: str) -> list:
    return sorted(re.findall(r"\{([a-z_]+)\}", text))


def texts_of(language: dict) -> dict:
    """Every text by its path: findings/ID/title, next_steps/ID, words/ID."""
    texts = {f"next_steps/{key}": text for key, text in language["next_steps"].items()}
    texts |= {f"phrases/{key}": text for key, text in language["phrases"].items()}
    texts |= {f"words/{key}": text for key, text in language["words"].items()}
    texts |= {f"questions/{key}": text for key, text in language["questions"].items()}
    for key, parts in language["causes"].items():
        texts |= {f"causes/{key}/{part}": text for part, text in parts.items()}
    for key, parts in language["findings"].items():
        texts |= {f"findings/{key}/{part}": text for part, text in parts.items()}
    return texts


def same_words(english: dict, chinese: dict) -> None:
    for path in sorted(english.keys() ^ chinese.keys()):
        faults.append(f"{path}: only in {'en' if path in english else 'zh'}.json")
    for path in english.keys() & chinese.keys():
        if placeholders(english[path]) != placeholders(chinese[path]):
            faults.append(f"{path}: {placeholders(english[path])} in English, {placeholders(chinese[path])} in Chinese")
        for fixed in re.findall(r"`[^`]*`|[A-Z]+_[A-Z_]+|/[a-z]+/[a-z/]+|lib[a-z]+\.so[.0-9]*|nvidia_\w+", english[path]):
            if fixed not in chinese[path]:
                faults.append(f"{path}: {fixed} is missing in Chinese")


def english_style(path: str, text: str) -> None:
    if re.search(r"\b(please|simply|illegal|sorry|oops)\b|!|something went wrong", text, re.I):
        faults.append(f"{path}: a word the house style leaves out: {text}")
    if text.endswith(".") or "  " in text or re.search(WIDE, text):
        faults.append(f"{path}: final period, double blank or wide character: {text}")
    if re.match(r"[A-Z][a-z]+ [a-z]", text) and text.split()[0] not in NAMES:
        faults.append(f"{path}: begins with a capital letter: {text}")


NAMES = {"Windows", "Secure", "Python", "Docker"}


def chinese_style(path: str, text: str) -> None:
    if re.search(WIDE + r"[,;:!?()]", text) or re.search(r"[,;:!?(]" + WIDE, text):
        faults.append(f"{path}: half-width punctuation beside Chinese: {text}")
    bare = re.sub(r"\{[a-z_]+\}", "X", text)
    if re.search(WIDE + r"[A-Za-z0-9`]|[A-Za-z0-9`]" + WIDE, bare):
        faults.append(f"{path}: no blank between Chinese and Latin: {text}")
    if re.search(f"[{FULL}] |[^ ] [{FULL}]|{WIDE} {WIDE}", bare):
        faults.append(f"{path}: a blank too many: {text}")
    if re.search("[你您]|(?<!申)请(?!求)", text) or "。" in text:
        faults.append(f"{path}: addresses somebody, or ends like prose: {text}")


def rule_literals(source: pathlib.Path) -> tuple:
    """All kebab-case literals of the rules and their tables; those certainly meant as findings; those as next steps."""
    code = "".join(file.read_text(encoding="utf-8") for file in sorted((source / "src/think/rules").rglob("*.cpp")))
    pins = (source / "data/tables/python_pins.toml").read_text(encoding="utf-8")
    literals = set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', code + pins))
    findings = set(re.findall(r'^finding = "([^"]*)"', pins, re.M))
    for call in re.findall(r"(?:\badd|\berror_of)\((?:chain, )?\s*LinkId::\w+,([^;{]*?)(?:,\s*(?:Effect::|effect|real_effect|fault\.effect)|\);)", code):
        findings |= set(re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', call))
    steps = set()
    for call in re.findall(r"set_next_step\(\s*finding,([^{;]*?)(?:[{;]|\w+_commands?\()", code):
        steps |= set(re.findall(r'(?<!== )"([a-z0-9-]+)"', call))
    return literals, findings, steps


def table_and_code(source: pathlib.Path, rows: dict, other: set, english: dict) -> None:
    literals, findings, steps = rule_literals(source)
    if len(findings) < 30 or len(steps) < 30:
        faults.append(f"only {len(findings)} findings and {len(steps)} next steps recognised in the rules: this check sees too little")
    allowed_steps = {step for row in rows.values() for step in row["next_steps"]}
    for word in sorted(findings - rows.keys()):
        faults.append(f"{word}: in the rules, " + ("only reserved or retired in" if word in other else "not in") + " data/tables/findings.toml")
    for word in sorted(rows.keys() - literals):
        faults.append(f"{word}: in data/tables/findings.toml, in no rule")
    for word in sorted(steps - allowed_steps):
        faults.append(f"{word}: a next step of the rules that no finding has in data/tables/findings.toml")
    for word in sorted(allowed_steps - literals):
        faults.append(f"{word}: a next step that no rule proposes")
    for what, have, want in (("finding", english["findings"].keys(), rows.keys()), ("next step", english["next_steps"].keys(), allowed_steps)):
        for word in sorted(have ^ want):
            faults.append(f"{what} {word}: " + ("has no texts" if word in want else "has texts and is not in data/tables/findings.toml"))
    for word, row in rows.items():
        parts = english["findings"].get(word, {})
        used = {name for part in parts.values() for name in placeholders(part)}
        if used != set(row.get("args", [])):
            faults.append(f"{word}: its texts use {sorted(used)}, the table has {row.get('args', [])}")


def phrases_and_code(source: pathlib.Path, phrases: dict) -> None:
    """Phrases are the English that rules put into evidence: each is in a rule, and each constant one of a rule is here."""
    code = "".join(file.read_text(encoding="utf-8") for file in sorted((source / "src/think/rules").rglob("*.cpp")))
    for phrase, text in phrases.items():
        if phrase != text or f'"{phrase}"' not in code:
            faults.append(f"phrases/{phrase}: in no rule, or not itself in English")
    seen = 0
    for call in re.findall(r"add_evidence\(([^;]*)\);", code):
        last = re.split(r",(?![^(]*\))(?!\s*[a-z ]*\")", call)[-1] if "+" in call else call
        if "+" in last:
            continue
        for literal in re.findall(r'"([a-z]+(?: [^"]*)?[a-z])"', last):
            if " " in literal:
                seen += 1
                if literal not in phrases:
                    faults.append(f"{literal}: evidence of a rule without a text in data/messages, phrases")
    if seen < 15:
        faults.append(f"only {seen} phrases recognised in the rules: this check sees too little")


def words_and_code(source: pathlib.Path, words: dict) -> None:
    code = "".join(file.read_text(encoding="utf-8") for folder in ("src/base", "src/say", "src/commands", "src/think", "src/sense/probes")
                   for file in sorted((source / folder).rglob("*.cpp")))
    built = ("link-", "place-", "kind-", "inspect-", "inspect-loads-", "inspect-format-", "certainty-", "wsl-state-", "wsl-why-", "verdict-", "route-", "against-", "first-", "later-")   # the rest of the id comes from the data
    of_programs = {"wsl-state-running", "wsl-state-stopped"}   # wsl.exe's own words
    for word in words:
        tails = [word] + [word[len(start):] for start in built if word.startswith(start)]
        if not any(f'"{tail}"' in code for tail in tails) and word not in of_programs:
            faults.append(f"words/{word}: nothing uses it")
    used = set(re.findall(r'\.word\("([a-z-]+)"', code))
    for word in sorted(used - words.keys()):
        if f'"{word}" +' not in code:
            faults.append(f"words/{word}: used in code, has no text")


def signatures_and_texts(source: pathlib.Path, vocabulary: set, english: dict) -> None:
    """Each cause that `explain` can name has its texts, each question too, and nothing else has any."""
    table = tomllib.loads((source / "data/tables/signatures.toml").read_text(encoding="utf-8"))
    named = {entry.split()[0] for row in table["signature"] for key in ("proves", "suggests") for entry in row.get(key, [])}
    if len(named) < 100:
        faults.append(f"only {len(named)} causes in data/tables/signatures.toml: this check sees too little")
    for word in sorted(named - english["causes"].keys()):
        faults.append(f"causes/{word}: named in data/tables/signatures.toml, has no texts")
    for word in sorted(english["causes"].keys() - vocabulary):
        faults.append(f"causes/{word}: has texts and is not in data/tables/findings.toml")
    for word, parts in english["causes"].items():
        if parts.keys() != {"title", "step"}:
            faults.append(f"causes/{word}: expected a title and a step")
    asked = {row["id"] for row in table["question"]} | {"gpuway-check"}
    for word in sorted(asked ^ english["questions"].keys()):
        faults.append(f"questions/{word}: " + ("has no text" if word in asked else "nothing asks it"))


def document(rows: dict, english: dict) -> str:
    lines = ["# Findings", "", "What `gpuway check` can find, in the order of the chain. Made from `data/tables/findings.toml` and the English texts by",
             "`tests/words/check_words.py . --write-docs`; words in braces are filled in from the machine.", ""]
    link = None
    for word, row in rows.items():
        if row["link"] != link:
            link = row["link"]
            lines += [f"## {link}", "", "| id | usually | says | next step |", "| --- | --- | --- | --- |"]
        steps = "; or: ".join(english["next_steps"].get(step, step) for step in row["next_steps"])
        title = english["findings"].get(word, {}).get("title", "")
        lines.append(f"| `{word}` | {row['severity']} | {title} | {steps} |")
        follows = list(rows)[list(rows).index(word) + 1:]
        if not follows or rows[follows[0]]["link"] != link:
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    table = tomllib.loads((source / "data/tables/findings.toml").read_text(encoding="utf-8"))
    rows = {row["id"]: row for row in table["finding"]}
    other = {word for kind in ("reserved", "retired") for row in table[kind] for word in row["ids"]}
    english, chinese = (json.loads((source / f"data/messages/{name}.json").read_text(encoding="utf-8")) for name in ("en", "zh"))
    english_texts, chinese_texts = texts_of(english), texts_of(chinese)
    same_words(english_texts, chinese_texts)
    for path, text in english_texts.items():
        english_style(path, text)
    for path, text in chinese_texts.items():
        chinese_style(path, text)
    table_and_code(source, rows, other, english)
    phrases_and_code(source, english["phrases"])
    words_and_code(source, english["words"])
    signatures_and_texts(source, rows.keys() | other, english)
    page = source / "docs/findings.md"
    if "--write-docs" in sys.argv:
        page.write_text(document(rows, english), encoding="utf-8")
    elif not page.exists() or page.read_text(encoding="utf-8") != document(rows, english):
        faults.append("docs/findings.md is not what the table says: run tests/words/check_words.py . --write-docs")
    print("\n".join(faults) or f"{len(rows)} findings, {len(english_texts)} texts in two languages")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
