# SPDX-License-Identifier: Apache-2.0
"""gemmill machine: GEMMILL_COMMAND=build/bin/gemmill test_machine.py."""
import unittest

from calling import Command, gemmill


class Machines(Command):
    def test_list_and_show(self):
        nodes, clusters = self.good("machine", "list").split("\n\n")
        names = [line.split()[0] for table in (nodes, clusters) for line in table.splitlines()[1:]]
        self.assertIn("hgx-a100-8", names)
        self.assertIn("summit", names)
        for name in names:
            self.good("machine", "check", name)
            text = self.good("machine", "show", name)
            self.assertIn("GB/s", text)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_forms_read_back(self):
        text = self.good("machine", "show", "everest", "--text")
        for form in ("--text", "--json"):
            path = self.folder / f"m{form}"
            self.good("machine", "show", "everest", form, "--out", path)
            self.assertEqual(self.good("machine", "show", path, "--text"), text)

    def test_check(self):
        path = self.folder / "m"
        text = self.good("machine", "show", "h200", "--text")
        path.write_text(text.replace("kind=host", "kind=device"))
        done = gemmill("machine", "check", path)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.bad("unknown machine", "machine", "check", "nope")
        self.bad("line ", "machine", "check", __file__)

    def test_probe(self):
        path = self.folder / "this.machine"
        self.good("machine", "probe", "--out", path)
        self.good("machine", "check", path)
        measured = self.good_json("machine", "probe", "--calibrate",
                                  XDG_CACHE_HOME=str(self.folder))
        self.assertIn("measured", measured["devices"][0]["origin"])
        self.assertEqual(set(measured["devices"][0]["peak"]), set("sdczhb"))
        done = gemmill("machine", "probe", "--calibrate", XDG_CACHE_HOME="/dev/null/cache")
        self.assertIn("not kept: cannot write '/dev/null/cache/", done.stderr)
        self.assertEqual(done.returncode, 0)
        self.assertIn("measured", done.stdout)


if __name__ == "__main__":
    unittest.main()
