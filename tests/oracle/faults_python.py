"""What can be wrong on the Python side of a scenario: what wins an import, what is missing, what has another release."""


class PythonSide:
    """Part of scenarios.Maker."""

    def file_in_the_way(self):
        """A file or folder that wins an import from the current folder or from PYTHONPATH."""
        framework = self.environment.engine
        own = {"tensorflow": "tensorflow", "pytorch": "torch", "jax": "jax", "onnxruntime": "onnxruntime"}[framework]
        names = [own, "numpy", "typing", "random", "google", "queue", "types", "utils", "test", "keras", "logging", "string", "packaging"]
        name = self.rng.choice(names)
        shape = self.rng.choice(["file", "file", "package", "bare-folder"])
        where = self.rng.choice(["{cwd}", "{cwd}", "{mnt}/pythonpath"])
        if shape == "file":
            self.do("write", f"{where}/{name}.py", "x = 1\n")
        elif shape == "package":
            self.do("write", f"{where}/{name}/__init__.py", "x = 1\n")
        else:
            self.do("write", f"{where}/{name}/notes.txt", "")
        if where != "{cwd}":
            self.scenario["environment"]["PYTHONPATH"] = where
        self.note(f"{shape} {name} in {where}", False)

    def leftover(self):
        self.do("write", "{site}/" + self.rng.choice(["~ensorflow/__init__.py", "-ensorflow/x.py", "~orch/__init__.py"]), "x = 1\n")
        self.note("leftover of a broken removal in site-packages")

    def user_site(self):
        name = self.rng.choice(["numpy", "tensorflow", "torch", "google", "keras"])
        self.do("write", f"{{home}}/.local/lib/python{self.environment.python}/site-packages/{name}/__init__.py", "raise ImportError('user site')\n")
        self.note(f"{name} in the user site (a virtual environment does not look there)")

    def package_gone(self):
        names = {"tensorflow": ["keras", "gast", "wrapt", "h5py", "absl", "opt_einsum", "termcolor", "google", "numpy", "flatbuffers",
                                "ml_dtypes", "astunparse", "grpc", "requests", "tensorboard", "rich"],
                 "pytorch": ["sympy", "filelock", "jinja2", "networkx", "numpy", "fsspec", "mpmath"],
                 "jax": ["opt_einsum", "ml_dtypes", "scipy", "numpy", "jaxlib", "jax_cuda12_plugin", "jax_plugins"],
                 "onnxruntime": ["numpy", "flatbuffers", "google"]}[self.environment.engine]
        if self.environment.release < (2, 12) and self.environment.engine == "tensorflow":
            names = [name for name in names if name not in ("ml_dtypes", "rich")]
        name = self.rng.choice(names)
        self.do("remove?", "{site}/" + name)
        self.note(f"package folder {name} removed", False)

    def other_release(self):
        """Another real release of a dependency, installed over the right one."""
        choices = {"3.9": ["numpy-1.24-py39", "protobuf-4.25-py39"],
                   "3.10": ["numpy-2.2-py310", "protobuf-4.25-py310", "numpy-1.21-py310", "protobuf-3.20-py310", "keras-3-py310"],
                   "3.11": ["numpy-1.24", "numpy-2.0", "protobuf-3.20", "protobuf-4.25", "protobuf-6", "ml-dtypes-0.2", "keras-2.15",
                            "keras-3", "typing-extensions-4.5"],
                   "3.12": ["numpy-2.3-py312", "numpy-1.26-py312", "protobuf-4.25-py312", "ml-dtypes-0.3-py312", "keras-2.15-py312"]}
        uses = {"tensorflow": ("numpy", "protobuf", "ml", "keras", "typing"), "pytorch": ("numpy", "typing"), "jax": ("numpy", "ml"),
                "onnxruntime": ("numpy", "protobuf")}[self.environment.engine]
        name = self.rng.choice([n for n in choices[self.environment.python] if n.split("-")[0] in uses])
        package = {"numpy": "numpy", "protobuf": "google/protobuf", "ml": "ml_dtypes", "keras": "keras",
                   "typing": "typing_extensions.py"}[name.split("-")[0]]
        distribution = {"ml": "ml_dtypes", "typing": "typing_extensions"}.get(name.split("-")[0], name.split("-")[0])
        self.do("remove?", "{site}/" + package)
        if package == "numpy":
            self.do("remove?", "{site}/numpy.libs")
        self.do("remove_distribution", "{site}/" + distribution)
        self.do("copytree", "{extra}/" + name, "{site}")
        self.scenario["overlay"] = name
        self.note(f"{name} over the installed one", False)
