# SPDX-License-Identifier: Apache-2.0
"""gemmill tune: GEMMILL_COMMAND=build/bin/gemmill test_tune.py."""
import pathlib
import shutil
import unittest

from calling import Command


class Tune(Command):
    def test_space(self):
        text = self.good("tune", "batch", "--types", "d", "--space", "--list")
        self.assertIn("shared memory of a block", text)
        self.assertIn("PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>", text.splitlines())
        self.assertIn("MmaTile<T, 8, 8, 3, 3, 1, 1>", text.splitlines())
        self.bad("--types", "tune", "batch", "--types", "q", "--space")

    def test_candidates_are_built_without_a_gpu(self):
        if not (shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()):
            self.skipTest("no nvcc")
        call = ("tune", "batch", "--types", "d", "--sizes", "12", "--most", 2, "--build-only",
                "--folder", self.folder / "candidates")
        self.assertIn("d: 2 candidates, 1 libraries to build", self.good(*call))
        libraries = list((self.folder / "candidates").glob("d_*.so"))
        self.assertEqual(len(libraries), 1)
        self.assertIn(b"gemmill_batch_candidates", libraries[0].read_bytes())
        self.assertIn("d: 2 candidates, 0 libraries to build", self.good(*call))

    def test_what_is_missing_is_told(self):
        call = ("tune", "batch", "--types", "d", "--sizes", "12", "--most", 1)
        self.bad("--build-only and --run-only", *call, "--build-only", "--run-only")
        self.bad("--space", *call, "--list")
        self.bad("--devices: 'cpu'", *call, "--devices", "cpu", "--folder", self.folder / "none")
        self.assertFalse((self.folder / "none").exists(), "nothing is built without a GPU")
        self.bad("--sizes", *call, "--sizes", "x", "--build-only")
        self.bad("--ops: 'nx'", *call, "--run-only", "--ops", "nx", "--folder", self.folder)
        (self.folder / "bad.table").write_text("d any 3\n")
        self.bad("line 1: 3 words", *call, "--build-only", "--table", self.folder / "bad.table")


if __name__ == "__main__":
    unittest.main()
