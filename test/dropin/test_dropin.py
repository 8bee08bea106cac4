# SPDX-License-Identifier: Apache-2.0
"""Foreign programs under the drop-in: GEMMILL_COMMAND=build/bin/gemmill test_dropin.py.

They must do with it what they do without it. What is not installed is skipped; scripts/setup
installs it all."""
import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from support import (COMMAND, FOLDER, FORCED, HERE, LIBRARY, ROOT, RPATH, Scratch, clean_environment,
                     python_with, run, said)

TESTERS = {"libblas": "/usr/share/doc/libblas-test/examples/run_blas_tests.sh",
           "libblas64": "/usr/share/doc/libblas64-test/examples/run_blas64_tests.sh"}


class Testers(Scratch):
    """netlib's own testers of BLAS and CBLAS, as Debian ships them. They exit 0 whatever happens."""

    def passes(self, name, **variables):
        script = TESTERS[name]
        if not os.path.exists(script) or shutil.which("dpkg-architecture") is None:
            self.skipTest(f"no {name}-test or dpkg-dev")
        if not (Path(FOLDER) / f"{name}.so.3").exists():
            self.skipTest(f"built without {name}.so.3")
        # Tens of thousands of calls, each by several threads: a busy machine takes minutes for them.
        done = run("sh", script, folder=self.folder, timeout=600, LD_LIBRARY_PATH=FOLDER, **variables)
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
    def test_fortran(self):
        program = self.compiled("gfortran", "fortran_client.f90", "-llapack", "-lblas")
        self.same_under_it(program)
        # OpenBLAS, which liblapack needs, comes before what libblas needs.
        done = run(program, LD_LIBRARY_PATH=FOLDER, GEMMILL_REPORT="1")
        self.assertRegex(done.stderr, r"made \d+ calls of level-3 BLAS")

    def test_numpy_and_scipy(self):
        python = python_with("numpy")
        if python is None:
            self.skipTest("no numpy")
        self.same_under_it(python, HERE / "client.py")

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

    def said_once(self, needle, **variables):
        """The calls are made, and the fault is said once, with a report or without."""
        for report in ({}, {"GEMMILL_REPORT": "1"}):
            done = run(self.program, **variables, **report)
            self.assertEqual(done.stdout, "done\n")
            first, *rest = done.stderr.splitlines()
            self.assertRegex(first, f"^gemmill: .*{needle}")
            self.assertEqual(bool(rest), bool(report), done.stderr)
            self.assertNotIn("plain loops", done.stderr)

    def test_options_that_cannot_be_meant_are_said_once(self):
        self.said_once("'tpu' is not there; calls go to the host BLAS", GEMMILL_DEVICES="tpu")
        self.said_once("unknown policy 'zzz'", GEMMILL_POLICY="zzz")
        self.said_once("'cpu:0'; calls go to the host BLAS", GEMMILL_DEVICES="cpu:0")

    def test_a_host_blas_that_is_not_there_is_said_once_and_the_default_one_is_used(self):
        self.said_once("/nonexistent.*; the default one is used", GEMMILL_HOST_BLAS="/nonexistent")

    def test_a_link_in_the_place_of_the_file_is_not_followed(self):
        victim, link = self.folder / "victim", self.folder / "link"
        victim.write_text("mine", encoding="utf-8")
        link.symlink_to(victim)
        self.assertIn("no report: cannot add to", run(self.program, GEMMILL_REPORT=str(link)).stderr)
        self.assertEqual(victim.read_text(encoding="utf-8"), "mine")

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

    def test_the_folder_has_both_widths_or_says_that_it_has_not(self):
        done = run(COMMAND, "blas", "--folder", "--ilp64")
        there = (Path(FOLDER) / "libblas64.so.3").exists()
        self.assertEqual(done.returncode == 0, there, done.stderr)
        self.assertIn(FOLDER if there else "libblas64.so.3", done.stdout + done.stderr)
        self.assertIn("libopenblas64-0-pthread", said(COMMAND, "blas", "--help"))


if __name__ == "__main__":
    sys.exit(unittest.main())
