"""Results of calls with a stream: no call reads one before the work is done.

A kernel holds the stream until its gate is opened, so what is read early is never right by luck.
"""
from __future__ import annotations

import threading
from typing import Any, Callable, Iterator

import numpy as np
import pytest

import lanewise as lw

HOLD = """
#include <lanewise/kernel.h>
KERNEL void hold(volatile int *gate) { while (!gate[0]) gate[1] += 1; }
KERNEL void put(float *x, float value) { x[0] = value; }
"""


class Held:
    """A stream whose work begins when the gate is opened."""

    def __init__(self) -> None:
        self.stream, self.gate = lw.stream(), np.zeros(2, "i4")
        self.program = lw.compile(HOLD)
        self.program.hold[1, 1, self.stream](self.gate)

    def open(self) -> None:
        self.gate[0] = 1

    def open_later(self) -> None:
        threading.Timer(0.02, self.open).start()


@pytest.fixture
def held() -> Iterator[Held]:
    made = Held()
    yield made
    made.open()
    made.stream.wait()


X = np.arange(5000, dtype="f4") % 7
REDUCTIONS: dict[str, Callable[..., Any]] = {
    **{name: lambda x, name=name, **words: getattr(lw, name)(x, **words)
       for name in ("sum", "mean", "prod", "max", "min", "any", "all", "argmax", "argmin")},
    "dot": lambda x, **words: lw.dot(x, x, **words),
    "exact": lambda x, **words: lw.sum(x, sum="exact", **words),
    "map": lambda x, **words: lw.map("a + 5", x[6], **words),
    "map_reduce": lambda x, **words: lw.map_reduce("a * a", "x + y", x, **words),
    "matmul": lambda x, **words: lw.matmul(x, x, **words),
    "take": lambda x, **words: lw.take(x, np.int64(4), **words),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_a_result_of_rank_0_is_an_array_that_is_filled_later(name: str, held: Held) -> None:
    expected = REDUCTIONS[name](X)
    got = REDUCTIONS[name](X, stream=held.stream)
    kept = REDUCTIONS[name](lw.asarray(X), stream=held.stream)
    assert type(got) is np.ndarray and got.shape == () and isinstance(kept, lw.Array)
    held.open()
    held.stream.wait()
    assert isinstance(expected, np.generic) and got.dtype == expected.dtype
    assert got == expected and kept.item() == expected


def test_results_of_a_stream_stay_right() -> None:
    """As before, without a gate: memory that was freed has the values of others."""
    for k in range(200):
        s, x = lw.stream(), np.full(100_000, k + 1, "f4")
        got = [lw.sum(x, stream=s), lw.argmax(x, stream=s), lw.max(x, stream=s)]
        s.wait()
        assert [float(g) for g in got] == [1e5 * (k + 1), 0, k + 1]


def test_bf16_is_as_the_others(held: Held) -> None:
    x = lw.asarray(X).astype("bf16").numpy()
    held.open_later()
    got = lw.max(x, stream=held.stream)
    assert isinstance(got, np.ndarray) and got.shape == () and got.dtype == x.dtype
    assert lw.asarray(got).astype("f4").item() == 6


def test_compact_waits_for_its_length(held: Held) -> None:
    held.open_later()
    got = lw.compact(X, X > 3, stream=held.stream)
    np.testing.assert_array_equal(got, X[X > 3])
    assert lw.compact(lw.asarray(X), X > 3, stream=lw.stream()).shape == got.shape


@pytest.mark.parametrize("read", [
    lambda a: a.item(), float, int, bool, lambda a: float(a.numpy()[()]), np.asarray, repr,
    lambda a: a.copy().item(), lambda a: a.astype("f8").item(), lambda a: a.reshape(1).item(),
    lambda a: lw.asarray(a, dtype="f8").item(), lambda a: float(np.from_dlpack(a)),
    lambda a: lw.full(1, a).item()])
def test_an_array_is_read_when_its_work_is_done(read: Callable[[Any], Any], held: Held) -> None:
    expected = read(lw.asarray(lw.sum(lw.asarray(X))))
    a = lw.sum(lw.asarray(X), stream=held.stream)
    held.open_later()
    assert read(a) == expected


def test_copies_of_views_are_made_when_their_work_is_done(held: Held) -> None:
    a = lw.map("a * 2", lw.asarray(X.reshape(50, 100)), stream=held.stream)
    b, x = lw.zeros((50, 100)), X.reshape(50, 100) * 2
    held.open_later()
    np.testing.assert_array_equal(a.T.reshape(-1).numpy(), x.T.reshape(-1))
    b[...] = a
    np.testing.assert_array_equal(b.numpy(), x)


def test_operations_of_an_own_one_end_before_numpy_is_given(held: Held) -> None:
    """They are in the order of its stream, and no one could wait for them."""
    seen: list[Any] = []

    @lw.op("streams::reads", infer=lambda x: x)
    def reads(s: Any, out: Any, x: Any) -> None:
        seen.append((lw.sum(X), lw.softmax(X)[0], lw.sum(X, out=np.zeros((), "f4")).item()))
        mine = np.zeros(1, "f4")
        held.program.put[1, 1](mine, 5.0)
        seen.append(mine[0])
        lw.map("a", x, out=out)

    held.open_later()
    got = reads(X, stream=held.stream)
    held.stream.wait()
    assert isinstance(seen[0][0], np.float32)
    assert seen == [(lw.sum(X), lw.softmax(X)[0], lw.sum(X)), 5]
    np.testing.assert_array_equal(got, X)


def test_own_operations_and_models_follow_the_rule() -> None:
    @lw.op("streams::total", infer=lambda x: lw.TensorType(x.dtype, ()))
    def total(s: Any, out: Any, x: Any) -> None:
        lw.sum(x, out=out)

    with lw.Graph(inputs={"x": lw.TensorType("f4", X.shape)}) as g:
        g.output(lw.sum(g.x))
    model = g.compile()
    for run in (total, lambda x, **words: model(x, **words)["out"]):
        assert isinstance(run(X), np.float32)
        s = lw.stream()
        got = run(X, stream=s)
        s.wait()
        assert type(got) is np.ndarray and got.shape == () and got == X.sum()


def test_under_the_checker_a_call_without_a_stream_gives_a_number() -> None:
    with lw.check():
        assert isinstance(lw.sum(X[:9]), np.float32)
        assert isinstance(lw.sum(X[:9], stream=lw.stream()), np.ndarray)
