# SPDX-License-Identifier: Apache-2.0
"""The drop-in in a process: closed again, with other rights than its user's, and not reached."""
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import COMMAND, HERE, LIBRARY, ROOT, RPATH, Scratch, run, said


class Closing(Scratch):
    """Threads of devices outlive dlclose."""

    def test_the_drop_in(self):
        program = self.compiled("cc", "close.c", "-ldl")
        self.assertEqual(said(program, LIBRARY, "blas", GEMMILL_FORCE_TILED="1",
                              GEMMILL_DEVICES="cpu:2"), "closed\n")

    def test_the_library(self):
        program = self.compiled("cc", "close.c", "-ldl")
        library = Path(LIBRARY).with_name("libgemmill.so")
        self.assertEqual(said(program, library, "context"), "closed\n")


class Rights(Scratch):
    """A set-uid program that is linked with the drop-in: nothing of the environment is believed."""
    NOBODY = 65534

    def set_uid(self, program):
        if os.getuid() != 0:
            self.skipTest("only root can make a program of somebody else")
        # The other user must be able to read what the program needs.
        libraries = self.folder / "lib"
        shutil.copytree(Path(LIBRARY).parent, libraries, symlinks=True,
                        ignore=lambda _, names: [n for n in names if ".so" not in n])
        for path in (self.folder, libraries):
            path.chmod(0o755)
        said("cc", "-O1", HERE / "calls.c", "-o", program, libraries / Path(LIBRARY).name,
             f"-Wl,--disable-new-dtags,-rpath,{libraries}")
        os.chown(program, self.NOBODY, self.NOBODY)
        program.chmod(0o6755)
        secure = self.compiled("cc", "secure.c")
        os.chown(secure, self.NOBODY, self.NOBODY)
        secure.chmod(0o6755)
        if said(secure) != "secure\n":
            self.skipTest("set-uid has no effect here")
        return program

    def test_no_variable_is_read(self):
        program = self.set_uid(self.folder / "calls")
        report = self.folder / "report.txt"
        for variables in ({"GEMMILL_REPORT": "1"}, {"GEMMILL_REPORT": str(report)},
                          {"GEMMILL_NO_OPTION": "1"}, {"GEMMILL_HOST_BLAS": "/nonexistent"}):
            done = run(program, **variables)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))
        self.assertFalse(report.exists())
        program.chmod(0o755)
        self.assertIn("made 111 calls", run(program, GEMMILL_REPORT="1").stderr)

    def test_run_says_that_nothing_is_preloaded(self):
        program = self.set_uid(self.folder / "calls")
        self.assertIn("its BLAS cannot be reached: it runs with the rights",
                      run(COMMAND, "run", "--", program).stderr)


class NoEnvironment(Scratch):
    def test_a_program_without_one_is_served(self):
        program = self.compiled("cc", "calls.c", LIBRARY, RPATH)
        done = subprocess.run([program], env={}, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "done\n", ""))


class Unreached(Scratch):
    """gemmill run says in one line that no call came, and why."""

    def line_of(self, *command, **variables):
        done = run(COMMAND, "run", "--", *command, **variables)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_no_blas(self):
        self.assertRegex(self.line_of("true"), r"^gemmill: true \(\d+\): no calls of level-3 BLAS "
                                               "arrived: it loaded no BLAS")

    def test_other_names(self):
        library = self.compiled("cc", ROOT / "test" / "support" / "renamed_blas.c", "-DUNKNOWN_ONLY",
                                "-shared", "-fPIC", name="libfoo.so")
        program = self.compiled("cc", "loader.c", "-ldl")
        self.assertIn("not reached: libfoo.so has its BLAS under other names (foo_dgemm_)",
                      self.line_of(program, library, "foo_dgemm_"))
        # Also where somebody else preloaded it and asked for a report.
        done = run(program, library, "foo_dgemm_", LD_PRELOAD=LIBRARY, GEMMILL_REPORT="1")
        self.assertIn("libfoo.so", done.stderr)

    def test_a_program_that_brings_its_own(self):
        program = self.compiled("cc", "own_blas.c", "-rdynamic")
        self.assertIn("not reached: the program has a BLAS linked into it", self.line_of(program))

    def test_a_blas_that_nobody_called(self):
        program = self.compiled("cc", "secure.c", "-Wl,--no-as-needed", "-lblas")
        self.assertRegex(self.line_of(program), r"libblas\.so\.3.* is loaded, and calls by its "
                                                "names would have come here")

    def test_a_static_program(self):
        program = self.compiled("cc", "own_blas.c", "-static")
        self.assertIn("its BLAS cannot be reached: it is linked statically", self.line_of(program))

    def test_nothing_is_said_unless_a_report_is_asked_for(self):
        self.assertEqual(run("true", LD_PRELOAD=LIBRARY).stderr, "")
        self.assertEqual(run(COMMAND, "run", "--quiet", "--", "true").stderr, "")
        # Nor by processes that have nothing to do with BLAS, such as those that a script starts.
        self.assertEqual(run("true", LD_PRELOAD=LIBRARY, GEMMILL_REPORT="1").stderr, "")

    def test_a_report_has_it_beside_the_calls(self):
        library = self.compiled("cc", ROOT / "test" / "support" / "renamed_blas.c", "-DUNKNOWN_ONLY",
                                "-shared", "-fPIC", name="libfoo.so")
        program = self.compiled("cc", "calls.c", "-Wl,--no-as-needed", library, LIBRARY, RPATH,
                                f"-Wl,-rpath,{self.folder}")
        text = run(program, GEMMILL_REPORT="1").stderr
        self.assertIn("made 111 calls", text)
        self.assertIn("  not reached: libfoo.so", text)


if __name__ == "__main__":
    sys.exit(unittest.main())
