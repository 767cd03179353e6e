"""Makes a Conan 2 package of the library from the sources in this tree:

  conan create packaging/conan --build=missing

The test package builds a consumer and encodes a text with the built-in model. The Conan package does not have the
program, which comes as one file (docs/RELEASE.md) or by `cmake --install`.
"""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

SOURCES = Path(__file__).resolve().parents[2]


class BertInfer(ConanFile):
    name = "bert-infer"
    description = "BERT encoders in C++: the reference's numbers, the same bits everywhere"
    license = "Apache-2.0"
    topics = ("bert", "embeddings", "inference")
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": False}
    generators = "CMakeDeps"

    def set_version(self):
        text = (SOURCES / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"^project\(bert-infer VERSION ([0-9.]+)", text, re.MULTILINE).group(1)

    def export_sources(self):
        for folder in ("cmake", "include", "engine", "tokenizer", "models", "tasks", "bindings/c"):
            copy(self, f"{folder}/*", str(SOURCES), self.export_sources_folder)
        for file in ("CMakeLists.txt", "LICENSE"):
            copy(self, file, str(SOURCES), self.export_sources_folder)

    def requirements(self):
        self.requires("eigen/[>=3.3 <4]", visible=False)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("PROGRAM", "TESTS", "SERVER"):
            toolchain.cache_variables[f"BERT_INFER_{part}"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="bertinfer_shared" if self.options.shared else "bertinfer")

    def package(self):
        licenses = str(Path(self.package_folder, "licenses"))
        copy(self, "LICENSE", self.source_folder, licenses)
        copy(self, "NOTICE", str(Path(self.source_folder, "models/builtin")), licenses)
        copy(self, "*.h", str(Path(self.source_folder, "include")), str(Path(self.package_folder, "include")))
        for pattern in ("libbertinfer.so*", "libbertinfer*.dylib") if self.options.shared else ("libbertinfer.a",):
            copy(self, pattern, self.build_folder, str(Path(self.package_folder, "lib")), keep_path=False)

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "BertInfer")
        self.cpp_info.set_property("cmake_target_name", "BertInfer::bertinfer")
        self.cpp_info.libs = ["bertinfer"]
        if self.settings.os == "Linux" and not self.options.shared:
            self.cpp_info.system_libs = ["m", "pthread", "dl"]
