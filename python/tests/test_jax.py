"""JAX's arrays on the CPU: arguments without a copy, results, and lanewise's arrays in JAX."""
from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import lanewise as lw

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp: Any = jax.numpy
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_enable_x64", True)

DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
          "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_both_ways(dtype: str) -> None:
    x = jnp.arange(6).reshape(2, 3).astype(dtype)
    a = lw.asarray(x)
    assert a.dtype == np.dtype(dtype) and a.numpy().tolist() == np.asarray(x).tolist()
    back = jax.dlpack.from_dlpack(lw.asarray(np.array(x)))
    assert back.dtype == x.dtype and back.tolist() == np.asarray(x).tolist()


def test_no_copy_and_read_only(kernels: lw.Program) -> None:
    x = jnp.arange(64, dtype="float32")
    a = lw.asarray(x, copy=False)
    assert a._pointer == x.unsafe_buffer_pointer() and a.readonly
    with pytest.raises(lw.ArgumentError, match="read-only"):
        kernels.scale[1, 64](64, x, 2)
    assert x[1] == 1
    out = np.zeros((8, 8), "f4")
    kernels.strided[1, 32](out, x.reshape(8, 8))
    assert (out == 2 * np.asarray(x).reshape(8, 8)).all()


def test_jax_in_jax_out() -> None:
    x = jnp.arange(6, dtype="float32").reshape(2, 3)
    for got, expected in ((lw.sum(x, axis=1), [3, 12]), (lw.matmul(x, x.T), [[5, 14], [14, 50]]),
                          (lw.map("a + b", x, 1.0, dtype="f32"), (np.asarray(x) + 1).tolist())):
        assert isinstance(got, jax.Array) and got.tolist() == expected
    assert isinstance(lw.sum(np.ones(3)), np.float64)
    with lw.Graph(inputs={"x": lw.TensorType("f32", (2, "n"))}) as g:
        g.output(lw.sum(g.x, axis=1))
    got = g.compile()(x)["out"]
    assert isinstance(got, jax.Array) and got.tolist() == [3, 12]


def test_bfloat16_zero_sizes_and_dims() -> None:
    x = jnp.array([1.5, -2], "bfloat16")
    assert lw.asarray(x).astype("f4").numpy().tolist() == [1.5, -2]
    assert lw.asarray(jnp.float32(3)).shape == () and lw.sum(jnp.zeros((0, 2))) == 0
    assert jax.dlpack.from_dlpack(lw.zeros((0, 2))).shape == (0, 2)


def test_memory_is_kept_and_let_go() -> None:
    x = jnp.arange(1000.0)
    gone = weakref.ref(x)
    a = lw.asarray(x)
    del x
    gc.collect()
    assert a[999].item() == 999
    b = jax.dlpack.from_dlpack(lw.full(1000, 7.0))
    gc.collect()
    assert float(b.sum()) == 7000
    del a
    lw.zeros(1)
    gc.collect()
    assert gone() is None
