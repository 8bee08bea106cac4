# SPDX-License-Identifier: Apache-2.0
"""gemmill reproduce best: GEMMILL_COMMAND=build/bin/gemmill test_best.py."""
import functools
import json
import unittest

from support import DEVICES, Command, gemmill

POLICIES = {"best", "naive", "cublasxt", "blasx", "xkblas", "paralia", "uncut"}


@functools.cache
def quick():
    done = gemmill("reproduce", "best", "--quick", "--check", "--json")
    return done.returncode, json.loads(done.stdout)


class Best(Command):
    def test_every_plan_is_valid(self):
        code, out = quick()
        self.assertEqual(out["faults"], [])
        self.assertEqual(code, 0)
        self.assertEqual(out["plans"], len(out["points"]) * (len(POLICIES) + 3))

    def test_points_cover_the_data_sets(self):
        points = quick()[1]["points"]
        keys = {(p["type"], p["m"], p["n"], p["k"], p["at"]) for p in points}
        self.assertEqual(len(keys), len(points))
        self.assertEqual({p["at"] for p in points}, {"h", "0", "4,2,h", "h,h,0", "4,2,7"})
        self.assertEqual({p["type"] for p in points}, {"s", "d"})
        self.assertEqual({(p["k"] > p["m"]) - (p["k"] < p["m"]) for p in points}, {-1, 0, 1})
        for point in points:
            self.assertEqual(set(point["seconds"]), POLICIES)
            self.assertEqual(point["best_seconds"]["8"], point["seconds"]["best"])
            self.assertLessEqual(point["bound_seconds"], min(point["seconds"].values()))
            self.assertEqual(point["host_reads"] > 0, point["at"] in ("h", "h,h,0"))

    def test_claims_are_read_off_the_points(self):
        out = quick()[1]
        claims = {claim["claim"]: claim for claim in out["claims"]}
        others = [min(t for name, t in p["seconds"].items() if name != "best")
                  / p["seconds"]["best"] for p in out["points"]]
        self.check(claims["speed-up over the fastest other policy"], min(others), len(others),
                   [x for x in others if x < 1 - 1e-9])
        gains = [p["seconds"]["uncut"] / p["seconds"]["best"] for p in out["points"]
                 if p["k"] < p["m"]]
        self.check(claims["mean speed-up over uncut, fat-thin"], sum(gains) / len(gains),
                   len(gains), [])
        self.assertEqual(claims["mean speed-up over uncut, fat-thin"]["holds"],
                         sum(gains) / len(gains) >= 1.3)
        steps = [max(p["best_seconds"][b] / p["best_seconds"][a] for a, b in ("12", "24", "48"))
                 for p in out["points"]]
        self.check(claims["time on 2, 4, 8 GPUs over that on half of them"], max(steps),
                   len(steps), [x for x in steps if x > 1.02])

    def check(self, claim, found, points, fails):
        self.assertAlmostEqual(claim["found"], found)
        self.assertEqual(claim["points"], points)
        self.assertEqual(len(claim["fails"]), len(fails))
        if fails:
            self.assertFalse(claim["holds"])

    def test_a_point_is_what_simulate_says(self):
        point = next(p for p in quick()[1]["points"] if p["at"] == "h,h,0")
        for gpus, policy, seconds in ((8, "uncut", point["seconds"]["uncut"]),
                                      (2, "best", point["best_seconds"]["2"])):
            out = self.good_json("simulate", "--machine", "hgx-a100-8", "--policy", policy,
                                 "--devices", DEVICES[gpus], "--type", point["type"], "--m",
                                 point["m"], "--n", point["n"], "--k", point["k"], "--at",
                                 point["at"], "--alpha", 2, "--beta", 2)
            self.assertEqual(out["seconds"], seconds)

    def test_text(self):
        text = self.good("reproduce", "best", "--quick")
        for needle in ("asked", "holds", "mean speed-up over uncut, fat-thin", ">= 1.30",
                       "relay tiles through the host"):
            self.assertIn(needle, text)
        self.assertNotIn("validated", text)

    def test_bad_flags(self):
        self.bad("--out", "reproduce", "best", "--out", self.folder)


if __name__ == "__main__":
    unittest.main()
