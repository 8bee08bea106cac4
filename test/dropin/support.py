# SPDX-License-Identifier: Apache-2.0
"""What the tests of the drop-in share: how programs are run, compiled and compared."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMAND = os.environ.get("GEMMILL_COMMAND", str(ROOT / "build" / "bin" / "gemmill"))
FORCED = {"GEMMILL_FORCE_TILED": "1", "GEMMILL_DEVICES": "cpu:3"}


def clean_environment(variables):
    """Without what was meant for somebody else: a GEMMILL_ variable that is no option is a fault."""
    return {k: v for k, v in os.environ.items() if not k.startswith("GEMMILL_")} | variables


def run(*command, folder=None, timeout=250, **variables):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder,
                          env=clean_environment(variables), timeout=timeout, check=False)


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

    def compiled(self, compiler, source, *flags, name=None):
        if shutil.which(compiler) is None:
            self.skipTest(f"no {compiler}")
        program = self.folder / (name or Path(source).stem)
        said(compiler, "-O1", HERE / source, "-o", program, *flags)
        return program

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


def wheels_python():
    """The interpreter with wheels from PyPI, which is made when it is not there; raises SkipTest with
    the reason where that cannot be."""
    build = Path(COMMAND).resolve().parents[1]
    done = run(sys.executable, ROOT / "scripts" / "wheels", build / "wheels", timeout=900)
    if done.returncode == 3:
        raise unittest.SkipTest(done.stderr.strip())
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout.strip()
