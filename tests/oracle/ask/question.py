"""Asks one framework, as a user would, whether it imports and sees a GPU. usage: python -c TEXT_OF_THIS FRAMEWORK

Prints a JSON line when the import is over and one when the answer is there, so that a crash shows its stage. Given to
python by -c, so that the current folder comes first on sys.path and this file's folder does not."""

import sys

framework = sys.argv[1]


def say(**answer):
    sys.__stdout__.write(repr(answer).replace("'", '"') + "\n")
    sys.__stdout__.flush()


def identity_model():
    """The smallest ONNX model (float x[1] -> Identity -> y[1], opset 13), as protobuf bytes."""
    def field(number, payload):
        return bytes([number << 3 | 2, len(payload)]) + payload
    tensor = field(1, b"\x08\x01" + field(2, field(1, b"\x08\x01")))  # elem_type float, shape [1]
    node = field(1, b"x") + field(2, b"y") + field(4, b"Identity")
    graph = field(1, node) + field(2, b"g") + field(11, field(1, b"x") + field(2, tensor)) + field(12, field(1, b"y") + field(2, tensor))
    return b"\x08\x07" + field(7, graph) + field(8, b"\x10\x0d")


try:
    if framework == "tensorflow":
        import tensorflow as tf
    elif framework == "pytorch":
        import torch
    elif framework == "jax":
        import jax
    elif framework == "onnxruntime":
        import onnxruntime as ort
    elif framework == "keras":
        import keras
except BaseException as error:  # whatever ends the import is the answer
    sys.stderr.write(f"{type(error).__name__}: {error}\n")
    say(imports="no", sees_gpu="no", device_count=0, error=type(error).__name__)
    sys.exit(0)
try:  # another module of that name is no import of the framework
    whole = {"tensorflow": "tf.config.list_physical_devices", "pytorch": "torch.cuda.is_available", "jax": "jax.devices",
             "onnxruntime": "ort.InferenceSession", "keras": "keras.Model"}[framework]
    eval(whole)
except AttributeError as error:
    sys.stderr.write(f"{type(error).__name__}: {error}\n")
    say(imports="other", sees_gpu="no", device_count=0, error="another module")
    sys.exit(0)
say(imports="yes")
backend = framework
try:
    if framework == "keras":  # it computes where its backend does
        backend = {"torch": "pytorch"}.get(keras.backend.backend(), keras.backend.backend())
        if backend == "tensorflow":
            import tensorflow as tf
        elif backend == "pytorch":
            import torch
        elif backend == "jax":
            import jax
    if backend == "tensorflow":
        count = len(tf.config.list_physical_devices("GPU"))
    elif backend == "pytorch":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    elif backend == "jax":
        count = sum(device.platform == "gpu" for device in jax.devices())
    elif framework == "keras":
        count = 0
    else:
        options = ort.SessionOptions()
        options.log_severity_level = 1
        session = ort.InferenceSession(identity_model(), options, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
        count = int("CUDAExecutionProvider" in session.get_providers())
except BaseException as error:
    sys.stderr.write(f"{type(error).__name__}: {error}\n")
    say(imports="yes", sees_gpu="no", device_count=0, error=type(error).__name__)
    sys.exit(0)
say(imports="yes", sees_gpu="yes" if count else "no", device_count=count)
sys.stdout.flush()
import os  # noqa: E402

os._exit(0)  # what happens while the interpreter is taken down is not asked
