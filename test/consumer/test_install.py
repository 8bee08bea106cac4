# SPDX-License-Identifier: Apache-2.0
"""Installs the release build into an empty folder and uses it as a stranger would."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
ROUTINE = r"[sdcz](gemm|gemmtr?|symm|hemm|syr2?k|her2?k|trmm|trsm)"
BLAS = re.compile(rf"(scipy_)?{ROUTINE}(_|_64_|64_)?$|(scipy_)?cblas_{ROUTINE}(64_|_64)?$|"
                  r"RowMajorStrg$|CBLAS_CallFromC$|gemmill_dropin$")
EXPORTED = re.compile(r"gemmill_|_ZNK?7gemmill|_ZT[ISV]N7gemmill")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="gemmill-consumer-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        stage = cls.folder / "stage"
        run("cmake", "--install", BUILD, "--prefix", stage)
        # Moved, so that nothing can depend on where it was first put.
        cls.prefix = stage.rename(cls.folder / "moved")
        cls.library = next(cls.prefix.rglob("libgemmill.so"))

    def headers(self):
        return sorted((self.prefix / "include").rglob("*.h*"))

    def pkg_config(self, *arguments):
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.library.parent / "pkgconfig")}
        return run("pkg-config", *arguments, "gemmill", env=environment).split()

    def test_everything_is_there(self):
        for name in ("bin/gemmill", "include/gemmill/gemmill.hpp", "include/gemmill/gemmill.h",
                     "include/gemmill/version.hpp", "share/gemmill/machines/*.machine",
                     "share/doc/gemmill/LICENSE"):
            self.assertTrue(list(self.prefix.glob(name)), name)

    def test_soversion(self):
        out = run("readelf", "-d", self.library)
        self.assertRegex(out, r"SONAME.*\[libgemmill\.so\.\d+\]")
        self.assertTrue(self.library.is_symlink())

    def test_command_runs_where_it_was_put(self):
        self.assertIn(self.pkg_config("--modversion")[0],
                      run(self.prefix / "bin" / "gemmill", "--version"))

    def test_cmake_project(self):
        build = self.folder / "cmake"
        run("cmake", "-G", "Ninja", "-S", HERE / "cmake", "-B", build,
            f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", build)
        self.assertIn("lda", run(build / "consumer"))
        run(build / "caller")

    def test_pkg_config_program_in_c(self):
        program = self.folder / "consumer_c"
        run("cc", "-std=c99", *STRICT, *self.pkg_config("--cflags"), HERE / "pkgconfig" / "main.c",
            "-o", program, *self.pkg_config("--libs"), f"-Wl,-rpath,{self.library.parent}")
        run(program)

    def test_pkg_config_program_that_calls_blas(self):
        program = self.folder / "caller"
        environment = {**os.environ, "PKG_CONFIG_PATH": str(self.library.parent / "pkgconfig")}
        flags = run("pkg-config", "--libs", "gemmill_blas", env=environment).split()
        run("c++", *STRICT, HERE / "cmake" / "caller.cpp", "-o", program, *flags,
            f"-Wl,-rpath,{self.library.parent}")
        run(program)

    def test_the_drop_in_is_found_where_it_was_put(self):
        command = self.prefix / "bin" / "gemmill"
        for name in ("--preload", "--folder"):
            self.assertTrue(run(command, "blas", name).startswith(str(self.prefix)))
        library = Path(run(command, "blas", "--preload").strip())
        out = run("nm", "-D", "--defined-only", library)
        names = [line.split(" ", 2)[2] for line in out.splitlines()]
        strange = [name for name in names if not BLAS.match(name)]
        self.assertEqual(strange, [])
        # Every routine by every family: dgemm_, dgemm_64_ and so on.
        self.assertEqual(len([name for name in names if re.match(rf"{ROUTINE}_$", name)]), 38)
        self.assertEqual(len(names), 38 * 11 + 3)
        program = self.folder / "plain_caller"
        run("c++", HERE / "cmake" / "caller.cpp", "-o", program, "-x", "none", library,
            f"-Wl,-rpath,{library.parent}")
        folder = Path(run(command, "blas", "--folder").strip())
        needs = run("readelf", "-d", folder / "libblas.so.3")
        self.assertRegex(needs, r"(?s)\[libgemmill\.so\.\d+\].*\[libopenblas\.so\.0\]")
        self.assertEqual(run("bash", "-c", "echo $(echo ok)",
                             env={**os.environ, "LD_PRELOAD": str(folder / "libblas.so.3")}), "ok\n")

    def test_exported_names(self):
        out = run("nm", "-D", "--defined-only", self.library)
        names = [line.split(" ", 2)[2] for line in out.splitlines()]
        strange = [name for name in names if not EXPORTED.match(name)]
        self.assertEqual(strange, [])
        self.assertIn("gemmill_dgemm", names)

    def test_headers_compile_alone_as_cpp(self):
        mpi = ("mpic++", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
        for header in self.headers():
            with self.subTest(header=header.name):
                compiler = mpi if header.stem == "dist" else ("c++",)
                if shutil.which(compiler[0]) is None:
                    self.skipTest(f"no {compiler[0]}")
                run(*compiler, "-std=c++20", *STRICT, "-fsyntax-only", "-x", "c++",
                    "-I", self.prefix / "include", "-include", header, os.devnull)

    def test_c_header_compiles_alone_as_c99(self):
        include = self.prefix / "include"
        for name in ("gemmill.h", "level3.h"):
            run("cc", "-std=c99", *STRICT, "-fsyntax-only", "-x", "c", "-I", include, "-include",
                include / "gemmill" / name, os.devnull)
        if shutil.which("mpicc") is not None:
            run("mpicc", "-std=c99", *STRICT, "-fsyntax-only", "-x", "c", "-I", include, "-include",
                include / "gemmill" / "dist.h", os.devnull)

    def test_names_no_folder_of_the_build(self):
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".pc", ".hpp", ".h"):
                with self.subTest(file=path.name):
                    self.assertNotIn(str(ROOT), path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    sys.exit(unittest.main())
