# SPDX-License-Identifier: Apache-2.0
"""gemmill info, and every help: GEMMILL_COMMAND=build/bin/gemmill test_info.py."""
import re
import socket
import unittest

from calling import ROOT, Command, gemmill


class Info(Command):
    def test_info_says_whether_a_calibration_is_used(self):
        folder = self.folder / "cache"
        self.assertIn("none", self.good_json("info", XDG_CACHE_HOME=str(folder))["calibration"])
        kept = folder / "gemmill" / f"{socket.gethostname()}.machine"
        kept.parent.mkdir(parents=True)
        other = self.good("machine", "show", "--text", "gpu:1(mem=1GB,d=1T)")
        kept.write_text(other, encoding="utf-8")
        note = self.good_json("info", XDG_CACHE_HOME=str(folder))["calibration"]
        self.assertRegex(note, rf"{re.escape(str(kept))} is not used: it has gpu0 with .*, this host has")
        done = gemmill("machine", "probe", XDG_CACHE_HOME=str(folder))
        self.assertIn("is not used: it has gpu0", done.stderr)
        kept.write_text("no machine", encoding="utf-8")
        self.good("gemm", "--m", "20", "--check", XDG_CACHE_HOME=str(folder))  # a call does without it
        self.assertIn("cannot be read", self.good_json("info", XDG_CACHE_HOME=str(folder))["calibration"])

    def test_info(self):
        out = self.good_json("info")
        self.assertGreater(out["cores"], 0)
        self.assertIn("best", out["policies"])
        self.assertIn(out["version"], self.good("--version"))

    def test_options_page_is_up_to_date(self):
        page = (ROOT / "docs" / "options.md").read_text()
        self.assertEqual(self.good("info", "--options", "--markdown"), page,
                         "run: gemmill info --options --markdown > docs/options.md")

    def test_every_help_has_examples(self):
        for sub in ("demo", "gemm", "simulate", "plan", "machine", "bench", "info"):
            self.assertIn("Examples:", self.good(sub, "--help"))


if __name__ == "__main__":
    unittest.main()
