"""tf_fast.c for wheels without libtensorflow_cc.so.2 (before 2.11): their library needs a Python process around it.

usage: python -I -S tf_fast.py SITE_PACKAGES/tensorflow"""

import ctypes
import os
import sys

folder = sys.argv[1]
LIST_DEVICES = ("_ZN10tensorflow13DeviceFactory22ListAllPhysicalDevicesEPSt6vector"
                "INSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS7_EE")
try:
    framework = ctypes.CDLL(folder + "/libtensorflow_framework.so.2", mode=ctypes.RTLD_LOCAL)
    ctypes.CDLL(folder + "/python/_pywrap_tensorflow_internal.so", mode=ctypes.RTLD_LOCAL)
except OSError as error:
    sys.stderr.write(f"ImportError: {error}\n")
    print('{"imports": "no"}')
    sys.exit(0)
print('{"imports": "yes"}', flush=True)
status = (ctypes.c_void_p * 4)()
devices = (ctypes.c_size_t * 3)()
getattr(framework, LIST_DEVICES)(status, devices)
gpus = 0
for at in range(devices[0], devices[1], 32):  # std::string of the new ABI: pointer, length, 16 bytes inside
    text = ctypes.string_at(*(ctypes.c_size_t * 2).from_address(at))
    gpus += b":GPU:" in text
print(f'{{"imports": "yes", "sees_gpu": "{"yes" if gpus else "no"}", "device_count": {gpus}}}', flush=True)
os._exit(0)
