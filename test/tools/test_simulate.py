# SPDX-License-Identifier: Apache-2.0
"""gemmill simulate, on one node and on clusters: GEMMILL_COMMAND=build/bin/gemmill test_simulate.py."""
import json
import unittest

from calling import Command


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


if __name__ == "__main__":
    unittest.main()
