# SPDX-License-Identifier: Apache-2.0
"""The gemmill command with output that gets lost, odd files and odd values."""
import json
import os
import resource
import subprocess
import unittest

import calling
from calling import COMMAND, Command, gemmill

FULL = "No space left on device"
SMALL = ("--machine", "gpu:2(mem=1GB,d=1T,z=1T)", "--m", 64)


def run(*args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more):
    return calling.run(*args, stdout=stdout, stderr=stderr, **more)


class LostOutput(Command):
    every_subcommand = (
        ("--help",), ("--version",), ("plan", "--help"), ("machine", "show", "--help"),
        ("plan", *SMALL), ("plan", *SMALL, "--text"), ("plan", *SMALL, "--json"),
        ("plan", "--machine", "hgx-a100-8", "--m", 8000, "--text"),
        ("simulate", *SMALL), ("simulate", *SMALL, "--json"),
        ("gemm", "--m", 8), ("gemm", "--m", 8, "--json"), ("demo", "--n", 8),
        ("machine", "list"), ("machine", "show", "h200"), ("machine", "show", "h200", "--json"),
        ("machine", "check", "h200"), ("machine", "probe"),
        ("info",), ("info", "--json"), ("info", "--options"), ("info", "--options", "--markdown"),
        ("blas",), ("blas", "--folder"), ("tune", "batch", "--space"),
        ("bench", "batch", "--devices", "cpu", "--quick", "--cases", "d strided nn 4"))

    def test_a_full_disk_is_told_by_every_subcommand(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            for args in self.every_subcommand:
                done = run(*args, stdout=full)
                self.assertEqual(done.returncode, 2, f"{args}: {done.stderr}")
                self.assertIn(f"gemmill: cannot write standard output: {FULL}", done.stderr, args)

    def test_a_closed_standard_output_is_told(self):
        done = subprocess.run(["sh", "-c", '"$0" machine list >&-', COMMAND], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot write standard output: Bad file descriptor", done.stderr)

    def test_lost_messages_change_no_exit_code(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assertEqual(run("nope", stderr=full).returncode, 2)
            self.assertEqual(run("simulate", "--m", "x", stderr=full).returncode, 2)
            done = run("plan", *SMALL, "--out", self.folder / "p", stderr=full)
            self.assertEqual(done.returncode, 0)

    def test_files_that_cannot_be_written_name_their_flag(self):
        for flag in ("--svg", "--html", "--trace"):
            for call in (("simulate", *SMALL), ("plan", *SMALL),
                         ("gemm", "--m", 64, "--devices", "cpu:2")):
                self.bad(f"{flag}: cannot write '/dev/full': {FULL}", *call, flag, "/dev/full")
        for call in (("plan", *SMALL), ("machine", "show", "h200"),
                     ("bench", "batch", "--devices", "cpu", "--quick", "--cases", "d nn 4")):
            self.bad(f"--out: cannot write '/dev/full': {FULL}", *call, "--out", "/dev/full")

    def test_a_pipe_stays_one(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.good("machine", "show", "h200", "--text", "--out", pipe)
        self.assertIn(b"machine h200", os.read(reader, 1 << 16))
        os.close(reader)
        self.assertTrue(pipe.is_fifo())


class Values(Command):
    def test_every_number_is_checked(self):
        numbers = {
            ("simulate", *SMALL): ("--n", "--k", "--tile", "--cap", "--search", "--alpha",
                                   "--beta"),
            ("gemm", "--m", 8): ("--n", "--k", "--repeat", "--tile", "--cap", "--alpha", "--beta"),
            ("demo",): ("--n",),
            ("tune", "batch", "--space"): ("--sizes", "--most", "--keep", "--jobs"),
            ("bench", "gemm"): ("--repeats",),
            ("bench", "level3"): ("--n", "--repeats", "--blocks"),
            ("reproduce", "measured", "--data", "/dev/null"): ("--worst",),
        }
        for call, flags in numbers.items():
            for flag in flags:
                for value in ("x", "", "nan", "inf", "1x", "99999999999999999999x", "0x10", " 1"):
                    self.bad(f"{flag}: ", *call, flag, value)
                if flag not in ("--alpha", "--beta"):
                    self.bad(f"{flag}: ", *call, flag, "-1")
                    self.bad(f"{flag}: ", *call, flag, "1e999")

    def test_what_no_routine_has_is_refused_everywhere(self):
        for call in (("simulate", *SMALL), ("plan", *SMALL), ("gemm", "--m", 8)):
            for routine in ("hemm", "herk", "her2k"):
                for kind in "sdhb":
                    self.bad(f"--type: {routine} has no type {kind} (needs c or z)", *call,
                             "--routine", routine, "--type", kind)

    def test_devices(self):
        call = ("simulate", "--machine", "gpu:8(mem=1GB,d=1T)", "--m", 64, "--devices")
        self.bad("--devices: '7-0' goes backwards (needs the smaller number first)", *call, "7-0")
        self.bad("--devices: '1-2-3' is no device and no range", *call, "1-2-3")
        self.bad("--devices: '7-' is no device and no range", *call, "7-")
        self.bad("--devices: '-3' is no device and no range", *call, "-3")
        self.bad("--devices: '' is no device and no range", *call, "1,")
        self.bad("--devices: its value is empty", *call, "")
        self.bad("has no device '9'", *call, "2-9")
        call = ("gemm", "--m", 8, "--devices")
        for value in ("cuda:", "cuda:0x0", "cuda:0x", "cuda:x", "cuda:0,0", "cuda:1-2", "cuda:0x65",
                      "cpu:", "cpu:0", "cpu:-1", "cpu:65", "cpu:1,2", "cpu:2x2", "gpu:1", ""):
            done = gemmill(*call, value)
            self.assertEqual(done.returncode, 2, value)
            self.assertTrue(done.stderr.startswith("gemmill: --devices: "), done.stderr)
            self.assertNotIn("CUDA", done.stderr, value)

    def test_errors_name_the_variable(self):
        for call in (("simulate", *SMALL), ("plan", *SMALL), ("gemm", "--m", 8)):
            self.bad("gemmill: GEMMILL_CHAIN: 'maybe' is none of", *call, GEMMILL_CHAIN="maybe")
            self.bad("gemmill: GEMMILL_POLICY: unknown policy", *call, GEMMILL_POLICY="zzz")
            self.bad("gemmill: GEMMILL_SEARCH: 'x' is not a time", *call, GEMMILL_SEARCH="x")
            self.bad("gemmill: GEMMILL_TILE: -1 (needs", *call, GEMMILL_TILE="-1")
            self.bad("gemmill: --set: chain: 'maybe'", *call, "--set", "chain=maybe")
        for call in (("gemm", "--m", 8), ("plan", "--m", 8), ("simulate", "--m", 8)):
            self.bad("gemmill: GEMMILL_MACHINE: unknown machine '/nonexistent'", *call,
                     GEMMILL_MACHINE="/nonexistent")
        for call in (("gemm", "--m", 8), ("demo", "--n", 8)):
            self.bad("gemmill: GEMMILL_DEVICES: 'foo'", *call, GEMMILL_DEVICES="foo")
            self.bad("gemmill: GEMMILL_HOST_BLAS: /nonexistent", *call,
                     GEMMILL_HOST_BLAS="/nonexistent")
        self.bad("gemmill: GEMMILL_TRACE: cannot write", "gemm", "--m", 64, "--devices", "cpu:2",
                 GEMMILL_TRACE="/nonexistent/trace")
        self.bad("gemmill: --devices: 'bar'", "gemm", "--m", 8, "--devices", "bar",
                 GEMMILL_DEVICES="foo")


class Usage(Command):
    def test_what_is_unknown_or_missing_is_named(self):
        self.bad("gemmill: unknown argument '--M'; see --help", "gemm", "--M", 10)
        self.bad("gemmill: unknown argument '200'; see --help", "gemm", "--m", 100, 200)
        self.bad("gemmill: unknown argument 'nope'; see --help", "machine", "nope")
        self.bad("gemmill: --m: its value is missing; see --help", "gemm", "--m")
        self.bad("gemmill: machine: its value is empty", "machine", "show", "")
        self.bad("gemmill: --out: its value is missing", "plan", *SMALL, "--out=")


class Files(Command):
    def text(self, *lines):
        path = self.folder / "file"
        path.write_text("\n".join(lines) + "\n", encoding="latin-1")
        return path

    def quick(self, needle, *args, code=2):
        """Refused in a short line, with little memory."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

        done = run(*args, preexec_fn=limit)
        self.assertEqual(done.returncode, code, done.stderr[:500])
        self.assertIn(needle, done.stderr[:1000] + done.stdout[:1000])
        self.assertLess(len(done.stderr), 1000)

    def test_times_that_overflow_are_refused(self):
        for line, number in (("gpu:1(d=1e-300)", "peak d is 1e-300"),
                             ("gpu:1(launch=1e300)", "launch is 1e+300"),
                             ("gpu:1(bandwidth=1e-9)", "bandwidth is 1e-09"),
                             ("gpu:1 pcie:1e-300", "bandwidth is 1e-300"),
                             ("gpu:1 pcie:1e9(latency=1e300)", "latency is 1e+300"),
                             ("gpu:2 nvlink:1e300", "bandwidth is 1e+300"),
                             ("gpu:1 host:1TB(issue=1e300)", "issue is 1e+300")):
            self.quick(number, "simulate", "--machine", line, "--m", 2000)
            self.quick(number, "machine", "check", line)
        text = self.good("machine", "show", "h200", "--text")
        path = self.text(text.replace("latency=", "latency=1e300 origin=x # "))
        self.quick("latency is 1e+300, expected 0 to 1000000", "machine", "check", path, code=1)
        self.quick("latency is 1e+300", "simulate", "--machine", path, "--m", 64)

    def test_the_slowest_and_the_fastest_machine_are_simulated(self):
        for line in ("gpu:2(d=1,launch=1000000s,bandwidth=2) pcie:1(latency=1000000s)",
                     "gpu:2(d=1e24,launch=0,bandwidth=1e24) pcie:1e24(latency=0) nvlink:1e24"):
            out = self.good_json("simulate", "--machine", line, "--m", 2000)
            self.assertGreater(out["seconds"], 0)

    def test_a_huge_line_is_not_echoed(self):
        huge = "x" * 2_000_000
        for lines in ((huge,), ("machine " + huge + " " + huge,), ("machine m", huge + "=1"),
                      ("{\"" + huge,), ("machine m issue=" + huge,)):
            path = self.text(*lines)
            self.quick("", "machine", "check", path)
            self.quick("", "simulate", "--machine", path, "--m", 10)
            self.quick("--plan", "plan", "--plan", path)
            self.quick("--data", "reproduce", "measured", "--data", path)
        path = self.text("gemmill-plan 2", huge)
        self.quick("--plan: line 2: a plan has no 'xxx", "gemm", "--plan", path)
        long = "y" * 100_000
        for flag in ("--machine", "--m", "--type", "--trans", "--at", "--policy", "--alpha",
                     "--set", "--devices", "--routine", "--" + long):
            self.quick("", "simulate", "--m", 8, flag, long)

    def test_control_characters_do_not_reach_the_terminal(self):
        for lines in (("\x1b[31m",), ("machine \x1b]0;x\x07",), ("machine m \x1b=1",),
                      ("machine m issue=\x1b[2J",)):
            path = self.text(*lines)
            for call in (("machine", "check", path), ("simulate", "--machine", path, "--m", 8),
                         ("plan", "--plan", path)):
                done = gemmill(*call)
                self.assertNotEqual(done.returncode, 0)
                self.assertNotIn("\x1b", done.stderr + done.stdout)

    def test_plan_files_that_lie(self):
        text = self.good("plan", *SMALL, "--text")

        def change(old, new, needle, **more):
            self.assertIn(old, text)
            self.quick(needle, "plan", "--plan", self.text(text.replace(old, new, 1)), **more)
            if "code" not in more:
                self.quick(needle, "gemm", "--plan", self.text(text.replace(old, new, 1)))

        change("rows=64", "rows=-64", "--plan: line ")
        change("rows=64", "rows=99999999999999999999", "--plan: line ")
        change("rows=64", "rows=9223372036854775807", "too large", code=1)
        change("step 0 ", "step 1000000000 ", "step 0 follows, not 1000000000")
        change(" d=1000000000000", " d=1e-300", "peak d is 1e-300", code=1)
        change("operand C type=d rows=64 cols=64",
               "operand C type=d rows=64 cols=64 triangle=lower structure=hermitian",
               "which real numbers are not", code=1)
        change("memory gpu0 ", "memory gpu[0-9999999] ", "more than 4096 numbers")

    def test_files_without_an_end_or_a_sense(self):
        for path in (self.folder, "/dev/null", "/proc/self/mem"):
            for call in (("machine", "show"), ("plan", "--plan"), ("gemm", "--plan"),
                         ("reproduce", "measured", "--data")):
                self.assertEqual(run(*call, path).returncode, 2, (path, call))
        large = self.folder / "large"
        with open(large, "wb") as file:
            file.truncate(1 << 40)
        self.quick("it is too large", "machine", "show", large)
        self.quick("it is too large", "plan", "--plan", large)


class Checks(Command):
    def right(self, *args):
        out = json.loads(self.good("gemm", "--check", "--json", *args))
        self.assertTrue(out["right"], args)

    def test_corner_cases_are_right(self):
        for routine in ("gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm",
                        "trsm"):
            for devices in ("cpu", "cpu:2"):
                call = ("--routine", routine, "--type", "z", "--devices", devices)
                self.right(*call, "--m", 30, "--alpha", 0)
                self.right(*call, "--m", 30, "--alpha", 1e308, "--beta", 0.5)
                self.right(*call, "--m", 0)
                if routine not in ("symm", "hemm", "trmm", "trsm"):
                    self.right(*call, "--m", 30, "--k", 0)
                    self.right(*call, "--m", 30, "--k", 0, "--beta", 0)

    def test_sizes_of_nothing(self):
        self.right("--m", 0, "--n", 50)
        self.right("--m", 50, "--n", 0)
        self.right("--m", 0, "--n", 2**63 - 1, "--k", 0)
        self.right("--m", 0, "--n", 0, "--k", 2**63 - 1)


if __name__ == "__main__":
    unittest.main()
