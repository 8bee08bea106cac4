# SPDX-License-Identifier: Apache-2.0
"""Foreign programs under the drop-in: GEMMILL_COMMAND=build/bin/gemmill test_dropin.py.

They must do with it what they do without it. What is not installed is skipped; scripts/setup
installs it all."""
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
COMMAND = os.environ.get("GEMMILL_COMMAND", str(ROOT / "build" / "bin" / "gemmill"))
TESTERS = {"libblas": "/usr/share/doc/libblas-test/examples/run_blas_tests.sh",
           "libblas64": "/usr/share/doc/libblas64-test/examples/run_blas64_tests.sh"}
FORCED = {"GEMMILL_FORCE_TILED": "1", "GEMMILL_DEVICES": "cpu:3"}


def clean_environment(variables):
    """Without what was meant for somebody else: a GEMMILL_ variable that is no option is a fault."""
    return {k: v for k, v in os.environ.items() if not k.startswith("GEMMILL_")} | variables


def run(*command, folder=None, **variables):
    environment = clean_environment(variables)
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder,
                          env=environment, timeout=250, check=False)


def said(*command, **options):
    done = run(*command, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


LIBRARY = said(COMMAND, "blas", "--preload").strip()
FOLDER = said(COMMAND, "blas", "--folder").strip()
RPATH = f"-Wl,-rpath,{os.path.dirname(LIBRARY)}"


def python_with(module):
    """An interpreter that has the module; None when there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.access(python, os.X_OK) and run(python, "-c", f"import {module}").returncode == 0:
            return python
    return None


class Scratch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def compiled(self, compiler, source, *flags):
        if shutil.which(compiler) is None:
            self.skipTest(f"no {compiler}")
        program = self.folder / Path(source).stem
        said(compiler, "-O1", HERE / source, "-o", program, *flags)
        return program


class Testers(Scratch):
    """netlib's own testers of BLAS and CBLAS, as Debian ships them. They exit 0 whatever happens."""

    def passes(self, name, **variables):
        script = TESTERS[name]
        if not os.path.exists(script) or shutil.which("dpkg-architecture") is None:
            self.skipTest(f"no {name}-test or dpkg-dev")
        if not (Path(FOLDER) / f"{name}.so.3").exists():
            self.skipTest(f"built without {name}.so.3")
        done = run("sh", script, folder=self.folder, LD_LIBRARY_PATH=FOLDER, **variables)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.count("PASSED"), 480, done.stdout[-4000:])
        self.assertNotIn("FAIL", done.stdout)

    def test_lp64(self):
        self.passes("libblas")

    def test_ilp64(self):
        self.passes("libblas64")

    def test_lp64_cut_into_tiles(self):
        self.passes("libblas", **FORCED)

    def test_ilp64_cut_into_tiles(self):
        self.passes("libblas64", **FORCED)


class Lapack(Scratch):
    """A part of LAPACK's own tests, which make thousands of calls; scripts/test-lapack runs all."""
    LINEAR = {"xlintstd": "dtest.in", "xlintstz": "ztest.in"}
    PACKED = {"xlintstrfd": "dtest_rfp.in", "xlintstrfz": "ztest_rfp.in"}

    def setUp(self):
        super().setUp()
        found = list(Path("/usr/lib").glob("*/lapack/xlintstd"))
        if not found:
            self.skipTest("no liblapack-test")
        self.home = found[0].parent

    def failures(self, programs, blas, **variables):
        """Of one thread: what is compared are results, not speed."""
        environment = clean_environment({**variables, "LD_LIBRARY_PATH": f"{blas}:{self.home}",
                                         "OPENBLAS_NUM_THREADS": "1"})
        found = 0
        for program, text in programs.items():
            with open(self.home / text, encoding="utf-8") as file:
                done = subprocess.run(["sh", "-c", f"ulimit -s unlimited; {self.home / program}"],
                                      stdin=file, capture_output=True, text=True, cwd=self.folder,
                                      env=environment, timeout=250, check=False)
            out = done.stdout
            self.assertEqual(done.returncode, 0, f"{program}: {out[-2000:]}{done.stderr}")
            self.assertIn("passed the threshold", out)
            self.assertNotIn("Illegal", out)
            self.assertNotIn("gemmill", done.stderr)
            found += sum(map(int, re.findall(r":\s+(\d+) out of +\d+ tests failed", out)))
        return found

    def no_worse_than_the_host_blas(self, programs, **variables):
        host = self.home.parent / "openblas-pthread"
        if not host.exists():
            self.skipTest("no OpenBLAS to compare with")
        self.assertLessEqual(self.failures(programs, FOLDER, **variables),
                             self.failures(programs, host))

    def test_linear_equations(self):
        self.no_worse_than_the_host_blas(self.LINEAR)

    def test_packed_matrices_cut_into_tiles(self):
        self.no_worse_than_the_host_blas(self.PACKED, **FORCED)


