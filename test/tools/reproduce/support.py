# SPDX-License-Identifier: Apache-2.0
"""What the tests of gemmill reproduce share."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = os.environ.get("GEMMILL_COMMAND", str(ROOT / "build" / "bin" / "gemmill"))
DEVICES = {1: "0", 2: "0,2", 4: "0,2,4,6", 8: "0-7"}


def gemmill(*args):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GEMMILL_")}
    return subprocess.run([COMMAND, *map(str, args)], capture_output=True, text=True,
                          env=environment, timeout=280, check=False)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def good(self, *args):
        done = gemmill(*args)
        self.assertEqual(done.returncode, 0, f"{args}: {done.stdout}{done.stderr}")
        return done.stdout

    def good_json(self, *args):
        return json.loads(self.good(*args, "--json"))

    def bad(self, needle, *args):
        done = gemmill(*args)
        self.assertEqual(done.returncode, 2, f"{args}: {done.stdout}{done.stderr}")
        self.assertTrue(done.stderr.startswith("gemmill: "), f"{args}: {done.stderr}")
        self.assertIn(needle, done.stderr, f"{args}")
