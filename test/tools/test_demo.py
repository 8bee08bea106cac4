# SPDX-License-Identifier: Apache-2.0
"""gemmill demo: GEMMILL_COMMAND=build/bin/gemmill test_demo.py."""
import unittest

from calling import Command


class Demo(Command):
    def test_demo(self):
        text = self.good("demo", "--n", 300, "--out", self.folder / "out")
        self.assertIn("right", text)
        for name in ("timeline.svg", "timeline.html", "trace.json"):
            self.assertTrue((self.folder / "out" / name).stat().st_size > 0)
        self.bad("--n", "demo", "--n", 0)
        self.bad("--out", "demo", "--n", 10, "--out", "/dev/null/x")


if __name__ == "__main__":
    unittest.main()
