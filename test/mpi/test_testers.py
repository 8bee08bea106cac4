#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ScaLAPACK's own testers (Debian's scalapack-mpi-test) with the drop-in before it.

    test_testers.py MPIEXEC LIBRARY

Those of level 3 of PBLAS check results and error exits on eight grids; programs that factorise and
solve call it from inside ScaLAPACK. All of it must end as it does without the drop-in.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

MPIEXEC, LIBRARY = sys.argv[1:3]
FOLDERS = glob.glob("/usr/lib/*/scalapack/openmpi-tests")
DRIVERS = {"xslu": "LU.dat", "xdinv": "INV.dat", "xcqr": "QR.dat", "xzllt": "LLT.dat"}


class Run:
    """What a tester printed, on so many ranks, in a folder with its input."""

    def __init__(self, program, ranks, folder, preloaded):
        environment = dict(os.environ)
        if preloaded:
            environment |= {"LD_PRELOAD": LIBRARY, "GEMMILL_THRESHOLD": "0"}
        done = subprocess.run([MPIEXEC, "-n", str(ranks), program], cwd=folder, env=environment,
                              capture_output=True, text=True, timeout=600, check=False)
        self.text = done.stdout + done.stderr

    def errors(self):
        return [line for line in self.text.splitlines() if "*** ERROR ***" in line]

    def counts(self):
        """(total, passed, failed, skipped) by routine."""
        rows = re.findall(r"^ +\| +(\w+) +(\d+) +(\d+) +(\d+) +(\d+)", self.text, re.M)
        return {name: tuple(map(int, numbers)) for name, *numbers in rows}

    def residuals(self):
        """Tests that (passed, failed)."""
        return tuple(int((re.search(rf"(\d+) tests completed and {word}", self.text) or [0, -1])[1])
                     for word in ("passed", "failed"))


@unittest.skipUnless(FOLDERS, "no scalapack-mpi-test")
class Testers(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.programs = Path(FOLDERS[0])

    def check_level3(self, letter):
        data = (self.programs / "PBLAS" / f"P{letter.upper()}BLAS3TST.dat").read_text()
        # All grids and problems of the file, of which it asks for the first four.
        data = re.sub(r"^4(\s+number of (?:process grids|tests problems))", r"8\1", data, flags=re.M)
        (self.folder / f"P{letter.upper()}BLAS3TST.dat").write_text(data)
        program = self.programs / "PBLAS" / f"{letter}pb3tst"
        plain, ours = (Run(program, 8, self.folder, preloaded) for preloaded in (False, True))
        self.assertGreaterEqual(len(plain.counts()), 8, plain.text[-2000:])
        self.assertEqual(ours.errors(), plain.errors())
        self.assertEqual(ours.counts(), plain.counts(), ours.text[-2000:])

    def test_level3_s(self):
        self.check_level3("s")

    def test_level3_d(self):
        self.check_level3("d")

    def test_level3_c(self):
        self.check_level3("c")

    def test_level3_z(self):
        self.check_level3("z")

    def test_programs_that_factorise_and_solve(self):
        for name, data in DRIVERS.items():
            with self.subTest(name):
                shutil.copy(self.programs / data, self.folder)
                plain, ours = (Run(self.programs / name, 4, self.folder, preloaded)
                               for preloaded in (False, True))
                self.assertGreater(plain.residuals()[0], 0, plain.text[-2000:])
                self.assertEqual(ours.residuals(), plain.residuals(), ours.text[-2000:])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
