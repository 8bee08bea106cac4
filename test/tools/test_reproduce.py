# SPDX-License-Identifier: Apache-2.0
"""gemmill reproduce and gemmill plan --explain: GEMMILL_COMMAND=build/bin/gemmill test_reproduce.py.

MEASURED_DATA may name a file of measured runs; its medians are then checked as well.
"""
import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("GEMMILL_COMMAND", str(ROOT / "build" / "bin" / "gemmill"))
DATA = os.environ.get("MEASURED_DATA", "")
HEAD = "gpus,m,n,k,a_at,b_at,c_at,library,tile,seconds,tflops"
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


class Measured(Command):
    # gpus, m, n, k, at; and how much longer the simulation takes than the made-up measurement.
    cases = ((1, 2000, 2000, 2000, "h,h,h"), (2, 3000, 3000, 1000, "h,h,0"),
             (8, 4000, 4000, 4000, "0,0,0"))
    factors = {"uncut": (1.1, 1.2, 0.5), "paralia": (1, 1, 1), "cublasxt": (2, 0.99, 1)}

    def simulated(self, case, library):
        gpus, m, n, k, at = case
        return self.good_json("simulate", "--machine", "hgx-a100-8", "--policy", library,
                              "--devices", DEVICES[gpus], "--m", m, "--n", n, "--k", k, "--at",
                              at, "--alpha", 2, "--beta", 2)["seconds"]

    def write(self, text):
        path = self.folder / "runs.csv"
        path.write_text(text)
        return path

    def runs(self):
        """(case number, library, measured, simulated) of all of them."""
        for (i, case), library in itertools.product(enumerate(self.cases), self.factors):
            seconds = self.simulated(case, library)
            yield i, library, seconds / self.factors[library][i], seconds

    def write_runs(self, runs):
        rows = [f"{','.join(map(str, self.cases[i]))},{library},,{measured!r},1"
                for i, library, measured, _ in runs]
        return self.write("\n".join([HEAD, *rows, ""]))

    def test_errors_of_known_size(self):
        out = self.good_json("reproduce", "measured", "--data", self.write_runs(self.runs()))
        found = {one["name"]: one for one in out["libraries"]}
        self.assertEqual(set(found), set(self.factors))
        for name, median, worst in (("uncut", 0.2, 0.5), ("paralia", 0, 0), ("cublasxt", 0.01, 1)):
            self.assertEqual(found[name]["rows"], 3)
            self.assertAlmostEqual(found[name]["error_median"], median, 6, name)
            self.assertAlmostEqual(found[name]["error_90"], worst, 6, name)
            self.assertAlmostEqual(found[name]["error_worst"], worst, 6, name)
        self.assertAlmostEqual(found["uncut"]["ratio_median"], 1.1, 6)
        self.assertEqual(found["uncut"]["worst"][0]["at"], "0,0,0")
        self.assertEqual(found["uncut"]["worst"][0]["gpus"], 8)
        self.assertAlmostEqual(found["uncut"]["worst"][0]["error"], -0.5, 6)

    def test_order_of_libraries(self):
        runs = list(self.runs())
        order = self.good_json("reproduce", "measured", "--data", self.write_runs(runs))["order"]
        right = {i: [] for i in range(len(self.cases))}
        for (i, _, m1, s1), (j, _, m2, s2) in itertools.combinations(runs, 2):
            if i == j:
                right[i].append((m1 < m2) == (s1 < s2))
        self.assertEqual((order["cases"], order["pairs"]), (3, 9))
        self.assertEqual(order["right_pairs"], sum(map(sum, right.values())))
        self.assertEqual(order["right_cases"], sum(map(all, right.values())))
        self.assertLessEqual(order["right_fastest"], 3)

    def test_text_names_the_worst(self):
        path = self.write_runs(self.runs())
        text = self.good("reproduce", "measured", "--data", path, "--worst", 2)
        self.assertIn("9 runs, simulated on hgx-a100-8", text)
        self.assertIn("pairs of libraries in the right order", text)
        self.assertEqual(text.count("\nuncut "), 3)
        self.assertIn("uncut 4000 x 4000 x 4000 at 0,0,0 on 8", text)

    def test_columns_in_any_order(self):
        path = self.write("library,seconds,tflops,tile,k,n,m,c_at,b_at,a_at,gpus\r\n"
                          "uncut,0.5,,,1000,2000,3000,0,h,h,2\r\n")
        worst = self.good_json("reproduce", "measured", "--data", path)["libraries"][0]["worst"][0]
        self.assertEqual((worst["m"], worst["n"], worst["k"]), (3000, 2000, 1000))
        self.assertEqual((worst["at"], worst["gpus"], worst["line"]), ("h,h,0", 2, 2))

    def test_malformed_file_names_the_line(self):
        row = "1,100,100,100,h,h,h,uncut,,0.5,1"
        for needle, text in (
                ("no rows", ""),
                ("no rows", HEAD),
                ("line 1: no column 'gpus'", f"m,n\n{row}"),
                ("line 3: 3 cells", f"{HEAD}\n{row}\n1,2,3"),
                ("line 2: gpus: 3 is none of", f"{HEAD}\n3{row[1:]}"),
                ("line 2: m: 'x'", f"{HEAD}\n1,x,100,100,h,h,h,uncut,,0.5,1"),
                ("line 2: k: 0 is less than 1", f"{HEAD}\n1,100,100,0,h,h,h,uncut,,0.5,1"),
                ("line 2: policy: unknown policy 'mkl'", f"{HEAD}\n{row.replace('uncut', 'mkl')}"),
                ("line 2: seconds", f"{HEAD}\n{row.replace('0.5', 'soon')}"),
                ("line 2: seconds", f"{HEAD}\n{row.replace('0.5', '-1')}"),
                ("line 2: seconds", f"{HEAD}\n{row.replace('0.5', 'nan')}"),
                ("line 4: the same case and library as line 2", f"{HEAD}\n{row}\n\n{row}"),
                ("line 2", f"{HEAD}\n1,100,100,100,h,h,99,uncut,,0.5,1")):
            self.bad(needle, "reproduce", "measured", "--data", self.write(text))

    def test_bad_flags(self):
        path = self.write(f"{HEAD}\n1,100,100,100,h,h,h,uncut,,0.5,1")
        self.bad("--data", "reproduce", "measured")
        self.bad("--data", "reproduce", "measured", "--data", self.folder / "none.csv")
        self.bad("--machine", "reproduce", "measured", "--data", path, "--machine", "nope")
        self.bad("--worst: -1", "reproduce", "measured", "--data", path, "--worst", -1)
        self.bad("subcommand", "reproduce")

    @unittest.skipUnless(DATA and pathlib.Path(DATA).is_file(),
                         "MEASURED_DATA names no file of measured runs")
    def test_measured_runs(self):
        out = self.good_json("reproduce", "measured", "--data", DATA)
        medians = {one["name"]: one["error_median"] for one in out["libraries"]}
        for name, most in (("uncut", 0.15), ("paralia", 0.15), ("cublasxt", 0.2), ("xkblas", 0.2)):
            self.assertLessEqual(medians[name], most, name)