class Programs(Scratch):
    def same_under_it(self, *command, report=r"made \d+ calls of level-3 BLAS"):
        """The output without it, with it in three ways, and its report when asked."""
        plain = said(*command)
        self.assertNotEqual(plain, "")
        for variables in ({}, FORCED):
            done = run(*command, LD_PRELOAD=LIBRARY, **variables)
            self.assertEqual((done.returncode, done.stdout), (0, plain), done.stderr)
            self.assertEqual(done.stderr, "")
        self.assertEqual(said(*command, LD_LIBRARY_PATH=FOLDER), plain)
        done = run(COMMAND, "run", "--", *command)
        self.assertEqual((done.returncode, done.stdout), (0, plain), done.stderr)
        self.assertRegex(done.stderr, report)

    def test_fortran(self):
        program = self.compiled("gfortran", "fortran_client.f90", "-llapack", "-lblas")
        self.same_under_it(program)

    def test_numpy_and_scipy(self):
        python = python_with("numpy")
        if python is None:
            self.skipTest("no numpy")
        self.same_under_it(python, HERE / "client.py")

    def test_a_program_may_define_xerbla(self):
        program = self.compiled("cc", "override.c", LIBRARY, RPATH)
        expected = "mine DGEMM  4\nmine DGEMM  2\nmine cblas_dsyrk 8\nmine cblas_dsyrk 1\n5 5\n"
        self.assertEqual(said(program), expected)
        self.assertEqual(said(program, LD_PRELOAD=LIBRARY), expected)

    def test_shells_that_fork_and_fork_again(self):
        self.assertEqual(said("bash", "-c", "echo $(echo $(echo nested))", LD_PRELOAD=LIBRARY),
                         "nested\n")


class Examples(Scratch):
    """examples/blas, as far as there is somebody to run them. Each ends well when it is right."""
    FOLDER = ROOT / "examples" / "blas"

    def ends_well(self, *command):
        done = run(COMMAND, "run", "--", *command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"made \d+ calls? of level-3 BLAS")

    def test_c(self):
        self.ends_well(self.compiled("cc", self.FOLDER / "product.c", "-lblas", "-lm"))

    def test_fortran(self):
        self.ends_well(self.compiled("gfortran", self.FOLDER / "solve.f90", "-llapack", "-lblas"))

    def test_numpy(self):
        python = python_with("numpy")
        if python is None:
            self.skipTest("no numpy")
        self.ends_well(python, self.FOLDER / "numpy_matmul.py")

    def test_octave(self):
        if shutil.which("octave-cli") is None:
            self.skipTest("no octave-cli")
        self.ends_well("octave-cli", self.FOLDER / "octave_product.m")

    def test_r(self):
        if shutil.which("Rscript") is None:
            self.skipTest("no Rscript")
        self.ends_well("Rscript", self.FOLDER / "r_crossprod.R")


