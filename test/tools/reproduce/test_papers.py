# SPDX-License-Identifier: Apache-2.0
"""gemmill reproduce uncut, blasx and parsec: GEMMILL_COMMAND=build/bin/gemmill test_papers.py."""
import functools
import json
import unittest
import xml.etree.ElementTree as xml

from support import Command, gemmill


@functools.cache
def quick(paper):
    return json.loads(gemmill("reproduce", paper, "--quick", "--json").stdout)


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


class Paper(Command):
    """What the reports of papers have in common."""

    def check_points(self, out):
        for point in out["points"]:
            self.assertEqual((point["type"], point["at"]), ("d", "h"))
            self.assertLessEqual(point["bound_seconds"], point["seconds"], point)
        return {(p["n"], p["gpus"], p["policy"]): p["seconds"] for p in out["points"]
                if p["routine"] == "gemm"}

    def check_figures(self, names, word):
        files = sorted((self.folder / "figures").iterdir())
        self.assertEqual([file.name for file in files], names)
        for file in files:
            words = {e.text for e in xml.parse(file).iter("{http://www.w3.org/2000/svg}text")}
            self.assertIn(word, words, file.name)


class Blasx(Paper):
    def test_tables_and_points(self):
        out = quick("blasx")
        self.assertEqual(list(out), ["means", "rate", "volume", "routines", "volumes", "beaten", "points"])
        seconds = self.check_points(out)
        self.assertEqual(out["means"]["blasx"]["% of peak, 1 GPU"]["paper"], 92.68)
        cell = out["means"]["cublasxt"]["% parallel efficiency, 3 GPUs"]
        self.assertEqual(cell["paper"], 89.85)
        efficiencies = [seconds[n, 1, "cublasxt"] / seconds[n, 3, "cublasxt"] / 3
                        for n in range(1024, 16385, 1024)]
        self.assertAlmostEqual(cell["simulated"], 100 * sum(efficiencies) / len(efficiencies))
        rate = out["rate"]["n = 16384"]["best, 3"]
        self.assertNotIn("paper", rate)
        self.assertAlmostEqual(rate["simulated"], 2e-12 * 16384**3 / seconds[16384, 3, "best"])

    def test_volumes(self):
        volume = quick("blasx")["volume"]
        tile = 8 * 1024**2 / 1e6
        # Nothing is kept: 16 tiles of A and of B for each of 86 or 85 tiles of C, in and out.
        for gpu, tiles in ((1, 86), (2, 85), (3, 85)):
            cell = volume[f"GPU {gpu}, host, both ways"]["cublasxt"]
            self.assertAlmostEqual(cell["simulated"], tiles * 34 * tile)
            self.assertAlmostEqual(cell["paper"], tiles * 34 * tile, delta=1)
        self.assertEqual(volume["GPU 1, from other GPUs"]["blasx"]["simulated"], 0)
        for variant in ("blasx", "best"):
            rows = [cells[variant]["simulated"] for cells in volume.values()]
            self.assertAlmostEqual(sum(rows[:-1]), rows[-1])
            self.assertGreaterEqual(rows[-1], 4 * 256 * tile)

    def test_other_routines(self):
        out = quick("blasx")
        self.assertEqual(set(out["routines"]), {"DSYMM", "DSYRK", "DSYR2K", "DTRMM", "DTRSM"})
        self.assertEqual(out["routines"]["DTRSM"]["blasx"]["paper"], 81.58)
        for routine, cells in out["routines"].items():
            for variant in ("blasx", "best"):
                self.assertTrue(0 < cells[variant]["simulated"] <= 101, (routine, variant))
        volume = out["volumes"]["DTRSM, all GPUs"]
        self.assertAlmostEqual(volume["blasx"]["paper"], 2751 + 981 + 4622 + 300 + 2575)
        for routine in ("DSYMM", "DTRMM", "DTRSM"):
            cell = out["volumes"][f"{routine}, all GPUs"]["blasx"]
            self.assertLess(abs(cell["simulated"] / cell["paper"] - 1), 0.15, routine)
        # A triangle for each GPU, and C in and out once.
        self.assertGreater(volume["best"]["simulated"], (3 / 2 + 2) * 8 * 16384**2 / 1e6)

    def test_text_and_figures(self):
        text = self.good("reproduce", "blasx", "--quick", "--out", self.folder / "figures")
        for needle in ("Simulated on everest", "means over 16 sizes, n = 1024 to 16384",
                       "24528 / 24528", "34 reported numbers", "DSYR2K"):
            self.assertIn(needle, text)
        self.check_figures(["blasx-efficiency.svg", "blasx-rate.svg", "blasx-volume.svg"], "blasx")

    def test_bad_flags(self):
        self.bad("--tile", "reproduce", "blasx", "--tile", 512)
        self.assertIn("--quick", self.good("reproduce", "blasx", "--help"))


class Parsec(Paper):
    def test_tables_and_points(self):
        out = quick("parsec")
        self.assertEqual(list(out), ["tile", "size", "loads", "one_node", "speed_summit-parsec",
                                     "speed_summit", "best_summit-parsec", "loads_summit-parsec",
                                     "beaten", "points"])
        seconds = self.check_points(out)
        row = out["tile"]["parsec, tile 4096"]
        self.assertEqual([cell.get("paper") for cell in row.values()], [95, 95, 95, None, None, 85])
        self.assertAlmostEqual(row["3 GPUs"]["simulated"],
                               100 * 2 * 73728**3 / (3 * 7.2e12) /
                               seconds[73728, 3, "parsec, tile 4096"])
        for cell in row.values():
            self.assertLessEqual(cell["simulated"], 100)
        self.assertEqual(out["loads"]["parsec, % from other GPUs"]["3 GPUs"]["paper"], 50)

    def test_clusters_are_within_a_tenth(self):
        out = quick("parsec")
        for key in ("one_node", "speed_summit-parsec", "speed_summit"):
            for row in out[key].values():
                for cell in row.values():
                    if "paper" in cell:
                        self.assertAlmostEqual(cell["simulated"] / cell["paper"], 1, delta=0.1)
        for row in out["best_summit-parsec"].values():
            self.assertGreaterEqual(row["2x2"]["simulated"], 1)

    def test_loads_of_the_papers_model(self):
        # 18 tiles a side. On 6 GPUs one block of C: A goes to each, B and C once. On 3 GPUs two
        # blocks a side, so A and B twice. best cannot load less than A, B and C once.
        loads = quick("parsec")["loads"]["best, % of the paper's model"]
        for gpus, matrices in ((3, 2 * 3 + 2 + 1), (6, 6 + 1 + 1)):
            share = loads[f"{gpus} GPUs"]["simulated"] / 100
            self.assertGreaterEqual(share * matrices, 3)
            self.assertLessEqual(share, 1)

    def test_text_and_figures(self):
        text = self.good("reproduce", "parsec", "--quick", "--out", self.folder / "figures")
        for needle in ("Simulated on summit-node", "30 reported numbers", "C 164.4 GB", "on a node"):
            self.assertIn(needle, text)
        self.check_figures(["parsec-size-3.svg", "parsec-size-6.svg", "parsec-tile.svg"], "0")

    def test_bad_flags(self):
        self.bad("unknown argument '--data'", "reproduce", "parsec", "--data", "x")
        self.assertIn("72 nodes", self.good("reproduce", "parsec", "--help"))


if __name__ == "__main__":
    unittest.main()
