"""An installed package works: operations, and own kernels."""
import sys

import numpy as np
import lanewise as lw

assert lw.__file__.startswith(sys.prefix), lw.__file__
x = np.arange(12.0).reshape(3, 4)
assert lw.sum(x) == 66 and lw.matmul(x, x.T).tolist() == (x @ x.T).tolist()
assert np.allclose(lw.softmax(x).sum(axis=1), 1) and lw.argmax(x) == 11
assert lw.transpose(x).tolist() == x.T.tolist() and lw.scan(np.ones(3)).tolist() == [1, 2, 3]

SOURCE = """#include <lanewise/kernel.h>
KERNEL void twice(float *x) { x[thread_idx.x] *= 2; }
"""
y = np.ones(4, "f4")
lw.compile(SOURCE).twice[1, 4](y)
assert y.tolist() == [2] * 4 and lw.map("a + 1", y).tolist() == [3] * 4
print("works")
