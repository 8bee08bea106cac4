# SPDX-License-Identifier: Apache-2.0
"""gemmill reproduce disturbed, dynamic: GEMMILL_COMMAND=build/bin/gemmill ..."""
import json
import unittest

from support import Command, gemmill


class Disturbed(Command):
    def test_policies_that_decide_again_hold_what_is_asked(self):
        runs = json.loads(gemmill("reproduce", "disturbed", "--quick", "--json").stdout)["runs"]
        self.assertEqual(len(runs), 9)
        for run in runs:
            self.assertEqual(set(run["seconds"]), {"best", "dynamic", "tail"})
            self.assertGreaterEqual(min(run["seconds"].values()), run["bound_seconds"])
            if run["case"].startswith("dgemm"):
                self.assertLessEqual(run["over_bound"], 1.35, run)

    def test_dynamic_is_near_best(self):
        out = json.loads(gemmill("reproduce", "dynamic", "--quick", "--json").stdout)
        self.assertGreaterEqual(out["best_over_dynamic"], 0.9)
        self.assertEqual(len(out["points"]), 28)
        for point in out["points"]:
            self.assertEqual(set(point["seconds"]),
                             {"best", "dynamic", "naive", "cublasxt", "blasx", "xkblas", "paralia", "uncut"})


if __name__ == "__main__":
    unittest.main()
