"""tf_fast.c for wheels without libtensorflow_cc.so.2 (before 2.11): their library needs a Python process around it.

usage: python -I -S tf_fast.py SITE_PACKAGES/tensorflow"""

import ctypes
import os
import sys

folder = sys.argv[1]
# tensorflow::DeviceFactory::ListAllPhysicalDevices(std::vector<std::string>*), with the string of either C++ ABI:
# wheels before 2.9 were built with the old one.
LIST_DEVICES = "_ZN10tensorflow13DeviceFactory22ListAllPhysicalDevicesEPSt6vector"
NEW_ABI, OLD_ABI = "INSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESaIS7_EE", "ISsSaISsEE"
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
gpus = 0
if hasattr(framework, LIST_DEVICES + NEW_ABI):
    getattr(framework, LIST_DEVICES + NEW_ABI)(status, devices)
    for at in range(devices[0], devices[1], 32):  # a pointer, a length, 16 bytes inside
        text = ctypes.string_at(*(ctypes.c_size_t * 2).from_address(at))
        gpus += b":GPU:" in text
else:
    getattr(framework, LIST_DEVICES + OLD_ABI)(status, devices)
    for at in range(devices[0], devices[1], 8):  # a pointer to the text
        gpus += b":GPU:" in ctypes.string_at(ctypes.c_size_t.from_address(at).value)
print(f'{{"imports": "yes", "sees_gpu": "{"yes" if gpus else "no"}", "device_count": {gpus}}}', flush=True)
os._exit(0)
