# SPDX-License-Identifier: Apache-2.0
"""gemmill bench: GEMMILL_COMMAND=build/bin/gemmill test_bench.py."""
import json
import unittest

from calling import Command, gemmill


class BenchBatch(Command):
    call = ("bench", "batch", "--devices", "cpu")

    def test_small_products_on_the_cpu_are_right(self):
        out, svg = self.folder / "batch.json", self.folder / "batch.svg"
        text = self.good(*self.call, "--quick", "--peers", "--out", out, "--svg", svg)
        self.assertIn("d strided nn 16", text)
        results = json.loads(out.read_text())["results"]
        self.assertGreater(len(results), 5)
        for one in results:
            self.assertTrue(one["right"], one["case"])
            self.assertEqual([t["who"] for t in one["timings"]], ["ours", "host BLAS"])
        self.assertIn("<svg", svg.read_text())

    def test_cases_by_words(self):
        text = self.good(*self.call, "--quick", "--cases", "z 4,variable")
        self.assertIn("z strided nn 4", text)
        self.assertIn("d variable nn 32", text)
        self.assertNotIn("d strided", text)
        self.bad("--cases: 'nothing' chooses none", *self.call, "--cases", "nothing")
        self.bad("--devices: 'moon'", "bench", "batch", "--devices", "moon")


class Bench(Command):
    call = ("bench", "gemm")

    def test_needs_a_gpu(self):
        if gemmill("gemm", "--m", 8, "--devices", "cuda:0").returncode == 0:
            self.skipTest("there is a GPU")
        self.bad("--devices: 'cuda:0'", *self.call)
        self.bad("(needs a GPU)", *self.call, "--quick", "--peers")

    def test_bad_input(self):
        self.bad("--cases: 'x' chooses none", *self.call, "--cases", "x")
        self.bad("--devices", *self.call, "--devices", "cpu:2")
        self.bad("not one whole GPU", *self.call, "--devices", "cuda:0x2")
        self.bad("--repeats", *self.call, "--repeats", 0)
        self.bad("--svg", *self.call, "--cases", "thin", "--svg", self.folder / "x.svg")


class BenchRandom(Command):
    call = ("bench", "random")

    def test_ours_alone_on_the_cpu(self):
        out = self.folder / "random.json"
        small = ("--quick", "--no-peers", "--devices", "cpu:2", "--repeats", 1)
        text = self.good(*self.call, *small, "--seed", 7, "--count", 3, "--out", out)
        self.assertIn("dtrsm right lower t", text)
        self.assertIn("from the host", text)
        report = json.loads(out.read_text())
        self.assertTrue(report["right"])
        self.assertEqual(len(report["cases"]), 3)
        self.assertIsNone(report["cases"][0]["peer_over_ours"])
        one = self.good(*self.call, *small, "--seed", 7, "--only", 0)
        self.assertIn("dtrsm right lower t", one)
        self.assertIn("4 threads", self.good(*self.call, *small, "--in-core", "--n", 480))

    def test_complex_types(self):
        out = self.folder / "random.json"
        small = ("--quick", "--no-peers", "--devices", "cpu:2", "--repeats", 1)
        text = self.good(*self.call, *small, "--seed", 7, "--count", 4, "--types", "zc", "--out", out)
        self.assertIn("ztrsm right lower", text)
        report = json.loads(out.read_text())
        self.assertTrue(report["right"])
        self.assertEqual(sorted(case["name"][0] for case in report["cases"]), list("cczz"))
        text = self.good(*self.call, *small, "--in-core", "--n", 480, "--types", "c")
        self.assertIn("cgemm", text)
        self.assertNotIn("dgemm", text)

    def test_bad_input(self):
        self.bad("--devices: 'cpu:2'", *self.call, "--devices", "cpu:2")
        self.bad("--count", *self.call, "--count", 0)
        self.bad("--only", *self.call, "--only", -1)
        self.bad("--seed", *self.call, "--seed", "x")
        self.bad("--repeats", *self.call, "--repeats", 0)
        self.bad("--n", *self.call, "--in-core", "--n", "0")
        self.bad("--types: unknown type 'x'", *self.call, "--types", "dx")


if __name__ == "__main__":
    unittest.main()
