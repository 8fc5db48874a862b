"""Arrays as values: comparisons, truth, copies, pickles, weak references."""
from __future__ import annotations

import copy
import gc
import operator
import pickle
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import lanewise as lw
from conftest import FULL

DTYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4", "f8"]
OPERATORS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]
arrays = hnp.arrays(st.sampled_from([np.dtype(d) for d in DTYPES]),
                    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=3))
numbers = st.one_of(st.booleans(), st.integers(-300, 300), st.floats(width=32))


def check(result: Any, expected: Any, like: lw.Array) -> None:
    assert type(result) is lw.Array and result.dtype == np.bool_
    assert result.device.name == like.device.name
    np.testing.assert_array_equal(result.numpy(), expected)


@given(arrays, st.data())
def test_comparisons_are_numpys(values: np.ndarray, data: st.DataObject) -> None:
    shape = data.draw(hnp.broadcastable_shapes(values.shape, max_dims=4, max_side=3))
    other = data.draw(hnp.arrays(data.draw(st.sampled_from(DTYPES)), shape))
    number, x = data.draw(numbers), lw.asarray(values)
    for compare in OPERATORS if FULL else [data.draw(st.sampled_from(OPERATORS))]:
        expected = compare(values, other)
        check(compare(x, other), expected, x)
        check(compare(x, lw.asarray(other)), expected, x)
        check(compare(x, lw.asarray(values)), compare(values, values), x)
        check(compare(x, number), compare(values, number), x)
        check(compare(number, x), compare(number, values), x)


def test_numbers_are_weak() -> None:
    x = lw.asarray(np.array([0.1, 0.5], "f4"))
    assert (x == 0.1).numpy().tolist() == [True, False]
    assert (x == np.float64(0.1)).numpy().tolist() == [False, False]
    small = lw.arange(3, dtype="uint8")
    assert (small == 300).numpy().sum() == 0 and (small > -1).numpy().all()
    assert (lw.full(2, 2**63 + 1, "uint64") == 2**63).numpy().sum() == 0


def test_comparisons_of_bfloat16() -> None:
    x = lw.asarray(np.array([0.1, 1, np.nan], "f4")).astype("bfloat16")
    assert (x == 0.1).numpy().tolist() == [True, False, False]
    assert (x == x).numpy().tolist() == [True, True, False]
    assert (x < 1).numpy().tolist() == [True, False, False] and 1 in x and 2 not in x
    assert (x == np.array([1, 1, 1], "f4")).numpy().tolist() == [False, True, False]


def test_what_is_no_number_is_not_equal() -> None:
    x = lw.arange(2)
    assert (x == None).numpy().tolist() == [False, False]  # noqa: E711
    assert (x != "text").numpy().all() and (x == [0, 5]).numpy().tolist() == [True, False]
    with pytest.raises(TypeError):
        x < None
    with pytest.raises(lw.ArgumentError, match=r"equal: .*\(3,\).*\(2,\)"):
        x == lw.arange(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)


def test_a_comparison_with_another_device() -> None:
    x, there = lw.arange(3), lw.arange(3, device="ref" if lw.arange(1).device.name == "cpu"
                                       else "cpu")
    check(x == there, [True] * 3, x)
    check(there == x, [True] * 3, there)
    assert isinstance(np.arange(3) == x, np.ndarray) and (np.arange(3) == x).all()


def test_truth() -> None:
    a = lw.asarray(np.array([1, 2]))
    assert lw.sum(a) == 3 and not lw.sum(a) == 4 and 1 in a and 3 not in a
    assert 4 in lw.arange(6).reshape(2, 3) and 6 not in lw.arange(6).reshape(2, 3)
    assert 1 not in lw.zeros((0, 2)) and [0, 0] in lw.zeros((3, 2))
    for x in (a == a.copy(), lw.zeros(0) == lw.zeros(0)):
        with pytest.raises(ValueError, match=f"truth value of an array of {x.size} elements"):
            bool(x)
    assert bool(lw.full((1, 1), 2)) and not lw.zeros(())
    assert bool(lw.all(a == a.copy())) and lw.compact(a, a > 1).numpy().tolist() == [2]


