"""Asks TensorFlow for Windows what it sees, without importing all of it: prints one JSON line when the native modules are
loaded and one with the answer. usage: python ask.py"""

import ctypes
import importlib.machinery
import importlib.util
import json
import os
import sys
import types

for folder in filter(None, os.environ.get("ASK_DLL_DIRECTORIES", "").split("|")):
    os.add_dll_directory(folder)
site = os.path.dirname(importlib.util.find_spec("tensorflow").origin)


def package(name, folder):
    module = types.ModuleType(name)
    module.__path__ = [folder]
    sys.modules[name] = module


def say(**answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


missing = []
for name in ("msvcp140.dll", "msvcp140_1.dll"):   # as tensorflow/python/platform/self_check.py does
    try:
        ctypes.WinDLL(name)
    except OSError:
        missing.append(name)
if missing:
    say(imports="no", error="Could not find the DLL(s) " + " ".join(missing))
    sys.exit(0)
package("tensorflow", site)
package("tensorflow.python", os.path.join(site, "python"))
try:
    from tensorflow.python import _pywrap_tensorflow_internal  # noqa: F401
    package("tensorflow.python.client", os.path.join(site, "python", "client"))
    from tensorflow.python import _pywrap_tfe
except ImportError as error:
    say(imports="no", error=str(error))
    sys.exit(0)
say(imports="yes")
count = sum(b":GPU:" in device for device in _pywrap_tfe.TF_ListPhysicalDevices())
say(imports="yes", sees_gpu="yes" if count else "no", device_count=count)
sys.stdout.flush()
os._exit(0)
