# SPDX-License-Identifier: Apache-2.0
"""A bad argument to LAPACK by numpy, whose handler raises where it has one."""
import numpy as np
from numpy.linalg import lapack_lite

a = np.array([[0.0]])
try:
    print(lapack_lite.dorgqr(1, 1, 1, a, 0, a, a, 0, 0))
except ValueError as error:
    print("raised", error)