def test_only_made_by_functions() -> None:
    for make in (lw.Array, lambda: object.__new__(lw.Array)):
        with pytest.raises(TypeError):
            make()


# ---- copies and pickles ----

def ways(x: lw.Array) -> list[lw.Array]:
    made = [copy.copy(x), copy.deepcopy(x), copy.deepcopy([x])[0]]
    made += [pickle.loads(pickle.dumps(x, protocol)) for protocol in range(2, 6)]
    parts: list[pickle.PickleBuffer] = []
    text = pickle.dumps(x, 5, buffer_callback=parts.append)
    return made + [pickle.loads(text, buffers=[bytes(p.raw()) for p in parts])]


@given(arrays)
def test_copies_have_the_values_and_their_own_memory(values: np.ndarray) -> None:
    for x in (lw.asarray(values), lw.asarray(values).T):
        for made in ways(x):
            assert (made.dtype, made.shape, made.device.name, made.readonly) == \
                (x.dtype, x.shape, x.device.name, False)
            assert made.numpy().tobytes() == x.numpy().tobytes()
            assert not np.shares_memory(made.numpy(), values)


def test_copies_of_bfloat16_and_of_what_is_read_only() -> None:
    x = lw.arange(6, dtype="bfloat16").reshape(2, 3)
    locked = np.arange(3.0)
    locked.flags.writeable = False
    for source in (x, x.T, x[1, 1], lw.asarray(locked)):
        for made in ways(source):
            assert made.dtype == source.dtype and made.shape == source.shape
            assert (made == source).numpy().all() and not made.readonly
            made[...] = 7
    assert locked[0] == 0


@pytest.mark.parametrize("name", ["cpu", "ref", "null"])
def test_a_pickle_names_the_device(name: str) -> None:
    x = pickle.loads(pickle.dumps({"x": lw.zeros(2, device=name), "d": lw.device(name)}))
    assert x["x"].device is x["d"] is lw.device(name) is copy.deepcopy(lw.device(name))


def test_a_pickle_of_a_device_that_is_not_there() -> None:
    text = pickle.dumps(lw.arange(2, device="cpu"), 2).replace(b"cpu", b"gp9")
    with pytest.raises(lw.DeviceError, match=r"was on device 'gp9' .*\.to\('cpu'\)"):
        pickle.loads(text)


def test_queued_work_is_in_a_copy(kernels: lw.Program) -> None:
    s, x = lw.stream(), lw.full(1000, 1, "f4")
    for _ in range(20):
        kernels.scale[4, 64, s](1000, x, 2)
    assert pickle.loads(pickle.dumps(x)).numpy()[0] == 2**20 == copy.copy(x).numpy()[0]
    assert (x == 2**20).numpy().all()


def test_what_has_no_value_is_not_pickled(kernels: lw.Program) -> None:
    for made in (lw.stream(), kernels.scale):
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(made)


# ---- weak references ----

@pytest.mark.parametrize("name", ["Array", "view", "Stream", "Program", "Kernel"])
def test_weak_references(name: str) -> None:
    program = lw.compile("#include <lanewise/kernel.h>\nKERNEL void f(int *x) { x[0] = 1; }")
    made = {"Array": lambda: lw.zeros(2), "view": lambda: lw.zeros(2)[1:], "Stream": lw.stream,
            "Program": lambda: program, "Kernel": lambda: program.f}[name]()
    gone: list[bool] = []
    known = weakref.ref(made, lambda _: gone.append(True))
    assert known() is made
    if name == "Array":
        table: Any = weakref.WeakValueDictionary(x=made)
        assert table["x"] is made
    del made, program
    gc.collect()
    assert known() is None and gone == [True]


def test_threads_compare_and_copy_side_by_side() -> None:
    x, done = lw.arange(1000), []

    def work() -> None:
        for _ in range(50):
            assert (copy.copy(x) == x).numpy().all() and weakref.ref(x)() is x
            assert pickle.loads(pickle.dumps(x)).numpy()[999] == 999
        done.append(True)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [True] * 4
