"""A recipe for Conan 2: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Holdfast(ConanFile):
    name = "holdfast"
    description = "Distributed locks for C++20 and for the shell"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "with_embedded": [True, False],
        "with_redis": [True, False],
    }
    default_options = {"shared": False, "fPIC": True, "with_embedded": True, "with_redis": True}

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = os.path.join(self._tree, "include", "holdfast", "version.hpp")
        with open(header, encoding="utf-8") as file:
            text = file.read()
        parts = [
            re.search(rf"HOLDFAST_VERSION_{part} (\d+)", text).group(1)
            for part in ("MAJOR", "MINOR", "PATCH")
        ]
        self.version = ".".join(parts)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "packaging/*"):
            copy(self, pattern, self._tree, self.export_sources_folder)

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")

    def requirements(self):
        if self.options.with_embedded:
            self.requires("sqlite3/[>=3.40 <4]")
        if self.options.with_redis:
            self.requires("hiredis/[>=1.0 <2]")
            self.requires("openssl/[>=3 <4]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update(
            {
                "HOLDFAST_WITH_EMBEDDED": bool(self.options.with_embedded),
                "HOLDFAST_WITH_REDIS": bool(self.options.with_redis),
                "HOLDFAST_WITH_TLS": bool(self.options.with_redis),
                "HOLDFAST_BUILD_CLI": False,
                "HOLDFAST_BUILD_TESTS": False,
                "HOLDFAST_BUILD_BENCH": False,
                "HOLDFAST_BUILD_EXAMPLES": False,
                "HOLDFAST_INSTALL": True,
            }
        )
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.libs = ["holdfast"]
        self.cpp_info.set_property("cmake_file_name", "holdfast")
        self.cpp_info.set_property("cmake_target_name", "holdfast::holdfast")
        if not self.options.shared:
            self.cpp_info.defines = ["HOLDFAST_STATIC"]
            self.cpp_info.system_libs = ["pthread"]
