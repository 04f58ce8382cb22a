"""Stand-ins for the NVIDIA libraries: right names, right folders, right edges, no code.

A set is what one framework release expects to find (the libraries of one CUDA release as its wheels lay them out).
Each stub exports, with its version node, every symbol that the framework or a neighbour leaves undefined, so that
RTLD_NOW is satisfied exactly as with the real library; and it has the real one's NEEDED entries, run path and undefined
symbols, so that a damaged neighbour fails it as it would fail the real one. The edges were read from the vendor's
wheels (data/edges.json, made by `python3 stubs.py --extract SITE_PACKAGES/nvidia`)."""

import hashlib
import json
import os
import re
import subprocess
import sys

import elf

HERE = os.path.dirname(os.path.abspath(__file__))

# Folder under site-packages and libraries, by set. The first word of a library's name decides which symbols are its own.
_CU12 = {
    "nvidia/cuda_runtime/lib": ["libcudart.so.12"],
    "nvidia/cublas/lib": ["libcublasLt.so.12", "libcublas.so.12"],
    "nvidia/cufft/lib": ["libcufft.so.11"],
    "nvidia/curand/lib": ["libcurand.so.10"],
    "nvidia/nvjitlink/lib": ["libnvJitLink.so.12"],
    "nvidia/cusparse/lib": ["libcusparse.so.12"],
    "nvidia/cusolver/lib": ["libcusolver.so.11"],
    "nvidia/cuda_cupti/lib": ["libcupti.so.12"],
    "nvidia/cuda_nvrtc/lib": ["libnvrtc.so.12"],
    "nvidia/nccl/lib": ["libnccl.so.2"],
}
_CUDNN9 = {"nvidia/cudnn/lib": ["libcudnn_graph.so.9", "libcudnn.so.9"]}
SETS = {
    "cu11-cudnn8": {
        "cuda": ["libcudart.so.11.0", "libcublasLt.so.11", "libcublas.so.11", "libcufft.so.10", "libcurand.so.10",
                 "libcusparse.so.11", "libcusolver.so.11", "libcudnn.so.8"],
    },
    "cu12-cudnn8": {**_CU12, "nvidia/cudnn/lib": ["libcudnn.so.8"]},
    "cu12-cudnn9": {**_CU12, **_CUDNN9},
    "cu12-torch": {**_CU12, **_CUDNN9, "nvidia/nvtx/lib": ["libnvToolsExt.so.1"],
                   "cusparselt/lib": ["libcusparseLt.so.0"]},
    "cu12-jax": {**_CU12, **_CUDNN9, "nvidia/nvshmem/lib": ["libnvshmem_host.so.3"]},
    "cu13-torch": {
        "nvidia/cu13/lib": ["libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13", "libcufft.so.12", "libcurand.so.10",
                            "libnvJitLink.so.13", "libcusparse.so.12", "libcusolver.so.12", "libcupti.so.13",
                            "libnvrtc.so.13", "libnvrtc-builtins.so.13.2", "libcufile.so.0"],
        **_CUDNN9,
        "nvidia/nccl/lib": ["libnccl.so.2"],
        "nvidia/cusparselt/lib": ["libcusparseLt.so.0"],
        "nvidia/nvshmem/lib": ["libnvshmem_host.so.3"],
    },
    "cu13-ort": {
        "cuda": ["libcudart.so.13", "libcublasLt.so.13", "libcublas.so.13", "libcufft.so.12", "libcurand.so.10",
                 "libcudnn_graph.so.9", "libcudnn.so.9"],
    },
    "cu12-ort": {
        "cuda": ["libcudart.so.12", "libcublasLt.so.12", "libcublas.so.12", "libcufft.so.11", "libcurand.so.10", "libcudnn_graph.so.9",
                 "libcudnn_adv.so.9", "libcudnn_cnn.so.9", "libcudnn_engines_precompiled.so.9",
                 "libcudnn_engines_runtime_compiled.so.9", "libcudnn_heuristic.so.9", "libcudnn_ops.so.9", "libcudnn.so.9",
                 "libnvrtc.so.12"],
    },
    "cu11-ort": {
        "cuda": ["libcudart.so.11.0", "libcublasLt.so.11", "libcublas.so.11", "libcufft.so.10", "libcurand.so.10",
                 "libcudnn.so.8"],
    },
}

RUNTIME_VERSIONS = {"libcudart.so.11.0": 11080, "libcudart.so.12": 12040, "libcudart.so.13": 13020}

# Edges of libraries for which no wheel was read: CUDA 11 toolkits (no run path: the folder is on the search path).
_PLAIN_EDGES = {
    "libcublas.so.11": ["libcublasLt.so.11"],
    "libcusolver.so.11": ["libcublas.so.11", "libcublasLt.so.11"],
    "libcublas.so.13": ["libcublasLt.so.13"],
    "libcusolver.so.12": ["libcusparse.so.12", "libcublas.so.13", "libcublasLt.so.13", "libnvJitLink.so.13"],
}

