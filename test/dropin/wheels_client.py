# SPDX-License-Identifier: Apache-2.0
"""Calls that can be counted: each line makes those that it names."""
import numpy as np
from scipy.linalg import blas

a = np.random.default_rng(3).standard_normal((200, 200))
f, c, z = a.astype(np.float32), a.astype(np.complex64), a + 1j * a.T
a @ a  # dgemm
a @ a.T  # dsyrk
np.dot(a.T, a)  # dsyrk
np.matmul(a, a, out=np.empty_like(a))  # dgemm
f @ f  # sgemm
c @ c  # cgemm
z @ z  # zgemm
product = blas.dgemm(1.0, a, a)  # dgemm
assert np.allclose(product, np.einsum("ij,jk->ik", a, a, optimize=False))
lower = np.tril(a) + 300 * np.eye(200)
x = blas.dtrsm(1.0, lower, a, lower=1)  # dtrsm
assert np.allclose(np.einsum("ij,jk->ik", lower, x, optimize=False), a)
blas.zherk(1.0, z)  # zherk
