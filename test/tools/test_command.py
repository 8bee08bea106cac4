# SPDX-License-Identifier: Apache-2.0
"""The gemmill command as scripts see it: GEMMILL_COMMAND=build/bin/gemmill test_command.py."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GEMMILL_COMMAND", str(ROOT / "build" / "bin" / "gemmill"))


def gemmill(*args, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GEMMILL_")}
    environment.update(variables)
    return subprocess.run([COMMAND, *map(str, args)], capture_output=True, text=True,
                          env=environment, timeout=120, check=False)


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


class Simulate(Command):
    call = ("simulate", "--machine", "hgx-a100-8")

    def test_keys_that_scripts_rely_on(self):
        out = self.good_json(*self.call, "--devices", "0,2,4,6", "--policy", "best", "--routine",
                             "gemm", "--type", "d", "--trans", "nn", "--m", 8192, "--n", 4096,
                             "--k", 2048, "--at", "h,h,0", "--alpha", 1, "--beta", 0.5, "--cap",
                             "4GiB", "--tile", 1024)
        for key in ("seconds", "tflops", "bound_seconds", "plan_seconds"):
            self.assertGreater(out[key], 0, key)
        self.assertGreater(out["steps"], 0)
        for key in ("h2d", "d2h", "d2d"):
            self.assertGreaterEqual(out["bytes"][key], 0)
        self.assertGreaterEqual(out["bytes"]["h2d"], out["bytes_bound"]["h2d"])
        self.assertGreaterEqual(out["bytes_read"]["A"], 8 * 8192 * 2048)
        self.assertGreaterEqual(out["bytes_relayed"], 0)
        self.assertEqual(set(out["peak_bytes"]), {"host"} | {f"gpu{i}" for i in range(8)})
        self.assertLessEqual(out["peak_bytes"]["gpu0"], 4 << 30)
        self.assertEqual(out["devices"], ["gpu0", "gpu2", "gpu4", "gpu6"])
        self.assertLessEqual(out["bound_seconds"], out["seconds"])
        self.assertAlmostEqual(out["tflops"], 2 * 8192 * 4096 * 2048 / out["seconds"] / 1e12, 6)

    def test_only_m_is_needed(self):
        problem = self.good_json(*self.call, "--m", 3000)["problem"]
        self.assertEqual((problem["m"], problem["n"], problem["k"]), (3000, 3000, 3000))
        self.assertEqual((problem["type"], problem["trans"]), ("d", "nn"))
        self.assertEqual((problem["alpha"], problem["beta"]), ("one", "one"))
        self.assertEqual(problem["at"], "host,host,host")

    def test_beta_zero_reads_no_c(self):
        reads = self.good_json(*self.call, "--m", 4096)["bytes_bound"]["h2d"]
        not_read = self.good_json(*self.call, "--m", 4096, "--beta", 0)["bytes_bound"]["h2d"]
        self.assertEqual(reads - not_read, 8 * 4096 * 4096)

    def test_what_passes_through_the_host(self):
        call = ("--machine", "gpu:2(mem=16GB,d=7T)", "--devices", 1, "--at", 0, "--m", 4096)
        out = self.good_json("simulate", *call)
        matrix = 8 * 4096 * 4096
        self.assertEqual(out["bytes_read"], {"A": matrix, "B": matrix, "C": matrix})
        self.assertEqual(out["bytes_relayed"], 4 * matrix)
        self.assertRegex(self.good("simulate", *call), r"\n  relayed +537 MB ")
        self.assertIn(", of it 537 MB relayed", self.good("plan", *call, "--explain"))
        self.assertNotIn("relayed", self.good("plan", "--machine", "h200", "--m", 100, "--explain"))

    def test_explains_the_plan_that_it_makes(self):
        call = "plan", "--machine", "h200", "--routine", "symm", "--m", 8192, "--explain"
        self.assertIn("A is filled up on the device", self.good(*call))
        whole = self.good("plan", "--machine", "h200", "--routine", "trmm", "--m", 8192, "--at",
                          "gpu0,gpu0,gpu0", "--explain")
        self.assertIn("one call of the device's own library", whole)
        self.assertRegex(whole, r"chosen +[0-9.]+ ms +0.0 % +1\n")

    def test_table_fits_80_columns(self):
        for line in self.good(*self.call, "--m", 16384).splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_draws(self):
        svg, html, trace = (self.folder / n for n in ("t.svg", "t.html", "t.json"))
        self.good(*self.call, "--m", 4096, "--svg", svg, "--html", html, "--trace", trace)
        self.assertIn("<svg", svg.read_text())
        self.assertIn("<html", html.read_text())
        self.assertTrue(json.loads(trace.read_text()))

    def test_any_machine(self):
        text = self.good("machine", "show", "h200", "--text")
        (self.folder / "my.machine").write_text(text)
        for machine in (self.folder / "my.machine", "gpu:2(mem=16GB,d=7T,s=14T)", "cpu:2"):
            self.good_json("simulate", "--machine", machine, "--m", 2000)
        self.good_json("simulate", "--m", 2000)

    def test_set_and_environment(self):
        given = self.good_json(*self.call, "--m", 4096, "--tile", 512)
        for way in ({"GEMMILL_TILE": "512"}, {}):
            args = () if way else ("--set", "tile=512")
            self.assertEqual(self.good_json(*self.call, "--m", 4096, *args, **way)["steps"],
                             given["steps"])

    def test_bad_input_names_the_argument(self):
        m = ("--m", 100)
        self.bad("--m is required", *self.call)
        self.bad("--m: 'x'", *self.call, "--m", "x")
        self.bad("--n: -3", *self.call, *m, "--n", -3)
        self.bad("--k: '1.5'", *self.call, *m, "--k", 1.5)
        self.bad("--m", *self.call, "--m", 10**18)
        self.bad("--m", *self.call, "--m", 10**30)
        self.bad("--m", *self.call, "--m", 10**6)
        self.bad("--machine: unknown machine 'nope'", "simulate", "--machine", "nope", *m)
        self.bad("--policy: unknown policy 'nope'", *self.call, *m, "--policy", "nope")
        self.bad("--devices", *self.call, *m, "--devices", "9")
        self.bad("--devices", *self.call, *m, "--devices", "0,0")
        self.bad("--at", *self.call, *m, "--at", "h,h")
        self.bad("--at", *self.call, *m, "--at", "h,h,99")
        self.bad("--type", *self.call, *m, "--type", "q")
        self.bad("--trans", *self.call, *m, "--trans", "nx")
        self.bad("--trans", *self.call, *m, "--trans", "n")
        self.bad("--routine", *self.call, *m, "--routine", "trsv")
        self.bad("--uplo", *self.call, *m, "--routine", "trsm", "--uplo", "both")
        self.bad("--tile", *self.call, *m, "--tile", -1)
        self.bad("--tile", *self.call, "--m", 100000, "--tile", 1)
        self.bad("--alpha", *self.call, *m, "--alpha", "1,1")
        self.bad("--beta", *self.call, *m, "--beta", "nan")
        self.bad("--cap", *self.call, *m, "--cap", "lots")
        self.bad("--search", *self.call, *m, "--search", "long")
        self.bad("--cap", *self.call, "--m", 100000, "--cap", "1kB")
        self.bad("device memory", *self.call, *m, "--cap", "1B")
        self.bad("--set", *self.call, *m, "--set", "tile")
        self.bad("--set", *self.call, *m, "--set", "nope=1")
        self.bad("GEMMILL_TILE", *self.call, *m, GEMMILL_TILE="x")
        self.bad("--svg", *self.call, *m, "--svg", self.folder / "no" / "t.svg")
        self.bad("--nope", *self.call, *m, "--nope")
        self.bad("nope", "nope")

    def test_malformed_machine_file(self):
        path = self.folder / "bad.machine"
        for text in ("", "machine x\nlink a -> b\n", "{", "\0\1\2", "device gpu0 memory=nowhere"):
            path.write_text(text)
            self.bad("bad.machine", "simulate", "--machine", path, "--m", 10)
        self.bad("--machine", "simulate", "--machine", self.folder, "--m", 10)


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


class Gemm(Command):
    def check(self, *args):
        out = self.good_json("gemm", *args, "--check")
        self.assertTrue(out["right"])
        self.assertLessEqual(out["error"], 1)
        self.assertGreater(out["measured_seconds"], 0)
        return out

    def test_types_and_transposes(self):
        sizes = ("--m", 150, "--n", 130, "--k", 170, "--devices", "cpu:3", "--tile", 64)
        for kind, trans, alpha in (("s", "nt", "1"), ("d", "tn", "-0.5"), ("c", "cn", "1,2"),
                                   ("z", "tc", "0.5,-1"), ("d", "tt", "0")):
            self.check(*sizes, "--type", kind, "--trans", trans, f"--alpha={alpha}")

    def test_types_of_16_bits(self):
        for kind in ("h", "b"):
            for devices in ("cpu", "cpu:1", "cpu:3"):
                for extra in ((), ("--beta", 0, "--trans", "tn"), ("--alpha", 1e-4, "--beta", -0.5)):
                    out = self.check("--m", 180, "--n", 130, "--k", 170, "--type", kind,
                                     "--devices", devices, "--tile", 48, *extra)
                    self.assertEqual(out["problem"]["type"], kind)
                    self.assertEqual(out["check"], "reference product")
            out = self.check("--m", 900, "--type", kind, "--devices", "cpu:2", "--tile", 200)
            self.assertEqual(out["check"], "random vector")
        self.assertIn("bfloat16", self.good("gemm", "--help"))

    def test_placements_and_layouts(self):
        sizes = ("--m", 200, "--n", 90, "--k", 110, "--devices", "cpu:3", "--tile", 64)
        for at in ("h", "0", "h,h,0", "0,1,2", "2,h,1"):
            self.check(*sizes, "--at", at)
        out = self.check(*sizes, "--at", "0,1,2", "--layout", "row", "--trans", "tn")
        self.assertEqual(out["problem"]["at"], "cpu1,cpu0,cpu2")

    def test_beta_and_edges(self):
        for extra in (("--beta", 0), ("--beta", 2), ("--k", 0), ("--n", 1), ("--n", 0)):
            self.check("--m", 65, "--devices", "cpu:2", *extra)

    def test_larger_ones_by_random_vector(self):
        for devices in ("auto", "cpu:2"):
            out = self.check("--m", 900, "--devices", devices, "--beta", 0, "--repeat", 2)
            self.assertEqual(out["check"], "random vector")
            self.assertEqual(len(out["runs"]), 2)
        self.assertEqual(self.check("--m", 100)["check"], "reference product")

    def test_replays_a_saved_plan(self):
        path, trace = self.folder / "p.plan", self.folder / "t.json"
        self.good("plan", "--machine", "cpu:3", "--m", 300, "--tile", 100, "--at", "h,1,2",
                  "--out", path)
        out = self.check("--plan", path, "--trace", trace)
        self.assertEqual(out["problem"]["at"], "host,cpu1,cpu2")
        self.assertEqual(out["machine"], "cpu:3")
        self.assertTrue(json.loads(trace.read_text()))
        self.bad("--plan", "gemm", "--plan", path, "--devices", "cpu:2", code=1)
        self.bad("--beta", "gemm", "--plan", path, "--beta", 3)

    def test_other_routines(self):
        flags = ("--uplo", "lower", "--side", "left"), ("--uplo", "upper", "--side", "right")
        for routine in ("gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"):
            for devices in ("cpu", "cpu:1", "cpu:3"):
                for some in flags:
                    out = self.check("--routine", routine, "--m", 120, "--type", "z", "--devices",
                                     devices, "--beta", 0.5, *some)
                    self.assertEqual(out["problem"]["routine"], routine)
        # A GPU fills up A, for its products are faster than its symm.
        steps = self.good_json("simulate", "--machine", "h200", "--routine", "symm", "--m",
                               8192)["step_kinds"]
        self.assertGreater(steps["mirror"], 0)
        self.bad("--type", "gemm", "--routine", "hemm", "--m", 10)
        self.bad("--alpha", "gemm", "--routine", "herk", "--type", "z", "--alpha", "1,2", "--m", 10)
        self.bad("--beta", "gemm", "--routine", "her2k", "--type", "z", "--beta", "1,2", "--m", 10)
        self.bad("--layout", "gemm", "--routine", "symm", "--m", 10, "--layout", "row")

    def test_table(self):
        text = self.good("gemm", "--m", 200, "--devices", "cpu:2", "--check")
        for word in ("measured", "predicted", "gemm", "right"):
            self.assertIn(word, text)

    def test_bad_input(self):
        self.bad("--devices", "gemm", "--m", 10, "--devices", "gpu:1")
        self.bad("--devices", "gemm", "--m", 10, "--devices", "cpu:0")
        self.bad("--devices", "gemm", "--m", 10, "--trace", self.folder / "t.json")
        self.bad("--m", "gemm", "--m", 10**8)
        self.bad("--m", "gemm", "--m", 10**18)
        self.bad("--repeat", "gemm", "--m", 10, "--repeat", 0)
        self.bad("--layout", "gemm", "--m", 10, "--layout", "x")
        self.bad("--type", "gemm", "--m", 10, "--type", "x")
        self.bad("--at", "gemm", "--m", 10, "--devices", "cpu:2", "--at", "5")


class Clusters(Command):
    def test_parsec_and_best(self):
        call = ["simulate", "--machine", "summit", "--nodes", 8, "--grid", "4x4", "--m", 262144]
        parsec = json.loads(self.good(*call, "--policy", "parsec", "--json"))
        best = json.loads(self.good(*call, "--json"))
        self.assertEqual(parsec["devices"], 48)
        self.assertEqual(parsec["case"], "c1")
        self.assertLessEqual(best["seconds"], parsec["seconds"])
        self.assertAlmostEqual(parsec["share_of_peak"], 0.85, delta=0.085)
        self.assertAlmostEqual(parsec["net_bytes"] / parsec["net_bytes_of_paper"], 1, delta=0.05)
        self.assertLessEqual(parsec["net_bytes_layout"], parsec["net_bytes"])
        self.assertGreater(parsec["net_bytes_layout"], parsec["net_bytes_compulsory"])
        self.assertIn("4x4", self.good(*call, "--lookahead", 2))

    def test_all_of_summit(self):
        out = json.loads(self.good("simulate", "--machine", "summit", "--nodes", 4600, "--grid",
                                   "92x100", "--m", 4000000, "--policy", "parsec", "--json"))
        self.assertEqual(out["devices"], 27600)
        self.assertEqual(out["model"], "one rank, the others in step")
        self.assertLess(out["plan_bytes"], 2**30)

    def test_bad_flags(self):
        call = ["simulate", "--machine", "summit", "--m", 65536]
        self.bad("--grid", *call, "--grid", "3")
        self.bad("--nodes", *call, "--nodes", 5000)
        self.bad("--devices", *call, "--devices", "0")
        self.bad("policy", *call, "--nodes", 2, "--policy", "xkblas")
        self.bad("places", *call, "--nodes", 2, "--grid", "9x9")


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


class BenchBatch(Command):
    call = ("bench", "batch", "--devices", "cpu")

    def test_small_products_on_the_cpu_are_right(self):
        out, svg = self.folder / "batch.json", self.folder / "batch.svg"
        text = self.good(*self.call, "--quick", "--peers", "--out", out, "--svg", svg)
        self.assertIn("d strided nn 16", text)
        results = json.loads(out.read_text())["results"]
        self.assertGreater(len(results), 5)
        for one in results:
            self.assertTrue(one["right"], one["case"])
            self.assertEqual([t["who"] for t in one["timings"]], ["ours", "host BLAS"])
        self.assertIn("<svg", svg.read_text())

    def test_cases_by_words(self):
        text = self.good(*self.call, "--quick", "--cases", "z 4,variable")
        self.assertIn("z strided nn 4", text)
        self.assertIn("d variable nn 32", text)
        self.assertNotIn("d strided", text)
        self.bad("--cases: 'nothing' chooses none", *self.call, "--cases", "nothing")
        self.bad("--devices: 'moon'", "bench", "batch", "--devices", "moon")


class Tune(Command):
    def test_space(self):
        text = self.good("tune", "batch", "--types", "d", "--space", "--list")
        self.assertIn("shared memory of a block", text)
        self.assertIn("PipeTile<T, 16, 8, 2, 4, 2, 2, 16, 3>", text.splitlines())
        self.assertIn("MmaTile<T, 8, 8, 3, 3, 1, 1>", text.splitlines())
        self.bad("--types", "tune", "batch", "--types", "q", "--space")

    def test_candidates_are_built_without_a_gpu(self):
        if not (shutil.which("nvcc") or pathlib.Path("/usr/local/cuda/bin/nvcc").exists()):
            self.skipTest("no nvcc")
        call = ("tune", "batch", "--types", "d", "--sizes", "12", "--most", 2, "--build-only",
                "--folder", self.folder / "candidates")
        self.assertIn("d: 2 candidates, 1 libraries to build", self.good(*call))
        libraries = list((self.folder / "candidates").glob("d_*.so"))
        self.assertEqual(len(libraries), 1)
        self.assertIn(b"gemmill_batch_candidates", libraries[0].read_bytes())
        self.assertIn("d: 2 candidates, 0 libraries to build", self.good(*call))

    def test_what_is_missing_is_told(self):
        call = ("tune", "batch", "--types", "d", "--sizes", "12", "--most", 1)
        self.bad("--build-only and --run-only", *call, "--build-only", "--run-only")
        self.bad("--space", *call, "--list")
        self.bad("--devices: 'cpu'", *call, "--devices", "cpu", "--folder", self.folder / "none")
        self.assertFalse((self.folder / "none").exists(), "nothing is built without a GPU")
        self.bad("--sizes", *call, "--sizes", "x", "--build-only")
        self.bad("--ops: 'nx'", *call, "--run-only", "--ops", "nx", "--folder", self.folder)
        (self.folder / "bad.table").write_text("d any 3\n")
        self.bad("line 1: 3 words", *call, "--build-only", "--table", self.folder / "bad.table")


class Bench(Command):
    call = ("bench", "gemm")

    def test_needs_a_gpu(self):
        if gemmill("gemm", "--m", 8, "--devices", "cuda:0").returncode == 0:
            self.skipTest("there is a GPU")
        self.bad("--devices: 'cuda:0'", *self.call)
        self.bad("(needs a GPU)", *self.call, "--quick", "--peers")

    def test_bad_input(self):
        self.bad("--cases: 'x' chooses none", *self.call, "--cases", "x")
        self.bad("--devices", *self.call, "--devices", "cpu:2")
        self.bad("not one whole GPU", *self.call, "--devices", "cuda:0x2")
        self.bad("--repeats", *self.call, "--repeats", 0)
        self.bad("--svg", *self.call, "--cases", "thin", "--svg", self.folder / "x.svg")


class BenchRandom(Command):
    call = ("bench", "random")

    def test_ours_alone_on_the_cpu(self):
        out = self.folder / "random.json"
        small = ("--quick", "--no-peers", "--devices", "cpu:2", "--repeats", 1)
        text = self.good(*self.call, *small, "--seed", 7, "--count", 3, "--out", out)
        self.assertIn("dtrsm right lower t", text)
        self.assertIn("from the host", text)
        report = json.loads(out.read_text())
        self.assertTrue(report["right"])
        self.assertEqual(len(report["cases"]), 3)
        self.assertIsNone(report["cases"][0]["peer_over_ours"])
        one = self.good(*self.call, *small, "--seed", 7, "--only", 0)
        self.assertIn("dtrsm right lower t", one)
        self.assertIn("4 threads", self.good(*self.call, *small, "--in-core", "--n", 480))

    def test_complex_types(self):
        out = self.folder / "random.json"
        small = ("--quick", "--no-peers", "--devices", "cpu:2", "--repeats", 1)
        text = self.good(*self.call, *small, "--seed", 7, "--count", 4, "--types", "zc", "--out", out)
        self.assertIn("ztrsm right lower", text)
        report = json.loads(out.read_text())
        self.assertTrue(report["right"])
        self.assertEqual(sorted(case["name"][0] for case in report["cases"]), list("cczz"))
        text = self.good(*self.call, *small, "--in-core", "--n", 480, "--types", "c")
        self.assertIn("cgemm", text)
        self.assertNotIn("dgemm", text)

    def test_bad_input(self):
        self.bad("--devices: 'cpu:2'", *self.call, "--devices", "cpu:2")
        self.bad("--count", *self.call, "--count", 0)
        self.bad("--only", *self.call, "--only", -1)
        self.bad("--seed", *self.call, "--seed", "x")
        self.bad("--repeats", *self.call, "--repeats", 0)
        self.bad("--n", *self.call, "--in-core", "--n", "0")
        self.bad("--types: unknown type 'x'", *self.call, "--types", "dx")


class Demo(Command):
    def test_demo(self):
        text = self.good("demo", "--n", 300, "--out", self.folder / "out")
        self.assertIn("right", text)
        for name in ("timeline.svg", "timeline.html", "trace.json"):
            self.assertTrue((self.folder / "out" / name).stat().st_size > 0)
        self.bad("--n", "demo", "--n", 0)
        self.bad("--out", "demo", "--n", 10, "--out", "/dev/null/x")


if __name__ == "__main__":
    if not os.access(COMMAND, os.X_OK):
        sys.exit(f"no command at {COMMAND}: set GEMMILL_COMMAND")
    unittest.main()
