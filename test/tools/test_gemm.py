# SPDX-License-Identifier: Apache-2.0
"""gemmill gemm: GEMMILL_COMMAND=build/bin/gemmill test_gemm.py."""
import json
import unittest

from calling import Command


class Gemm(Command):
    def check(self, *args):
        out = self.good_json("gemm", *args, "--check")
        self.assertTrue(out["right"])
        self.assertLessEqual(out["error"], 1)
        self.assertGreater(out["measured_seconds"], 0)
        return out

    def test_types_and_transposes(self):
        sizes = ("--m", 150, "--n", 130, "--k", 170, "--devices", "cpu:3", "--tile", 64)
        for kind, trans, alpha in (("s", "nt", "1"), ("d", "tn", "-0.5"), ("c", "cn", "1,2"),
                                   ("z", "tc", "0.5,-1"), ("d", "tt", "0")):
            self.check(*sizes, "--type", kind, "--trans", trans, f"--alpha={alpha}")

    def test_types_of_16_bits(self):
        for kind in ("h", "b"):
            for devices in ("cpu", "cpu:1", "cpu:3"):
                for extra in ((), ("--beta", 0, "--trans", "tn"), ("--alpha", 1e-4, "--beta", -0.5)):
                    out = self.check("--m", 180, "--n", 130, "--k", 170, "--type", kind,
                                     "--devices", devices, "--tile", 48, *extra)
                    self.assertEqual(out["problem"]["type"], kind)
                    self.assertEqual(out["check"], "reference product")
            out = self.check("--m", 900, "--type", kind, "--devices", "cpu:2", "--tile", 200)
            self.assertEqual(out["check"], "random vector")
        self.assertIn("bfloat16", self.good("gemm", "--help"))

    def test_placements_and_layouts(self):
        sizes = ("--m", 200, "--n", 90, "--k", 110, "--devices", "cpu:3", "--tile", 64)
        for at in ("h", "0", "h,h,0", "0,1,2", "2,h,1"):
            self.check(*sizes, "--at", at)
        out = self.check(*sizes, "--at", "0,1,2", "--layout", "row", "--trans", "tn")
        self.assertEqual(out["problem"]["at"], "cpu1,cpu0,cpu2")

    def test_beta_and_edges(self):
        for extra in (("--beta", 0), ("--beta", 2), ("--k", 0), ("--n", 1), ("--n", 0)):
            self.check("--m", 65, "--devices", "cpu:2", *extra)

    def test_larger_ones_by_random_vector(self):
        for devices in ("auto", "cpu:2"):
            out = self.check("--m", 900, "--devices", devices, "--beta", 0, "--repeat", 2)
            self.assertEqual(out["check"], "random vector")
            self.assertEqual(len(out["runs"]), 2)
        self.assertEqual(self.check("--m", 100)["check"], "reference product")

    def test_replays_a_saved_plan(self):
        path, trace = self.folder / "p.plan", self.folder / "t.json"
        self.good("plan", "--machine", "cpu:3", "--m", 300, "--tile", 100, "--at", "h,1,2",
                  "--out", path)
        out = self.check("--plan", path, "--trace", trace)
        self.assertEqual(out["problem"]["at"], "host,cpu1,cpu2")
        self.assertEqual(out["machine"], "cpu:3")
        self.assertTrue(json.loads(trace.read_text()))
        self.bad("--plan", "gemm", "--plan", path, "--devices", "cpu:2", code=1)
        self.bad("--beta", "gemm", "--plan", path, "--beta", 3)

    def test_other_routines(self):
        flags = ("--uplo", "lower", "--side", "left"), ("--uplo", "upper", "--side", "right")
        for routine in ("gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"):
            for devices in ("cpu", "cpu:1", "cpu:3"):
                for some in flags:
                    out = self.check("--routine", routine, "--m", 120, "--type", "z", "--devices",
                                     devices, "--beta", 0.5, *some)
                    self.assertEqual(out["problem"]["routine"], routine)
        # A GPU fills up A, for its products are faster than its symm.
        steps = self.good_json("simulate", "--machine", "h200", "--routine", "symm", "--m",
                               8192)["step_kinds"]
        self.assertGreater(steps["mirror"], 0)
        self.bad("--type", "gemm", "--routine", "hemm", "--m", 10)
        self.bad("--alpha", "gemm", "--routine", "herk", "--type", "z", "--alpha", "1,2", "--m", 10)
        self.bad("--beta", "gemm", "--routine", "her2k", "--type", "z", "--beta", "1,2", "--m", 10)
        self.bad("--layout", "gemm", "--routine", "symm", "--m", 10, "--layout", "row")

    def test_table(self):
        text = self.good("gemm", "--m", 200, "--devices", "cpu:2", "--check")
        for word in ("measured", "predicted", "gemm", "right"):
            self.assertIn(word, text)

    def test_bad_input(self):
        self.bad("--devices", "gemm", "--m", 10, "--devices", "gpu:1")
        self.bad("--devices", "gemm", "--m", 10, "--devices", "cpu:0")
        self.bad("--devices", "gemm", "--m", 10, "--trace", self.folder / "t.json")
        self.bad("--m", "gemm", "--m", 10**8)
        self.bad("--m", "gemm", "--m", 10**18)
        self.bad("--repeat", "gemm", "--m", 10, "--repeat", 0)
        self.bad("--layout", "gemm", "--m", 10, "--layout", "x")
        self.bad("--type", "gemm", "--m", 10, "--type", "x")
        self.bad("--at", "gemm", "--m", 10, "--devices", "cpu:2", "--at", "5")


if __name__ == "__main__":
    unittest.main()
