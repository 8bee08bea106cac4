# SPDX-License-Identifier: Apache-2.0
"""The gemmill command where the system gives little: threads, address space. Whatever happens, it
ends by itself, with a right result or with a line that says why not."""
import os
import resource
import subprocess
import unittest

from calling import run

NOBODY = 65534


def gemmill_with(limit, *args):
    return run(*args, capture_output=True, cwd="/", preexec_fn=limit)


class Limits(unittest.TestCase):
    def good_or_refused(self, done, words):
        self.assertIn(done.returncode, (0, 2), f"{done.stdout}{done.stderr}")
        if done.returncode == 2:
            self.assertTrue(done.stderr.startswith("gemmill: "), done.stderr)
            self.assertIn(words, done.stderr)
        else:
            self.assertIn("right", done.stdout)

    def test_little_address_space(self):
        for kilobytes in (20000, 60000, 120000, 250000):
            def limit(kilobytes=kilobytes):
                resource.setrlimit(resource.RLIMIT_AS, (kilobytes << 10, kilobytes << 10))
            done = gemmill_with(limit, "gemm", "--m", 1500, "--devices", "cpu:2", "--check")
            if done.returncode != 127:  # then the loader itself found no room
                self.good_or_refused(done, "")

    def test_few_threads(self):
        if os.getuid() != 0:
            self.skipTest("only root can become somebody without processes of his own")
        for threads in (1, 2, 3, 5, 50):
            def limit(threads=threads):
                os.setgid(NOBODY)
                os.setuid(NOBODY)
                resource.setrlimit(resource.RLIMIT_NPROC, (threads, threads))
            try:
                done = gemmill_with(limit, "gemm", "--m", 300, "--devices", "cpu:4", "--check")
            except (PermissionError, subprocess.SubprocessError) as error:
                self.skipTest(f"nobody cannot run the command: {error}")
            self.good_or_refused(done, "thread")


if __name__ == "__main__":
    unittest.main()
