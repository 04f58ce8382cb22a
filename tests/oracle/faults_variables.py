"""Variables of the user's that a framework, the driver, Python or the loader reads."""

_COMMON = [("CUDA_DEVICE_ORDER", "PCI_BUS_ID"), ("CUDA_LAUNCH_BLOCKING", "1"), ("CUDA_MODULE_LOADING", "EAGER"),
           ("NVIDIA_VISIBLE_DEVICES", "none"), ("NVIDIA_TF32_OVERRIDE", "0"), ("CUDA_HOME", "/usr/local/cuda-99"), ("OMP_NUM_THREADS", "1"),
           ("HIP_VISIBLE_DEVICES", ""), ("LD_BIND_NOW", "1"), ("PYTHONSAFEPATH", "1"), ("PYTHONNOUSERSITE", "1"), ("KERAS_BACKEND", "torch")]
_OWN = {
    "tensorflow": [("TF_FORCE_GPU_ALLOW_GROWTH", "true"), ("TF_GPU_ALLOCATOR", "cuda_malloc_async"), ("TF_ENABLE_ONEDNN_OPTS", "0"),
                   ("TF_XLA_FLAGS", "--tf_xla_auto_jit=2"), ("TF_USE_LEGACY_KERAS", "1"), ("TF_FORCE_UNIFIED_MEMORY", "1"),
                   ("XLA_FLAGS", "--xla_gpu_cuda_data_dir=/usr/local/cuda"), ("XLA_FLAGS", "--xla_no_such_flag=1"),
                   ("TF_XLA_FLAGS", "--tf_no_such_flag=1"), ("TF_MIN_GPU_MULTIPROCESSOR_COUNT", "200"), ("TF_PLUGGABLE_DEVICE_LIBRARY_PATH", "/nowhere")],
    "pytorch": [("PYTORCH_NVML_BASED_CUDA_CHECK", "1"), ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True"),
                ("PYTORCH_CUDA_ALLOC_CONF", "no_such_option:1"), ("TORCH_DEVICE_BACKEND_AUTOLOAD", "0"), ("TORCH_CUDA_ARCH_LIST", "9.9"),
                ("PYTORCH_NO_CUDA_MEMORY_CACHING", "1"), ("TORCH_LOGS", "+dynamo"), ("TORCH_SHOW_CPP_STACKTRACES", "1")],
    "jax": [("JAX_PLATFORMS", "cpu"), ("JAX_PLATFORMS", "cuda"), ("JAX_PLATFORMS", "gpu"), ("JAX_PLATFORMS", "cuda,cpu"), ("JAX_PLATFORMS", "cpu,cuda"),
            ("JAX_PLATFORMS", ""), ("JAX_PLATFORMS", "tpu"), ("JAX_PLATFORMS", "CUDA"), ("JAX_PLATFORMS", "rocm,cuda"), ("JAX_PLATFORM_NAME", "cpu"),
            ("JAX_PLATFORM_NAME", "gpu"), ("JAX_PLATFORM_NAME", "cuda"), ("JAX_CUDA_VISIBLE_DEVICES", "0"), ("JAX_CUDA_VISIBLE_DEVICES", "1"),
            ("JAX_CUDA_VISIBLE_DEVICES", "all"), ("JAX_ENABLE_X64", "true"), ("JAX_ENABLE_X64", "maybe"), ("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "1"),
            ("XLA_PYTHON_CLIENT_PREALLOCATE", "false"), ("XLA_FLAGS", "--xla_no_such_flag=1"), ("XLA_FLAGS", "--xla_force_host_platform_device_count=4"),
            ("XLA_PYTHON_CLIENT_MEM_FRACTION", ".5"), ("JAX_MOCK_GPU_TOPOLOGY", "1x2x1"), ("JAX_PLATFORMS", "gpu,cpu"), ("JAX_PLATFORMS", " cuda"),
            ("JAX_PLATFORMS", "cuda, cpu"), ("JAX_PLATFORMS", "cuda,"), ("JAX_PLATFORMS", "cuda,cuda"), ("JAX_PLATFORMS", "cpu,nonsense"),
            ("JAX_PLATFORM_NAME", "CPU"), ("JAX_PLATFORM_NAME", "nonsense"),
            ("JAX_DEFAULT_PRNG_IMPL", "rbg"), ("JAX_DEFAULT_PRNG_IMPL", "RBG"), ("JAX_DEFAULT_MATMUL_PRECISION", "high"), ("JAX_DEFAULT_MATMUL_PRECISION", "highest "),
            ("JAX_TRACEBACK_FILTERING", "off"), ("JAX_TRACEBACK_FILTERING", "none"), ("JAX_PGLE_PROFILING_RUNS", " 1_0 "), ("JAX_PGLE_PROFILING_RUNS", "1.5"),
            ("JAX_RANDOM_SEED_OFFSET", ""), ("JAX_NUM_CPU_DEVICES", "many")],
    "onnxruntime": [("ORT_DISABLE_ALL", "1"), ("ORT_TENSORRT_FP16_ENABLE", "1")],
    "keras": [("KERAS_BACKEND", "tensorflow"), ("KERAS_BACKEND", "torch"), ("KERAS_BACKEND", "jax"), ("KERAS_BACKEND", "numpy"),
              ("KERAS_BACKEND", "openvino"), ("KERAS_BACKEND", "theano"), ("KERAS_BACKEND", ""), ("KERAS_BACKEND", "Torch")],
}


class Variables:
    """Part of scenarios.Maker."""

    def variable(self):
        """One variable of the framework's, of its backend's, or one that everybody has."""
        rng, environment = self.rng, self.environment
        own = _OWN[environment.framework] + (_OWN[environment.engine] if environment.backend else [])
        name, value = rng.choice(own if rng.random() < 0.8 else _COMMON)
        # Read by Python code, which the fast question does not run.
        if name in ("KERAS_BACKEND", "TF_PLUGGABLE_DEVICE_LIBRARY_PATH") and self.scenario["question"] == "fast":
            return
        self.scenario["environment"][name] = value
        self.note(f"{name}={value!r}", False)

    def keras_file(self):
        """The file that names Keras' backend, right or damaged."""
        if self.environment.framework != "keras":
            return
        self.scenario["environment"].pop("KERAS_BACKEND", None)
        backend = self.rng.choice(["tensorflow", "torch", "jax", "numpy", "theano"])
        text = self.rng.choice(['{"backend": "%s"}', '{"floatx": "float32",\n "epsilon": 1e-07,\n "backend": "%s"}', "{'backend': '%s'}", '{"backend": "%s"', "[]"])
        text = text % backend if "%s" in text else text
        place = "{home}/.keras"
        if self.rng.random() < 0.4:
            place = self.scenario["environment"]["KERAS_HOME"] = "{mnt}/keras-home"
        self.do("write", place + "/keras.json", text)
        self.note(f"keras.json {text!r} in {place}", False)

    def preload_odd(self):
        """LD_PRELOAD of something that cannot be, or need not be, loaded first."""
        kind = self.rng.choice(["gone", "elf32", "other-machine", "text", "stub-driver", "plain", "bare-name"])
        target = {"gone": "{mnt}/not-there.so", "elf32": "{wrong}/elf32.so", "other-machine": "{wrong}/other_machine.so", "plain": "{wrong}/good.so",
                  "stub-driver": "{doubles}/stub-driver/libcuda.so.1", "bare-name": "libm.so.6", "text": "{mnt}/preload.txt"}[kind]
        if kind == "text":
            self.do("write", target, "not a library\n")
        before = self.scenario["environment"].get("LD_PRELOAD")
        separator = self.rng.choice([":", " "])
        self.scenario["environment"]["LD_PRELOAD"] = (before + separator if before else "") + target
        self.note(f"LD_PRELOAD of {kind}", False)
