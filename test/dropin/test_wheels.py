# SPDX-License-Identifier: Apache-2.0
"""numpy, scipy and scikit-learn as PyPI has them, which bring an OpenBLAS under names of their own:
their calls arrive, and their own tests come out as without the drop-in."""
import json
import re
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

from support import COMMAND, FORCED, HERE, LIBRARY, ROOT, Scratch, run, said, wheels_python

ROW = re.compile(r"^  ([sdcz]\w+) +(?:to \d+|larger) +(\d+) +(\d+) +(\d+) ", re.M)


def counts(report):
    """Calls by routine, from the text of a report: all, on the host, on devices."""
    total = {}
    for routine, *numbers in ROW.findall(report):
        old = total.get(routine, (0, 0, 0))
        total[routine] = tuple(a + int(b) for a, b in zip(old, numbers))
    return total


class Wheels(Scratch):
    @classmethod
    def setUpClass(cls):
        cls.python = wheels_python()

    def calls_of(self, script, **variables):
        done = run(COMMAND, "run", "--", self.python, "-c", script, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("made", done.stderr)
        return counts(done.stderr), done.stderr

    def test_print_the_same_with_it_as_without(self):
        self.same_under_it(self.python, HERE / "client.py")

    def test_every_call_is_counted(self):
        script = (HERE / "wheels_client.py").read_text(encoding="utf-8")
        expected = {"dgemm": 3, "sgemm": 1, "cgemm": 1, "zgemm": 1, "dsyrk": 2, "dtrsm": 1, "zherk": 1}
        calls, text = self.calls_of(script)
        self.assertEqual({name: row[0] for name, row in calls.items()}, expected, text)
        # Two libraries did them: numpy's, whose integers have 64 bits, and scipy's.
        self.assertRegex(text, r"host BLAS: OpenBLAS .* and OpenBLAS ")
        self.assertIn("USE64BITINT", text)
        calls, text = self.calls_of(script, GEMMILL_TILE="64", **FORCED)
        self.assertEqual({name: row[2] for name, row in calls.items()}, expected, text)

    def test_no_other_blas_is_loaded(self):
        """What stays on the host is done by what the wheels brought."""
        script = ("import numpy as np; a = np.ones((500, 500)); a @ a; "
                  "print(sorted({l.split('/')[-1].strip() for l in open('/proc/self/maps') "
                  "if 'blas' in l}))")
        out = said(self.python, "-c", script, LD_PRELOAD=LIBRARY, GEMMILL_DEVICES="auto")
        names = [name for name in re.findall(r"'([^']+)'", out) if "gemmill" not in name]
        self.assertEqual(len(names), 1, out)
        self.assertIn("scipy_openblas", names[0])

    def test_scikit_learn(self):
        script = ("import numpy as np; from sklearn.cluster import KMeans; "
                  "x = np.random.default_rng(1).standard_normal((2000, 16)); "
                  "KMeans(8, n_init=1, random_state=0).fit(x)")
        calls, text = self.calls_of(script)
        self.assertGreater(calls.get("dgemm", (0,))[0], 10, text)


    def test_the_benchmark_runs(self):
        """bench/blas/numpy_matmul.py, small."""
        out = self.folder / "out.json"
        said(sys.executable, ROOT / "bench" / "blas" / "numpy_matmul.py", "--n", "300", "--repeats", "2",
             "--python", self.python, "--command", COMMAND, "--out", out)
        result = json.loads(out.read_text(encoding="utf-8"))
        self.assertTrue(result["drop_in"]["right"] and result["drop_in"]["arrived"], result)
        self.assertEqual(set(result["times_faster"]), {"same", "new"})


class WheelSuites(Scratch):
    """numpy.linalg's and scipy.linalg's own tests. One thread: results are compared, not speed."""
    ALL = ("numpy.linalg", "scipy.linalg")
    SOME = ("numpy.linalg", "scipy.linalg.tests.test_blas", "scipy.linalg.tests.test_decomp",
            "scipy.linalg.tests.test_basic", "scipy.linalg.tests.test_decomp_cholesky")

    @classmethod
    def setUpClass(cls):
        cls.python = wheels_python()
        # Tests are named from here on, whichever of them are run.
        cls.root = said(cls.python, "-c", "import numpy, pathlib; "
                        "print(pathlib.Path(numpy.__file__).parents[1])").strip()
        cls.plain = cls.outcomes(cls.ALL)
        assert list(cls.plain.values()).count("passed") > 5000

    @classmethod
    def outcomes(cls, suites, **variables):
        """The outcome of each test: passed, failure, error or skipped."""
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            done = run(cls.python, "-m", "pytest", "-q", f"--rootdir={cls.root}", f"--junitxml={file.name}", "-p",
                       "no:cacheprovider", "--tb=line", "--pyargs", *suites, timeout=580,
                       OPENBLAS_NUM_THREADS="1", **variables)
            text = file.read()
        if not text:
            raise AssertionError(done.stdout[-4000:] + done.stderr)
        return {f"{case.get('classname')}.{case.get('name')}": case[0].tag if len(case) else "passed"
                for case in xml.fromstring(text).iter("testcase")}

    def same(self, suites, least_calls, **variables):
        report = self.folder / "report.txt"
        done = self.outcomes(suites, LD_PRELOAD=LIBRARY, GEMMILL_REPORT=str(report), **variables)
        changed = {name: (self.plain.get(name), outcome) for name, outcome in done.items()
                   if self.plain.get(name) != outcome}
        self.assertEqual(changed, {})
        calls = counts(report.read_text(encoding="utf-8"))
        self.assertGreater(sum(row[0] for row in calls.values()), least_calls)
        return calls, set(self.plain) - set(done)

    def test_come_out_as_without_it(self):
        calls, missing = self.same(self.ALL, 100000)
        self.assertEqual(missing, set())
        self.assertGreaterEqual(len(calls), 30, "routines of every kind")

    def test_come_out_as_without_it_when_cut_into_tiles(self):
        calls, _ = self.same(self.SOME, 100000, GEMMILL_TILE="20", **FORCED)
        self.assertGreater(sum(row[2] for row in calls.values()), 100000)


if __name__ == "__main__":
    sys.exit(unittest.main())
