"""Array: making, views, sharing with NumPy, DLPack, dtypes."""
from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import lanewise as lw

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
arrays = hnp.arrays(st.sampled_from([np.dtype(d) for d in DTYPES]),
                    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))


@pytest.mark.parametrize("dtype", DTYPES)
def test_made_of_each_dtype(dtype: str) -> None:
    x = lw.zeros((2, 3), np.dtype(dtype))
    assert (x.shape, x.dtype, x.ndim, x.size) == ((2, 3), np.dtype(dtype), 2, 6)
    assert x.nbytes == 6 * np.dtype(dtype).itemsize and x.strides == x.numpy().strides
    x[1, 2] = 1
    assert x.numpy().sum() == 1 and x.numpy().dtype == np.dtype(dtype)


@given(arrays, st.data())
def test_views_are_numpys(values: np.ndarray, data: st.DataObject) -> None:
    x = lw.asarray(values)
    key = data.draw(hnp.basic_indices(values.shape, max_dims=4, allow_newaxis=True))
    np.testing.assert_array_equal(x[key].numpy(), values[key])
    np.testing.assert_array_equal(x.T.numpy(), values.T)
    np.testing.assert_array_equal(x.reshape(-1).numpy() if x.size else values.reshape(-1),
                                  values.reshape(-1))
    np.testing.assert_array_equal(x[key].copy().numpy(), values[key])


@given(arrays)
def test_views_write_through(values: np.ndarray) -> None:
    x, expected = lw.asarray(values, copy=True), values.copy()
    if values.ndim:
        x[::-1] = 1
        expected[::-1] = 1
        assert not np.shares_memory(x.numpy(), values)
    np.testing.assert_array_equal(x.numpy(), expected)


def test_a_view_of_an_array_reaches_its_memory() -> None:
    x = lw.zeros((4, 4))
    x.T[1:3, ::-1][0] = np.arange(4)
    assert x.numpy()[:, 1].tolist() == [3, 2, 1, 0]


def test_asarray_shares_where_it_can() -> None:
    values = np.zeros((2, 3), "f4")
    assert np.shares_memory(lw.asarray(values.T[::-1]).numpy(), values)
    assert not np.shares_memory(lw.asarray(values, copy=True).numpy(), values)
    lw.asarray(values, copy=False)
    with pytest.raises(lw.ArgumentError, match="copy=False"):
        lw.asarray(values, dtype="f8", copy=False)
    with pytest.raises(lw.ArgumentError, match="copy=False"):
        lw.asarray([1, 2], copy=False)


def test_asarray_copies_what_strides_cannot_say() -> None:
    pairs = np.zeros(4, [("a", "f4"), ("b", "u1")])
    pairs["a"] = [1, 2, 3, 4]
    assert lw.asarray(pairs["a"]).numpy().tolist() == [1, 2, 3, 4]
    assert lw.sum(pairs["a"]) == 10


def test_numpys_view_keeps_the_memory() -> None:
    view = lw.full(1000, 7, "i4").numpy()
    gc.collect()
    lw.zeros(1000, "i4")
    assert view.tolist() == [7] * 1000


def test_an_array_keeps_numpys_memory_and_lets_go() -> None:
    values = np.arange(10.0)
    gone = weakref.ref(values)
    x = lw.asarray(values)
    del values
    gc.collect()
    assert gone() is not None and x.numpy()[9] == 9
    del x
    lw.zeros(1)
    gc.collect()
    assert gone() is None


def test_read_only_stays_read_only() -> None:
    values = np.arange(3.0)
    values.flags.writeable = False
    x = lw.asarray(values)
    assert x.readonly and x[1:].readonly and not x.numpy().flags.writeable
    with pytest.raises(lw.ArgumentError, match="read-only"):
        x[0] = 1
    with pytest.raises(lw.ArgumentError, match="read-only"):
        lw.softmax(x, out=x)


def test_zero_sizes_and_zero_dims() -> None:
    assert lw.zeros((0, 3)).numpy().shape == (0, 3)
    assert lw.asarray(np.float32(2)).item() == 2.0
    assert lw.zeros(()).shape == () and float(lw.full((), 3)) == 3.0
    with pytest.raises(TypeError):
        len(lw.zeros(()))


def test_bf16() -> None:
    values = np.array([1.0, -2.5, 3.140625], "f4")
    x = lw.asarray(values).astype(lw.bfloat16)
    assert x.nbytes == 6 and x.astype("f4").numpy().tolist() == values.tolist()
    bits = x.numpy()
    assert bits.dtype == np.dtype(lw.bfloat16) and bits.view("u2").tolist() == [
        0x3f80, 0xc020, 0x4049]
    assert lw.asarray(bits).astype("f4").numpy().tolist() == values.tolist()
    assert lw.max(bits[::-1]).dtype == np.dtype(lw.bfloat16)
    x[1:] = 1
    assert x.astype("f4").numpy().tolist() == [1, 1, 1] and x[0].item() == 1.0


