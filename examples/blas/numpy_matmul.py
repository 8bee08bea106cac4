# SPDX-License-Identifier: Apache-2.0
# gemmill run -- python3 examples/blas/numpy_matmul.py
import numpy as np

rng = np.random.default_rng(1)
a, b = rng.standard_normal((2, 2000, 2000))
c = a @ b  # cblas_dgemm
d = a @ a.T  # cblas_dsyrk
probe = rng.standard_normal(2000)
assert np.allclose(c @ probe, a @ (b @ probe))
assert np.allclose(d, d.T)
print("2000 x 2000: right")