class Uncut(Command):
    def test_tables_and_points(self):
        out = self.good_json("reproduce", "uncut", "--quick")
        self.assertEqual(list(out), ["stack", "regular", "scaling", "irregular", "best", "beaten",
                                     "points"])
        cell = out["regular"]["FP64 host"]["over paralia"]
        self.assertEqual(cell["paper"], 1.31)
        self.assertGreater(cell["simulated"], 1)
        self.assertEqual(cell["off"], abs(cell["simulated"] / cell["paper"] - 1) > 0.15)
        self.assertNotIn("paper", out["scaling"]["host  n =  8192, best"]["2 GPUs"])
        seconds = {(p["type"], p["m"], p["k"], p["at"], p["gpus"], p["policy"]): p["seconds"]
                   for p in out["points"]}
        self.assertEqual(len(seconds), len(out["points"]))
        self.assertAlmostEqual(
            out["scaling"]["host  n =  8192, uncut"]["4 GPUs"]["simulated"],
            seconds["d", 8192, 8192, "h", 1, "uncut"] / seconds["d", 8192, 8192, "h", 4, "uncut"])
        for point in out["points"]:
            self.assertLessEqual(point["bound_seconds"], point["seconds"], point)
        for beaten in out["beaten"]:
            self.assertLess(beaten["ratio"], 1)

    def test_text_and_figures(self):
        text = self.good("reproduce", "uncut", "--quick", "--out", self.folder / "figures")
        for needle in ("reported / simulated", "over xkblas", "irregular, all (102)",
                       "98 reported numbers"):
            self.assertIn(needle, text)
        files = sorted((self.folder / "figures").iterdir())
        self.assertEqual([file.name for file in files],
                         [f"{name}-{place}.svg" for name in ("rate-fp32", "rate-fp64", "scaling",
                                                             "stack") for place in ("gpu0", "host")])
        for file in files:
            words = {e.text for e in xml.parse(file).iter("{http://www.w3.org/2000/svg}text")}
            self.assertIn("uncut", words, file.name)
            self.assertIn("0", words, file.name)

    def test_folder_that_cannot_be(self):
        (self.folder / "file").write_text("")
        for paper in ("uncut", "blasx", "parsec"):
            self.bad("--out", "reproduce", paper, "--quick", "--out", self.folder / "file" / "x")


class Explain(Command):
    call = ("plan", "--machine", "hgx-a100-8", "--m", 6000)

    def test_chosen_is_the_fastest_tried(self):
        out = self.good_json(*self.call, "--explain")
        tried = out["explain"]["tried"]
        self.assertGreater(len(tried), 1)
        self.assertEqual(out["explain"]["chosen"], tried[0]["what"])
        self.assertAlmostEqual(tried[0]["seconds"], out["seconds"], 9)
        self.assertEqual(tried[0]["relative"], 1)
        self.assertEqual([t["seconds"] for t in tried], sorted(t["seconds"] for t in tried))

    def test_devices_that_were_allowed(self):
        out = self.good_json(*self.call, "--devices", "1,3", "--explain")
        self.assertEqual(out["devices"], ["gpu1", "gpu3"])
        for tried in out["explain"]["tried"]:
            self.assertLessEqual(set(tried["what"].split()[0].split(",")), {"gpu1", "gpu3"})
        self.assertAlmostEqual(out["explain"]["tried"][0]["seconds"], out["seconds"], 9)

    def test_text(self):
        text = self.good(*self.call, "--beta", 0, "--explain")
        for needle in ("chosen", "Plans tried: ", "longer by", "not read, beta is 0"):
            self.assertIn(needle, text)
        self.assertIn("Plans tried: 1.", self.good(*self.call, "--policy", "uncut", "--explain"))
        self.good("plan", "--machine", "hgx-a100-8", "--m", 0, "--explain")

    def test_a_saved_plan_has_no_candidates(self):
        self.bad("--plan", "plan", "--plan", "x", "--explain")
        self.bad("--text", *self.call, "--text", "--explain")


if __name__ == "__main__":
    unittest.main()