# The one of NVIDIA's libraries that names the driver among its needs.
_NEEDS_DRIVER = "libcudnn_engines_runtime_compiled.so.9"

# Which library owns an unversioned or a looked-up name, by the longest fitting beginning.
_OWNERS = [
    ("cublasLt", "libcublasLt"), ("cublasXt", "libcublas"), ("cublas", "libcublas"), ("cudnn", "libcudnn"),
    ("cufft", "libcufft"), ("curand", "libcurand"), ("cusolver", "libcusolver"), ("cusparseLt", "libcusparseLt"),
    ("cusparse", "libcusparse"), ("nccl", "libnccl"), ("nvshmem", "libnvshmem_host"), ("cuFile", "libcufile"),
    ("nvJitLink", "libnvJitLink"), ("__nvJitLink", "libnvJitLink"), ("nvrtc", "libnvrtc"), ("cupti", "libcupti"),
    ("cuda", "libcudart"), ("__cuda", "libcudart"),
]

# Version questions that JAX asks of each library; the rest of a stub's functions return 0.
_VERSION_FUNCTIONS = {
    "libcudnn_graph": "size_t cudnnGetVersion(void){return 92800;}\n"
                      "int cudnnGetProperty(int t,int*v){*v=t==0?9:t==1?28:0;return 0;}\n"
                      "int cudnnCreate(void**h){static int o;*h=&o;return 0;}\n",
    "libcublas": "int cublasGetVersion_v2(void*h,int*v){(void)h;*v=MAJOR*10000+900;return 0;}\n"
                 "int cublasGetProperty(int t,int*v){*v=t==0?MAJOR:9;return 0;}\n"
                 "int cublasCreate_v2(void**h){static int o;*h=&o;return 0;}\n",
    "libcublasLt": "size_t cublasLtGetVersion(void){return MAJOR*10000+900;}\n"
                   "int cublasLtCreate(void**h){static int o;*h=&o;return 0;}\n",
    "libcufft": "int cufftGetVersion(int*v){*v=MAJOR*1000+400;return 0;}\n",
    "libcupti": "int cuptiGetVersion(unsigned*v){*v=MAJOR==12?28:130200;return 0;}\n",
    "libcusparse": "int cusparseGetProperty(int t,int*v){*v=t==0?12:t==1?5:10;return 0;}\n",
    "libcusolver": "int cusolverGetProperty(int t,int*v){*v=t==0?11:7;return 0;}\n",
    "libcudnn8": "size_t cudnnGetVersion(void){return 8907;}\nint cudnnCreate(void**h){static int o;*h=&o;return 0;}\n",
}


def base_name(soname):
    return soname.partition(".so")[0]


def owner(symbol):
    fits = [(len(start), library) for start, library in _OWNERS if symbol.startswith(start)]
    return max(fits)[1] if fits else None


def edges():
    with open(os.path.join(HERE, "data", "edges.json"), encoding="utf-8") as file:
        return json.load(file)


def consumer_symbols(site):
    """What the framework's own libraries leave undefined or look up by name: {SONAME or base name: {symbol}}."""
    wanted = {}
    for folder, pattern in (("torch/lib", None), ("onnxruntime/capi", None), ("jax_plugins", b"words"), ("jax_cuda12_plugin", b"words")):
        for root, _, files in os.walk(os.path.join(site, folder)):
            for name in files:
                path = os.path.join(root, name)
                if ".so" not in name or os.path.islink(path):
                    continue
                symbols = elf.undefined_symbols(path)
                if pattern:
                    symbols += [(word, None) for word in
                                elf.words(path, rb"(?:cublas|cudnn|cufft|cusolver|cusparse|nccl|cupti|nvshmem|nvJitLink|nvrtc|cuda)[A-Z]\w{2,60}")]
                for symbol, version in symbols:
                    if version and version.startswith("lib"):
                        wanted.setdefault(version, set()).add(symbol)
                    elif owner(symbol):
                        wanted.setdefault(owner(symbol), set()).add(symbol + ("@" + version if version else ""))
    return {library: sorted(symbols) for library, symbols in wanted.items()}


def _remembered(path, site):
    """consumer_symbols(site), kept in `path` until the installed packages change (reading torch takes seconds)."""
    mark = sorted(name for name in os.listdir(site) if name.endswith(".dist-info"))
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["packages"] == mark:
            return kept["symbols"]
    symbols = consumer_symbols(site)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"packages": mark, "symbols": symbols}, file)
    return symbols


