"""Saved Snapshots that somebody else wrote."""

import json
import os

from box import require
from case import collector

CASES = []
case = collector(CASES)

HEAD = '{"schema":"gpuway.snapshot/1",'


def refused(box, text, codes=(3,)):
    path = box.root / "given.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    for form in (("--json",), ("-v", "--all")):
        box.run("check", *form, "--from", path, codes=codes)


def taken(box):
    doc = box.check("--env", box.onnxruntime())
    require(doc["chains"], "nothing to damage")
    return (box.root / "saved.json").read_bytes()


@case()
def no_snapshot_is_refused(box):
    for text in (b"", b" ", b"null", b"[]", b"{}", b"\0" * 100, b"\xff\xfe{}", b'{"schema":"gpuway.snapshot/1"', os.urandom(1000),
                 HEAD + '"live":NaN}', HEAD + '"live":1e999}', HEAD + '"live":-Infinity}', HEAD + '"environments":{}}',
                 HEAD + '"binaries":[]}', HEAD + '"driver":{"reports":{"x":{"init_code":99999999999999999999}}}}',
                 HEAD + '"driver":{"reports":{"x":{"init_code":1.5}}}}', HEAD + '"driver":{"reports":{"x":{"outcome":"no such word"}}}}'):
        refused(box, text)
    refused(box, b"\xef\xbb\xbf" + HEAD.encode() + b'"live":true}', codes=(0, 3))


@case(memory_mib=256)
def nesting_is_bounded(box):
    for text in ("[" * 100_000, HEAD + '"x":' + "[" * 100_000 + "]" * 100_000 + "}", HEAD + '"x":' + '{"a":' * 100_000 + "1" + "}" * 100_001,
                 "[" * (30 << 20)):
        refused(box, text)


@case()
def a_name_twice_and_unknown_names_do_no_harm(box):
    refused(box, HEAD + '"schema":"gpuway.snapshot/1","live":true,"live":false,"unknown":[1,2,{"a":null}]}', codes=(0, 1))


@case(seconds=60)
def a_file_cut_at_two_hundred_places_is_refused(box):
    whole = taken(box)
    for part in range(200):
        path = box.root / "given.json"
        path.write_bytes(whole[:len(whole) * part // 200])
        box.run("check", "--json", "--from", path, codes=(3,))


@case(seconds=60)
def every_value_replaced_by_a_wrong_or_nasty_one_ends_well(box):
    document = json.loads(taken(box))
    places = []

    def walk(value, where):
        if isinstance(value, dict):
            for key in value:
                walk(value[key], where + [key])
        elif isinstance(value, list):
            for index in range(min(len(value), 2)):
                walk(value[index], where + [index])
        if where and where != ["schema"]:
            places.append(where)
    walk(document, [])
    # Every kind of place once: the same names with any index or path between them.
    seen, chosen = set(), []
    for where in places:
        kind = tuple("*" if isinstance(key, int) or "/" in str(key) else key for key in where)
        if kind not in seen:
            seen.add(kind)
            chosen.append(where)
    nasty = (None, -1, 2**63, [], {}, "\x1b[31m\u202e\n\uf7ff\uf71b", [[[]]])
    for index, where in enumerate(chosen):
        for value in (nasty[index % len(nasty)], nasty[5]):
            copy = json.loads(json.dumps(document))
            at = copy
            for key in where[:-1]:
                at = at[key]
            at[where[-1]] = value
            path = box.root / "given.json"
            path.write_text(json.dumps(copy))
            outcome = box.run("check", "--json", "--from", path, codes=(0, 1, 3))
            if outcome.code != 3:
                outcome.json()
            box.run("check", "-v", "--all", "--from", path, codes=(0, 1, 3))
    require(len(chosen) > 100, len(chosen))


@case()
def loops_among_libraries_end(box):
    document = json.loads(taken(box))
    for view in document["binaries"].values():
        if "elf" in view:
            view["elf"]["needed"] = ["libloop.so"] + view["elf"]["needed"]
            view["elf"]["runpath"] = "/loop:$ORIGIN:${ORIGIN}/../" * 50
    document["folders"]["/loop"] = {"outcome": "listed", "reason": "not-looked", "detail": "", "names": ["libloop.so"]}
    elf = next(view for view in document["binaries"].values() if "elf" in view)
    loop = json.loads(json.dumps(elf))
    loop["elf"]["needed"] = ["libloop.so", "libother.so"] * 1000
    document["binaries"]["/loop/libloop.so"] = loop
    path = box.root / "given.json"
    path.write_text(json.dumps(document))
    box.run("check", "--json", "--from", path, codes=(0, 1, 3)).json()


@case()
def a_device_a_fifo_or_a_folder_is_refused(box):
    os.mkfifo(box.root / "fifo")
    for path in ("/dev/zero", "/dev/null", box.root / "fifo", box.root, "/proc/self/mem", "/nowhere"):
        box.run("check", "--from", path, codes=(3,))
