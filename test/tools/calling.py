# SPDX-License-Identifier: Apache-2.0
"""The gemmill command as scripts see it: the one that GEMMILL_COMMAND names, or build/bin/gemmill."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GEMMILL_COMMAND", str(ROOT / "build" / "bin" / "gemmill"))


def run(*args, variables=None, **how):
    """subprocess.run of the command, which sees no GEMMILL_ variables but those that are given."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GEMMILL_")}
    return subprocess.run([COMMAND, *map(str, args)], text=True, timeout=280, check=False,
                          env=environment | (variables or {}), **how)


def gemmill(*args, **variables):
    return run(*args, variables=variables, capture_output=True)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def good(self, *args, **variables):
        done = gemmill(*args, **variables)
        self.assertEqual(done.returncode, 0, f"{args}: {done.stdout}{done.stderr}")
        return done.stdout

    def good_json(self, *args, **variables):
        return json.loads(self.good(*args, "--json", **variables))

    def bad(self, needle, *args, code=2, **variables):
        done = gemmill(*args, **variables)
        self.assertEqual(done.returncode, code, f"{args}: {done.stdout}{done.stderr}")
        self.assertTrue(done.stderr.startswith("gemmill: "), f"{args}: {done.stderr}")
        self.assertIn(needle, done.stderr, f"{args}")
