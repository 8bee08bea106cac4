# SPDX-License-Identifier: Apache-2.0
"""numpy and scipy as people use them; prints numbers, rounded to what any good BLAS agrees on."""
import sys

import numpy as np

rng = np.random.default_rng(7)
for kind in (np.float32, np.float64, np.complex64, np.complex128):
    a = rng.standard_normal((320, 310)).astype(kind)
    b = rng.standard_normal((310, 330)).astype(kind)
    digits = 2 if kind in (np.float32, np.complex64) else 8
    print(kind.__name__, np.round(np.abs(a @ b).sum() / 1e4, digits - 1),
          np.round(np.abs(a @ a.T).sum() / 1e4, digits - 1),
          np.round(np.abs(np.tensordot(a, b, 1)[3]).max(), digits - 1))
square = rng.standard_normal((250, 250))
print("solve", np.abs(square @ np.linalg.solve(square, np.eye(250)) - np.eye(250)).max() < 1e-9)
try:
    import scipy.linalg
    from scipy.linalg import blas
except ImportError:
    sys.exit()
spd = square @ square.T + 250 * np.eye(250)
lower = scipy.linalg.cholesky(spd, lower=True)
print("cholesky", np.abs(lower @ lower.T - spd).max() < 1e-9)
x = blas.dtrsm(1.0, lower, square, lower=1)
print("dtrsm", np.abs(lower @ x - square).max() < 1e-9)
h = blas.zherk(1.0, square + 1j * square.T)
print("zherk", np.round(np.abs(h).sum(), 4))
print("dsymm", np.round(np.abs(blas.dsymm(1.0, spd, square)).sum(), 2))
