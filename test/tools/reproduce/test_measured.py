# SPDX-License-Identifier: Apache-2.0
"""gemmill reproduce measured: GEMMILL_COMMAND=build/bin/gemmill test_measured.py.

MEASURED_DATA may name a file of measured runs; its medians are then checked as well.
"""
import itertools
import os
import pathlib
import unittest

from support import DEVICES, Command

DATA = os.environ.get("MEASURED_DATA", "")
HEAD = "gpus,m,n,k,a_at,b_at,c_at,library,tile,seconds,tflops"


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


if __name__ == "__main__":
    unittest.main()
