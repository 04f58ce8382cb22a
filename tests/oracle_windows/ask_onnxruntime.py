"""Asks ONNX Runtime for Windows for a session on CUDA: prints one JSON line when the import is done and one with the answer.
usage: python ask_onnxruntime.py"""

import ctypes
import json
import os
import sys

for folder in filter(None, os.environ.get("ASK_DLL_DIRECTORIES", "").split("|")):
    os.add_dll_directory(folder)


def say(**answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def field(number, value):
    """A field of a protocol buffer: a small number, or a text or message with its length."""
    if isinstance(value, int):
        return bytes([number << 3, value])
    data = value.encode() if isinstance(value, str) else value
    return bytes([number << 3 | 2, len(data)]) + data


def model():
    """y = Relu(x) over one float, as ModelProto (onnx.proto, IR version 7, operators of version 13)."""
    shape = field(2, field(1, field(1, 1)))
    kind = field(2, field(1, field(1, 1) + shape))
    node = field(1, "x") + field(2, "y") + field(4, "Relu")
    graph = field(1, node) + field(2, "g") + field(11, field(1, "x") + kind) + field(12, field(1, "y") + kind)
    return field(1, 7) + field(7, graph) + field(8, field(2, 13))


try:
    import onnxruntime
except Exception as error:   # what the import raises differs by cause: ImportError, OSError, AttributeError
    say(imports="no", error=f"{type(error).__name__}: {error}")
    sys.exit(0)
say(imports="yes")
error = ""
try:
    session = onnxruntime.InferenceSession(model(), providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    providers = session.get_providers()
except Exception as raised:
    providers, error = [], f"{type(raised).__name__}: {raised}"
handle_of = ctypes.windll.kernel32.GetModuleHandleW
handle_of.restype = ctypes.c_void_p
say(imports="yes", sees_gpu="yes" if "CUDAExecutionProvider" in providers else "no", error=error,
    provider_loaded=bool(handle_of("onnxruntime_providers_cuda.dll")))
sys.stdout.flush()
os._exit(0)