class Report(Scratch):
    def setUp(self):
        super().setUp()
        self.program = self.compiled("cc", "calls.c", LIBRARY, RPATH)

    def test_nothing_is_said_unless_asked(self):
        done = run(self.program)
        self.assertEqual((done.stdout, done.stderr), ("done\n", ""))

    def test_calls_by_routine_and_size(self):
        text = run(self.program, GEMMILL_REPORT="1").stderr
        self.assertRegex(text, r"gemmill: calls \(\d+\) made 111 calls of level-3 BLAS")
        self.assertRegex(text, r"dgemm +to 64 +100 +100 +0 ")
        self.assertRegex(text, r"dgemm +to 1024 +1 +1 +0 ")
        self.assertRegex(text, r"ssyrk +to 64 +10 +10 +0 ")
        self.assertIn("machine 'h200'", text)

    def test_devices_are_told_apart(self):
        text = run(self.program, GEMMILL_REPORT="on", **FORCED).stderr
        self.assertRegex(text, r"dgemm +to 64 +100 +0 +100 ")
        self.assertIn("devices: cpu:3", text)

    def test_a_file_is_added_to(self):
        file = self.folder / "report.txt"
        for _ in range(2):
            self.assertEqual(run(self.program, GEMMILL_REPORT=str(file)).stderr, "")
        self.assertEqual(file.read_text(encoding="utf-8").count("made 111 calls"), 2)

    def test_faults_in_the_environment_are_said_once_and_calls_are_made(self):
        done = run(self.program, GEMMILL_DEVISES="cpu")
        self.assertEqual(done.stdout, "done\n")
        self.assertEqual(done.stderr.count("GEMMILL_DEVISES"), 1, done.stderr)

    def test_the_drop_in_is_no_host_blas(self):
        done = run(self.program, GEMMILL_HOST_BLAS=LIBRARY, GEMMILL_REPORT="1")
        self.assertEqual(done.stdout, "done\n")
        self.assertIn("is Gemmill's own", done.stderr)

    def test_devices_that_are_not_there_are_only_in_the_report(self):
        self.assertEqual(run(self.program, GEMMILL_DEVICES="tpu").stderr, "")
        self.assertIn("'tpu'", run(self.program, GEMMILL_DEVICES="tpu", GEMMILL_REPORT="1").stderr)

    def test_calls_that_devices_cannot_take_are_told(self):
        small = {"GEMMILL_DEVICES": "cpu:2", "GEMMILL_THRESHOLD": "0", "GEMMILL_DEVICE_MEMORY": "1"}
        done = run(self.program, **small)
        self.assertEqual((done.stdout, done.stderr), ("done\n", ""))
        text = run(self.program, GEMMILL_REPORT="1", **small).stderr
        self.assertRegex(text, r"devices could not take 111 calls, which ran on the host; the first: \w+")
        text = run(self.program, GEMMILL_VERBOSE="on", **small).stderr
        self.assertEqual(text.count("devices cannot take a call, which goes to the host BLAS"), 1, text)


class Command(Scratch):
    def test_run_returns_the_programs_status(self):
        self.assertEqual(run(COMMAND, "run", "--", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(run(COMMAND, "run", "--quiet", "--", "true").stderr, "")

    def test_run_says_what_is_wrong(self):
        for needle, *arguments in (("no-such-program", "--", "no-such-program"),
                                   ("program is required",), ("excludes", "--quiet", "--report", "x",
                                                              "--", "true")):
            done = run(COMMAND, "run", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(needle, done.stderr)
        self.assertIn("GEMMILL_X", run(COMMAND, "run", "--", "true", GEMMILL_X="1").stderr)

    def test_run_keeps_what_was_preloaded(self):
        out = said(COMMAND, "run", "--", "sh", "-c", "echo $LD_PRELOAD", LD_PRELOAD=LIBRARY)
        self.assertEqual(out.strip(), f"{LIBRARY}:{LIBRARY}")

    def test_run_finds_the_width_of_integers(self):
        program = self.folder / "wide"
        program.write_text("#!/bin/sh\necho $LD_PRELOAD # libblas64.so.3\n", encoding="utf-8")
        program.chmod(0o755)
        self.assertIn("libgemmill_blas64.so", said(COMMAND, "run", "--", program))
        self.assertIn("libgemmill_blas.so", said(COMMAND, "run", "--", "sh", "-c", "echo $LD_PRELOAD"))

    def test_lines_for_alternatives(self):
        lines = said(COMMAND, "blas", "--alternatives").splitlines()
        self.assertTrue(any(re.match(r"update-alternatives --install /usr/lib/\S+/libblas\.so\.3 "
                                     r"libblas\.so\.3-\S+ \S+/libblas\.so\.3 \d+$", line)
                            for line in lines), lines)
        self.assertIn("LD_PRELOAD", said(COMMAND, "blas"))


if __name__ == "__main__":
    sys.exit(unittest.main())
