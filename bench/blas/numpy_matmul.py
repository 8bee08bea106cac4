#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""c = a @ b by numpy, with and without the drop-in, each in a process of its own.

    bench/blas/numpy_matmul.py [--n 8192] [--repeats 7] [--python PYTHON] [--command GEMMILL] [--out FILE]

Doubles in ordinary memory: into the same c (np.matmul(a, b, out=c)), and into a new result, whose
pages are made in the time that is measured. Medians in seconds and ratios, as JSON. Every result is
checked by a random vector. Exits 1 when one is wrong or when calls did not arrive.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def flags():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=8192)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has numpy")
    parser.add_argument("--command", default=str(ROOT / "build" / "bin" / "gemmill"))
    parser.add_argument("--out", help="file for the JSON; standard output when none is named")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def timed(function, repeats):
    """Seconds of each call; the first, which opens and plans, apart."""
    seconds = []
    for _ in range(repeats + 1):
        start = time.perf_counter()
        result = function()
        seconds.append(time.perf_counter() - start)
        del result
    return seconds[0], seconds[1:]


def measure(n, repeats):
    """What one process measures."""
    import numpy as np
    random = np.random.default_rng(1)
    a, b = random.standard_normal((n, n)), random.standard_normal((n, n))
    c, x = np.empty((n, n)), random.standard_normal(n)
    expected = a @ (b @ x)

    def is_right(product):
        return bool(np.abs(product @ x - expected).max() < 1e-10 * n * np.abs(expected).max())

    first, same = timed(lambda: np.matmul(a, b, out=c), repeats)
    right = is_right(c)
    _, new = timed(lambda: a @ b, repeats)
    return {"numpy": np.__version__, "first": first, "same": same, "new": new,
            "right": right and is_right(a @ b)}


def inside(settings, **variables):
    """The same in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GEMMILL_")} | variables
    command = [settings.python, __file__, "--inside", "--n", settings.n, "--repeats", settings.repeats]
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def under_drop_in(settings):
    library = subprocess.run([settings.command, "blas", "--preload"], capture_output=True, text=True,
                             check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        measured = inside(settings, LD_PRELOAD=library, GEMMILL_REPORT=str(report))
        text = report.read_text(encoding="utf-8") if report.exists() else ""
    measured["report"] = text.splitlines()
    measured["arrived"] = "dgemm" in text
    return measured


def ratios(plain, drop_in):
    return {kind: statistics.median(plain[kind]) / statistics.median(drop_in[kind])
            for kind in ("same", "new")}


def main():
    settings = flags()
    if settings.inside:
        print(json.dumps(measure(settings.n, settings.repeats)))
        return 0
    plain, drop_in = inside(settings), under_drop_in(settings)
    result = {"what": "c = a @ b by numpy, doubles in ordinary memory", "n": settings.n,
              "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "cores": os.cpu_count(),
              "machine": platform.platform(), "plain": plain, "drop_in": drop_in,
              "median": {"plain": {kind: statistics.median(plain[kind]) for kind in ("same", "new")},
                         "drop_in": {kind: statistics.median(drop_in[kind]) for kind in ("same", "new")}},
              "times_faster": ratios(plain, drop_in)}
    text = json.dumps(result, indent=1)
    if settings.out:
        Path(settings.out).write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0 if plain["right"] and drop_in["right"] and drop_in["arrived"] else 1


if __name__ == "__main__":
    sys.exit(main())