@given(arrays)
def test_dlpack_both_ways(values: np.ndarray) -> None:
    x = lw.asarray(values)
    np.testing.assert_array_equal(np.from_dlpack(x), values)
    back = lw.from_dlpack(values)
    np.testing.assert_array_equal(back.numpy(), values)
    assert values.size == 0 or np.shares_memory(back.numpy(), values)


def test_dlpack_capsules() -> None:
    x = lw.arange(3)
    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 0)))
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(BufferError):
        x.__dlpack__(stream=1)
    values = np.arange(3)
    values.flags.writeable = False
    locked = lw.asarray(values)
    with pytest.raises(BufferError, match="read-only"):
        locked.__dlpack__()
    assert lw.from_dlpack(locked).readonly


class OnlyDlpack:
    """What another library's array is: no buffer protocol."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = values

    def __dlpack__(self, **words: object) -> object:
        return self.values.__dlpack__(**words)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


def test_another_librarys_arrays_are_arguments(kernels: lw.Program) -> None:
    values = np.ones(4, "f4")
    kernels.scale[1, 32](4, OnlyDlpack(values), 3.0)
    assert values.tolist() == [3, 3, 3, 3]


def test_dlpack_memory_is_let_go() -> None:
    values = np.arange(4.0)
    class Owner(np.ndarray):
        pass
    owner = values.view(Owner)
    gone = weakref.ref(owner)
    x = lw.from_dlpack(owner)
    del owner
    assert x.numpy()[3] == 3
    del x
    lw.zeros(1)
    gc.collect()
    assert gone() is None


def test_buffers_and_interfaces() -> None:
    x = lw.arange(6).reshape(2, 3)
    assert memoryview(x).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.asarray(x.T).shape == (3, 2) and x.__array_interface__["shape"] == (2, 3)
    assert np.array(x, "f4").dtype == np.float32
    with pytest.raises(AttributeError):
        x.__cuda_array_interface__
    assert lw.asarray(bytearray(b"ab")).numpy().tolist() == [97, 98]


@pytest.mark.parametrize("call, error, text", [
    (lambda: lw.zeros((1,) * 9), lw.ArgumentError, "9 axes"),
    (lambda: lw.zeros(-1), lw.ArgumentError, "below 0"),
    (lambda: lw.zeros(2, "c8"), lw.DtypeError, "c8"),
    (lambda: lw.asarray(np.zeros(2, ">f4")), lw.DtypeError, "byte order"),
    (lambda: lw.dot(np.zeros(2, ">f4"), np.zeros(2)), lw.DtypeError, "byte order"),
    (lambda: lw.asarray([[1, 2], [3]]), lw.ArgumentError, "list.*inhomogeneous"),
    (lambda: lw.sum([[1, 2], [3]]), lw.ArgumentError, "list.*inhomogeneous"),
    (lambda: lw.arange(6).reshape(4), lw.ArgumentError, r"\(6,\)"),
    (lambda: lw.arange(6).transpose(1), lw.ArgumentError, "axes"),
    (lambda: lw.arange(6)[[1.5]], lw.ArgumentError, "slices"),
    (lambda: lw.arange(6)[6], IndexError, "out of bounds"),
    (lambda: lw.arange(6).item(), lw.ArgumentError, "6 elements"),
    (lambda: lw.device("gpu9"), lw.DeviceError, "gpu9"),
    (lambda: lw.random.normal(1, 2, "i4"), lw.DtypeError, "floats"),
    (lambda: lw.random.uniform(-1, 2), lw.ArgumentError, "seed"),
    (lambda: lw.zeros(2**62, "f8"), lw.MemoryError, "elements"),
])
def test_errors_say_what(call, error, text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_random_numbers_are_the_fills() -> None:
    assert lw.random.uniform(7, 3, "f4").numpy().tolist() == \
        lw.random.uniform(7, (3, 5), "f4").numpy().reshape(-1)[:3].tolist()
    x = lw.random.normal(3, 100000, "f8").numpy()
    assert abs(x.mean()) < 0.02 and abs(x.std() - 1) < 0.02
    u = lw.random.uniform(3, 100000).numpy()
    assert 0 <= u.min() and u.max() < 1 and abs(u.mean() - 0.5) < 0.01


def test_to_another_device_and_back() -> None:
    x = lw.arange(6, dtype="f4").reshape(2, 3)
    there = x.T.to("ref" if x.device.name == "cpu" else "cpu")
    assert there.device.name != x.device.name and there.numpy().tolist() == x.T.numpy().tolist()
    with pytest.raises(lw.DeviceError, match="device"):
        lw.dot(there[0], x[0, :2])


def test_assigning_takes_what_broadcasts() -> None:
    x = lw.zeros((2, 2), "float32")
    x[0] = lw.from_dlpack(np.arange(2, dtype="f4"))
    x[1] = OnlyDlpack(np.array([5, 6], "f4"))
    assert x.numpy().tolist() == [[0, 1], [5, 6]]
    for wrong in (np.zeros(3), lw.zeros(3), [1, 2, 3], OnlyDlpack(np.zeros(3))):
        with pytest.raises(lw.ArgumentError, match="broadcast"):
            x[:] = wrong