def _compile(arguments):
    done = subprocess.run(["gcc", "-O1", "-w", "-shared", "-fPIC", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"gcc {' '.join(arguments)}\n{done.stderr[:2000]}")


def _source_of(soname, exports, imports):
    """C text and version script of one stub."""
    base, major = base_name(soname), int(re.search(r"\.so\.(\d+)", soname).group(1))
    text = [f"#define MAJOR {major}", "#include <stddef.h>"]
    given = _VERSION_FUNCTIONS.get("libcudnn8" if soname == "libcudnn.so.8" else base, "")
    sources = []
    if base == "libcudart":
        sources.append(os.path.join(HERE, "double", "cudart_double.c"))
        with open(sources[0], encoding="utf-8") as file:
            given = file.read()
        text.append("")
    elif soname == "libcudnn.so.9":
        sources.append(os.path.join(HERE, "double", "cudnn_double.c"))
        with open(sources[0], encoding="utf-8") as file:
            given = file.read()
    else:
        text.append(given)
    written = set(re.findall(r"(\w+)\(", given))
    text += [f"long {symbol}(void){{return 0;}}" for symbol in sorted(exports) if symbol not in written]
    if imports:
        text += [f"extern long {symbol}();" for symbol in imports]
        text.append("void stub_never_called(void){" + "".join(f"{symbol}();" for symbol in imports) + "}")
    return "\n".join(text) + "\n", sources


def build_set(name, sites, out):
    """Builds set `name` for the frameworks in `sites` (name -> site-packages) under `out`; returns {path below out: SONAME}.
    Quick when unchanged."""
    table = edges()
    laid = {f"{folder}/{soname}": soname for folder, sonames in SETS[name].items() for soname in sonames}
    wanted = {}
    for consumer, site in sorted(sites.items()):
        for library, symbols in _remembered(os.path.join(out, f"consumers-{consumer}.json"), site).items():
            wanted[library] = sorted({*wanted.get(library, []), *symbols})
    sonames = set(laid.values())
    plan = {}
    for soname in sonames:
        edge = table.get(soname, {}) if not name.startswith("cu11") else {}
        if name == "cu12-cudnn8" and edge.get("rpath"):
            edge = {**edge, "runpath": edge["rpath"], "rpath": None}  # CUDA 12.2 wheels had RUNPATH where 12.9 have RPATH
        needed = edge.get("needed", _PLAIN_EDGES.get(soname, []))
        plan[soname] = {"needed": [n for n in needed if n in sonames], "rpath": edge.get("rpath"), "runpath": edge.get("runpath"),
                        "imports": {n: s for n, s in edge.get("imports", {}).items() if n in sonames}}
        if soname.startswith("lib") and name.startswith("cu13") and not edge:
            plan[soname]["runpath"] = "$ORIGIN"
        if soname == _NEEDS_DRIVER:
            plan[soname]["needed"].append("libcuda.so.1")
    exports = {soname: {} for soname in sonames}
    for soname in sonames:
        for symbol in wanted.get(soname, []):
            exports[soname][symbol] = soname
        for symbol in wanted.get(base_name(soname), []):
            symbol, _, version = symbol.partition("@")
            exports[soname].setdefault(symbol, version or None)
        for neighbour in sonames:
            for symbol in plan[neighbour]["imports"].get(soname, []):
                exports[soname][symbol] = soname
    key = hashlib.sha256(json.dumps([plan, exports, _VERSION_FUNCTIONS, sorted(laid)], sort_keys=True).encode())
    for source in ("double.h", "cudart_double.c", "cudnn_double.c"):
        with open(os.path.join(HERE, "double", source), "rb") as file:
            key.update(file.read())
    mark = os.path.join(out, "built")
    if os.path.exists(mark) and open(mark, encoding="utf-8").read() == key.hexdigest():
        return laid
    link = os.path.join(out, "link")
    os.makedirs(link, exist_ok=True)
    build_plain(os.path.join(link, "libcuda.so.1"), "libcuda.so.1")
    for final in (False, True):
        for path, soname in laid.items():
            target = os.path.join(out, "tree", path) if final else os.path.join(link, soname)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            _build_one(target, soname, exports[soname], plan[soname] if final else None, link)
    with open(mark, "w", encoding="utf-8") as file:
        file.write(key.hexdigest())
    return laid


def _build_one(target, soname, exports, plan, link):
    imports = sorted({s for symbols in plan["imports"].values() for s in symbols}) if plan else []
    text, sources = _source_of(soname, exports, imports)
    work = os.path.join(link, soname + (".final" if plan else ".first"))
    with open(work + ".c", "w", encoding="utf-8") as file:
        file.write(text)
    nodes = {}
    for symbol, version in exports.items():
        nodes.setdefault(version or soname, []).append(symbol)
    nodes.setdefault(soname, [])
    script = ""
    for node, symbols in sorted(nodes.items()):
        names = "*" if node == soname else "; ".join(sorted(symbols))
        script += f"{'' if '-' in node else node} {{ global: {names}; }};\n"
    with open(work + ".map", "w", encoding="utf-8") as file:
        file.write(script)
    arguments = ["-o", target, work + ".c", *sources, f"-Wl,-soname,{soname}", f"-Wl,--version-script={work}.map", "-Wl,-z,lazy"]
    if soname in RUNTIME_VERSIONS:
        arguments.append(f"-DRUNTIME_VERSION={RUNTIME_VERSIONS[soname]}")
    if plan:
        path = plan["rpath"] or plan["runpath"]
        if path:
            arguments += [f"-Wl,-rpath,{path}", "-Wl,--disable-new-dtags" if plan["rpath"] else "-Wl,--enable-new-dtags"]
        arguments += [f"-L{link}", "-Wl,--no-as-needed", *(f"-l:{needed}" for needed in plan["needed"]), "-Wl,--as-needed"]
        arguments.append(f"-Wl,-rpath-link,{link}")
    _compile(arguments)


def build_plain(target, soname):
    """An empty library: right SONAME, no symbols, no edges."""
    source = target + ".c"
    with open(source, "w", encoding="utf-8") as file:
        file.write("")
    _compile(["-nostdlib", "-o", target, source, f"-Wl,-soname,{soname}"])
    os.unlink(source)


def build_driver(out):
    """All driver doubles: out/driver-<exports>/libcuda.so.1, out/nvml/…, out/stub-driver/…."""
    key = hashlib.sha256()
    for source in ("double.h", "driver_double.c", "nvml_double.c"):
        with open(os.path.join(HERE, "double", source), "rb") as file:
            key.update(file.read())
    mark = os.path.join(out, "built")
    if os.path.exists(mark) and open(mark, encoding="utf-8").read() == key.hexdigest():
        return
    os.makedirs(out, exist_ok=True)
    driver = os.path.join(HERE, "double", "driver_double.c")
    for exports in (10020, 11040, 12040, 99999):
        folder = os.path.join(out, f"driver-{exports}")
        os.makedirs(folder, exist_ok=True)
        _compile(["-o", os.path.join(folder, "libcuda.so.1"), driver, f"-DDRIVER_EXPORTS={exports}", "-Wl,-soname,libcuda.so.1"])
    for folder, source, soname, more in (("stub-driver", driver, "libcuda.so.1", ["-DSTUB_DRIVER", "-DDRIVER_EXPORTS=13020"]),
                                         ("nvml", os.path.join(HERE, "double", "nvml_double.c"), "libnvidia-ml.so.1", [])):
        os.makedirs(os.path.join(out, folder), exist_ok=True)
        _compile(["-o", os.path.join(out, folder, soname), source, *more, f"-Wl,-soname,{soname}"])
    with open(mark, "w", encoding="utf-8") as file:
        file.write(key.hexdigest())


def build_wrong(out):
    """Files that are no usable library: out/wrong/elf32.so and out/wrong/other_machine.so."""
    os.makedirs(out, exist_ok=True)
    good = os.path.join(out, "good.so")
    build_plain(good, "libgood.so.1")
    with open(good, "rb") as file:
        image = bytearray(file.read())
    for name, offset, value in (("elf32.so", 4, 1), ("other_machine.so", 18, 183)):  # EI_CLASS; e_machine = AArch64
        changed = bytearray(image)
        changed[offset] = value
        with open(os.path.join(out, name), "wb") as file:
            file.write(changed)


def extract(nvidia):
    """Edges among the vendor's libraries, from an installed set of its wheels: names only."""
    found, names = {}, {}
    for root, _, files in os.walk(nvidia):
        for name in files:
            if re.fullmatch(r"lib.*\.so\.[\d.]+", name):
                names[elf.dynamic(os.path.join(root, name))["soname"]] = os.path.join(root, name)
    known = {soname for table in SETS.values() for sonames in table.values() for soname in sonames}
    for soname, path in sorted(names.items()):
        if soname not in known:
            continue
        facts = elf.dynamic(path)
        imports = {}
        for symbol, version in elf.undefined_symbols(path):
            if version in names:
                imports.setdefault(version, []).append(symbol)
        found[soname] = {"needed": [n for n in facts["needed"] if n in names], "rpath": facts["rpath"], "runpath": facts["runpath"],
                         "imports": {k: sorted(v) for k, v in sorted(imports.items())}}
    return found


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--extract":
        json.dump(extract(sys.argv[2]), sys.stdout, indent=1, sort_keys=True)
        print()
    else:
        sys.exit("usage: stubs.py --extract SITE_PACKAGES/nvidia")
