# SPDX-License-Identifier: Apache-2.0
"""Handlers of bad arguments: xerbla_ of a program or of its libraries is told, however the drop-in
came into the process, and as it is told without it."""
import shutil
import sys
import unittest

from support import FOLDER, HERE, LIBRARY, RPATH, Scratch, python_with, run, said

SHARED = ("-shared", "-fPIC", "-fexceptions")
WAYS = {"preloaded": {"LD_PRELOAD": LIBRARY}, "from the folder": {"LD_LIBRARY_PATH": FOLDER}}


class Handlers(Scratch):
    def same_in_every_way(self, *command, needle):
        plain = run(*command)
        self.assertIn(needle, plain.stdout + plain.stderr)
        for way, variables in WAYS.items():
            with self.subTest(way):
                done = run(*command, **variables)
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (plain.returncode, plain.stdout, plain.stderr))

    def test_of_a_program(self):
        program = self.compiled("cc", "override.c", LIBRARY, RPATH)
        expected = "mine DGEMM  4\nmine DGEMM  2\nmine cblas_dsyrk 8\nmine cblas_dsyrk 1\n5 5\n"
        self.assertEqual(said(program), expected)
        self.assertEqual(said(program, LD_PRELOAD=LIBRARY), expected)

    def test_of_a_program_that_is_linked_with_another_blas(self):
        program = self.compiled("cc", "bad_call.c", "-DHANDLER", "-DPROGRAM", "-lblas")
        self.same_in_every_way(program, needle="told DGEMM 8")

    def test_of_a_library_that_the_program_is_linked_with(self):
        handler = self.compiled("cc", "bad_call.c", "-DHANDLER", *SHARED, name="libhandler.so")
        program = self.compiled("cc", "bad_call.c", "-DPROGRAM", "-Wl,--no-as-needed", handler,
                                f"-Wl,-rpath,{self.folder}", "-lblas")
        self.same_in_every_way(program, needle="told DGEMM 8")

    def test_of_a_module_that_is_loaded_for_itself(self):
        """As numpy loads its own."""
        module = self.compiled("cc", "bad_call.c", "-DHANDLER", *SHARED, "-lblas", name="module.so")
        program = self.compiled("cc", "loader.c", "-ldl")
        self.same_in_every_way(program, module, "bad_call", needle="told DGEMM 8")
        self.same_in_every_way(program, module, "bad_c_call", needle="told DGEMM ")

    def test_that_does_not_come_back(self):
        """As R's."""
        program = self.compiled("cc", "bad_call.c", "-DHANDLER", "-DPROGRAM", "-DJUMPING", "-lblas")
        self.same_in_every_way(program, needle="told DGEMM 8\n")
        self.assertNotIn("went on", said(program, LD_PRELOAD=LIBRARY))

    def test_that_throws(self):
        """As Octave's."""
        program = self.compiled("c++", "throwing.cpp", "-lblas")
        self.same_in_every_way(program, needle="caught DGEMM 8")

    def test_of_nobody(self):
        """What the BLAS behind the folder says, or ours where there is none."""
        program = self.compiled("cc", "bad_call.c", "-DPROGRAM", "-lblas")
        self.same_in_every_way(program, needle="On entry to DGEMM")
        alone = self.compiled("cc", "bad_call.c", "-DPROGRAM", LIBRARY, RPATH, name="alone")
        done = run(alone)
        self.assertEqual(done.stdout, "went on\n")
        self.assertEqual(done.stderr, " ** On entry to DGEMM  parameter number 8 had an illegal value\n")

    def test_of_numpy(self):
        """lapack_lite of Debian's numpy has one; that of the wheels is its OpenBLAS's."""
        for python in {sys.executable, "/usr/bin/python3"}:
            if run(python, "-c", "import numpy").returncode == 0:
                self.same_in_every_way(python, HERE / "bad_numpy.py", needle="DORGQR")
        if python_with("numpy") is None:
            self.skipTest("no numpy")

    def test_of_r(self):
        if shutil.which("Rscript") is None:
            self.skipTest("no Rscript")
        module = self.compiled("cc", "bad_call.c", *SHARED, "-lblas", name="module.so")
        script = (f'dyn.load("{module}"); '
                  'print(tryCatch(.C("bad_call"), error=function(e) conditionMessage(e)))')
        self.same_in_every_way("Rscript", "-e", script, needle="'DGEMM ' gave error code -8")

    def test_of_octave(self):
        if shutil.which("octave-cli") is None:
            self.skipTest("no octave-cli")
        self.compiled("cc", "bad_call.c", *SHARED, "-lblas", name="bad_call.mex")
        command = ("octave-cli", "--norc", "--eval",
                   f'addpath("{self.folder}"); try; bad_call; disp("went on"); catch; disp("told"); end')
        for variables in ({}, *WAYS.values()):
            done = run(*command, **variables)
            # OpenBLAS counts the end of the name with it.
            self.assertRegex(done.stderr, r"DGEMM \0?: parameter number 8 is invalid")
            self.assertEqual(done.stdout, "told\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
