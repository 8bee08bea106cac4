# SPDX-License-Identifier: Apache-2.0
"""gemmill sweep: GEMMILL_COMMAND=build/bin/gemmill test_sweep.py."""
import json
import unittest

from calling import gemmill


class Sweep(unittest.TestCase):
    def json(self, *args):
        done = gemmill("sweep", "--json", *args)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_cases_depend_on_the_seed_alone(self):
        some = self.json("--seed", 5, "--count", 4, "--quick")["cases"]
        again = self.json("--seed", 5, "--only", 3, "--quick")["cases"]
        other = self.json("--seed", 6, "--only", 3, "--quick")["cases"]
        self.assertEqual(again[0]["problem"], some[3]["problem"])
        self.assertEqual(again[0]["seconds"], some[3]["seconds"])
        self.assertNotEqual(other[0]["problem"], some[3]["problem"])

    def test_best_keeps_its_promises(self):
        found = self.json("--seed", 77, "--count", 6)
        totals = found["totals"]
        self.assertEqual(totals["cases"], 6)
        for promise in ("slower_than_another", "slower_than_dynamic", "slower_with_more_devices",
                        "no_plan", "invalid"):
            self.assertEqual(totals[promise], 0, json.dumps(found, indent=1))
        # Where a matrix does not fit the memory that it is said to lie in, nobody has a plan.
        planned = [case for case in found["cases"] if case["seconds"]]
        self.assertGreater(len(planned), 3)
        for case in planned:
            self.assertGreaterEqual(case["seconds"]["best"], case["bound_seconds"] * 0.999)
            self.assertIn("uncut", case["seconds"])

    def test_a_table_for_people(self):
        done = gemmill("sweep", "--seed", 5, "--count", 1, "--quick")
        self.assertEqual(done.returncode, 0)
        self.assertIn("share of the bound, median", done.stdout)

    def test_bad_input(self):
        for flag in ("--seed", "--count", "--only"):
            done = gemmill("sweep", flag, "-3")
            self.assertEqual(done.returncode, 2, flag)
            self.assertIn(flag, done.stderr)


if __name__ == "__main__":
    unittest.main()
