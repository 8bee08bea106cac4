# SPDX-License-Identifier: Apache-2.0
"""gemmill plan: GEMMILL_COMMAND=build/bin/gemmill test_plan.py."""
import json
import unittest

from calling import Command, gemmill


class Plan(Command):
    call = ("plan", "--machine", "hgx-a100-8", "--m", 6000, "--k", 3000)

    def test_round_trip(self):
        path = self.folder / "p.plan"
        made = self.good_json(*self.call, "--out", path, "--check")
        loaded = self.good_json("plan", "--plan", path, "--check")
        self.assertTrue(loaded["valid"])
        for key in ("seconds", "bytes", "peak_bytes", "steps", "problem", "devices"):
            self.assertEqual(made[key], loaded[key], key)
        self.assertEqual(self.good("plan", "--plan", path, "--text"), path.read_text())

    def test_check(self):
        self.assertIn("ok: the plan is valid", self.good(*self.call, "--check"))
        # The last step writes a C tile back; without its wait it can come too early.
        head, _, _ = self.good(*self.call, "--text").rpartition(" after=")
        path = self.folder / "broken.plan"
        path.write_text(head + "\n")
        done = gemmill("plan", "--plan", path, "--check")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("faults", done.stdout)
        self.assertFalse(json.loads(gemmill("plan", "--plan", path, "--json").stdout)["valid"])
        self.bad("broken.plan", "gemm", "--plan", path, code=1)

    def test_bad_files(self):
        self.bad("--plan: cannot read", "plan", "--plan", self.folder / "none")
        self.bad("--out: cannot write", *self.call, "--out", self.folder / "no" / "p.plan")
        path = self.folder / "bad.plan"
        for text in ("", "plan\n", "step fetch queue=0\n", "\0"):
            path.write_text(text)
            self.bad("--plan", "plan", "--plan", path)
        self.bad("--plan", "plan", "--plan", path, "--m", 10)


if __name__ == "__main__":
    unittest.main()
