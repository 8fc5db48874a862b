"""Calls that repeat themselves skip Python: their results, errors and dtypes are those of a first
one; and the functions are functions still."""
from __future__ import annotations

import inspect
import pickle
import pydoc
import threading
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

ROUNDS = 4
RANDOM = np.random.default_rng(7)


def values(shape: Any, dtype: str) -> np.ndarray:
    return (RANDOM.random(shape) * 100).astype(dtype)


def test_functions_are_functions() -> None:
    assert list(inspect.signature(lw.sum).parameters)[:3] == ["x", "axis", "keepdims"]
    assert lw.sum.__name__ == "sum" and lw.sum.__doc__.startswith("The sum")
    assert pickle.loads(pickle.dumps(lw.map)) is lw.map
    assert "sum(x" in pydoc.plain(pydoc.render_doc(lw.sum))
    assert inspect.isroutine(lw.sum)


CALLS: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (lambda x: lw.sum(x), lambda x: np.sum(x)),
    (lambda x: lw.sum(x, axis=0), lambda x: np.sum(x, axis=0)),
    (lambda x: lw.sum(x, axis=(0, 1)), lambda x: np.sum(x, axis=(0, 1))),
    (lambda x: lw.max(x, axis=1, keepdims=True), lambda x: np.max(x, axis=1, keepdims=True)),
    (lambda x: lw.argmax(x), lambda x: np.argmax(x)),
    (lambda x: lw.map("a + a", x), lambda x: x + x),
    (lambda x: lw.map("a + b", x, 3), lambda x: x + 3),
    (lambda x: lw.map("a > b", x, x.T.copy().T), lambda x: x > x),
    (lambda x: lw.sort(x), lambda x: np.sort(x)),
    (lambda x: lw.transpose(x), lambda x: x.T),
    (lambda x: lw.matmul(x, x.T), lambda x: np.matmul(x, x.T))]


@pytest.mark.parametrize("number", range(len(CALLS)))
def test_results_of_dtypes_shapes_and_strides_in_turns(number: int) -> None:
    ours, numpys = CALLS[number]
    for _ in range(ROUNDS):
        for dtype in "f4", "i8", "f8":
            for shape in (3, 5), (2, 1), (4, 4):
                x = values(shape, dtype)
                for view in x, x[::-1], x[:, ::-1], np.asfortranarray(x):
                    got, need = ours(view), numpys(view)
                    assert got.dtype == need.dtype and type(got) is type(need)
                    np.testing.assert_allclose(got, need, rtol=1e-6)
                array = ours(lw.asarray(x))
                assert isinstance(array, lw.Array)
                np.testing.assert_allclose(array.numpy(), numpys(x), rtol=1e-6)


def test_results_are_apart() -> None:
    x = values(16, "f4")
    kept = [lw.map("a * 2", x) for _ in range(ROUNDS)]
    x[:] = 0
    assert all(not np.shares_memory(kept[0], other) for other in kept[1:])
    assert all(other.any() for other in kept)


def test_outputs() -> None:
    x, y = values(16, "f4"), values(16, "f4")
    for _ in range(ROUNDS):
        out = np.empty(16, "f4")
        assert lw.map("a - b", x, y, out=out) is out
        np.testing.assert_array_equal(out, x - y)
        wide = np.empty(16, "f8")
        assert lw.map("a - b", x, y, out=wide).dtype == "f8"
        both = x.copy()
        lw.map("a - b", both, y, out=both)
        np.testing.assert_array_equal(both, x - y)
        shifted = np.concatenate([x, x])
        with pytest.raises(lw.ArgumentError, match="overlaps"):
            lw.map("a - b", shifted[:16], y, out=shifted[1:17])
    read_only = np.empty(16, "f4")
    read_only.flags.writeable = False
    for _ in range(ROUNDS):
        with pytest.raises(lw.ArgumentError, match="read-only"):
            lw.map("a - b", x, y, out=read_only)
        with pytest.raises(lw.DtypeError, match="need the same, or one of them alone"):
            lw.sum(x, dtype="f4", out=np.empty((), "f8"))
        assert lw.sum(x, dtype="f4", out=np.empty((), "f4")).dtype == "f4"


def test_errors_between_good_calls() -> None:
    x = values((3, 4), "f4")
    for _ in range(ROUNDS):
        assert lw.sum(x, axis=1).shape == (3,)
        with pytest.raises(lw.ArgumentError, match="sum: x has no axis 1; its rank is 1"):
            lw.sum(x[0], axis=1)
        with pytest.raises(lw.Error, match="matmul"):
            lw.matmul(x, x)
        assert lw.matmul(x, x.T).shape == (3, 3)
        with pytest.raises(lw.DtypeError):
            lw.sum(np.zeros(3, "c8"))
        with pytest.raises(TypeError):
            lw.sum(x, x)
        with pytest.raises(TypeError):
            lw.sum(x, axes=1)


def test_other_arguments() -> None:
    class Own(np.ndarray):
        pass

    x = np.floor(values(8, "f4"))
    for _ in range(ROUNDS):
        assert lw.sum(x) == lw.sum(x.view(Own)) == lw.sum(list(x))
        assert lw.map("a + b", x, 2.0).dtype == "f4"
        with pytest.raises(lw.DtypeError):
            lw.sum(x.astype(">f4"))
        stream = lw.Stream()
        queued = lw.map("a + b", x, x, stream=stream)
        stream.wait()
        np.testing.assert_array_equal(queued, x + x)


def test_functions_that_call_functions() -> None:
    twice = _operations_direct(lambda x: lw.map("a + 1", lw.map("a + 1", x)))
    mixed = _operations_direct(lambda x: [lw.sum(x), lw.max(x)][1])
    for _ in range(ROUNDS):
        x = values(8, "f8")
        np.testing.assert_array_equal(twice(x), x + 1 + 1)
        assert mixed(x) == x.max()


def _operations_direct(function: Callable[..., Any]) -> Any:
    from lanewise import _core
    return _core.function(function)


def test_threads() -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        for k in range(300):
            n = 8 + (seed + k) % 3
            x = np.full(n, seed, "f4")
            if lw.sum(x) != n * seed or not (lw.map("a * 2", x) == 2 * seed).all():
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
