# SPDX-License-Identifier: Apache-2.0
"""gemmill plan --explain: GEMMILL_COMMAND=build/bin/gemmill test_explain.py."""
import unittest

from calling import Command


class Explain(Command):
    call = ("plan", "--machine", "hgx-a100-8", "--m", 6000)

    def test_chosen_is_the_fastest_tried(self):
        out = self.good_json(*self.call, "--explain")
        tried = out["explain"]["tried"]
        self.assertGreater(len(tried), 1)
        self.assertEqual(out["explain"]["chosen"], tried[0]["what"])
        self.assertAlmostEqual(tried[0]["seconds"], out["seconds"], 9)
        self.assertEqual(tried[0]["relative"], 1)
        self.assertEqual([t["seconds"] for t in tried], sorted(t["seconds"] for t in tried))

    def test_devices_that_were_allowed(self):
        out = self.good_json(*self.call, "--devices", "1,3", "--explain")
        self.assertEqual(out["devices"], ["gpu1", "gpu3"])
        for tried in out["explain"]["tried"]:
            self.assertLessEqual(set(tried["what"].split()[0].split(",")), {"gpu1", "gpu3"})
        self.assertAlmostEqual(out["explain"]["tried"][0]["seconds"], out["seconds"], 9)

    def test_text(self):
        text = self.good(*self.call, "--beta", 0, "--explain")
        for needle in ("chosen", "Plans tried: ", "longer by", "not read, beta is 0"):
            self.assertIn(needle, text)
        self.assertIn("Plans tried: 1.", self.good(*self.call, "--policy", "uncut", "--explain"))
        self.good("plan", "--machine", "hgx-a100-8", "--m", 0, "--explain")

    def test_a_saved_plan_has_no_candidates(self):
        self.bad("--plan", "plan", "--plan", "x", "--explain")
        self.bad("--text", *self.call, "--text", "--explain")


if __name__ == "__main__":
    unittest.main()
