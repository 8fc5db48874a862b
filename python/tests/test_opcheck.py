"""lw.testing.opcheck: what it finds wrong in an operation, and that it accepts what is right."""
from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import lanewise as lw

pytestmark = pytest.mark.on_cpu  # opcheck itself runs on ref

Q = np.arange(4, dtype="f4")


@lw.op("opcheck::right", infer=lambda x, y: (x, lw.TensorType("i32", x.shape)))
def right(s, doubled, signs, x, y):
    kept = s.temporary(x.dtype, (2, *x.shape))
    lw.map("a + b", x, y, out=kept[0])
    lw.map("a - b", x, y, out=kept[1])
    lw.sum(kept, axis=0, out=doubled)
    lw.map("a < b ? -1 : 1", x, y, out=signs)


@lw.op("opcheck::whole")
def whole(x):
    return lw.sum(x, axis=0, keepdims=True), lw.map("a + b", x, x)


@lw.op("opcheck::looks")
def looks(x):
    return lw.map("a * 2", x) if lw.sum(x).item() > 0 else lw.map("a * 3", x)


def test_what_is_right_is_accepted() -> None:
    lw.testing.opcheck(right, Q, Q[::-1].copy())
    lw.testing.opcheck(right, np.ones((2, 3), "i8").astype("i4"), np.zeros((2, 3), "i4"))
    lw.testing.opcheck(whole, Q)
    lw.testing.opcheck(looks, Q)  # which no graph can record


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "uint8", "?"])
@pytest.mark.parametrize("part, text", [
    (np.s_[:-1], r"1 of 6 elements of output 0 are not written on ref, the first is \[5\]"),
    (np.s_[1::2], r"3 of 6 elements of output 0 are not written on ref, the first is \[0\]"),
    (None, r"6 of 6 elements of output 0 are not written on ref"),
])
def test_elements_that_are_not_written(dtype: str, part: Any, text: str) -> None:
    def write(s, out, x):
        if part is not None:
            lw.map("a", x[part], out=out[part])

    op = lw.Op("opcheck::partly", write, lambda x: x, "", None)
    with pytest.raises(AssertionError, match="opcheck::partly: " + text):
        lw.testing.opcheck(op, np.ones(6, dtype))


@pytest.mark.parametrize("dtype", ["f4", "i4"])
def test_memory_that_is_read_and_not_written(dtype: str) -> None:
    def accumulates(s, out, x):
        lw.map("a + b", out, x, out=out)

    def half_a_temporary(s, out, x):
        kept = s.temporary(x.dtype, x.shape)
        lw.map("a", x[:3], out=kept[:3])
        lw.map("a + 1", kept, out=out)

    def in_a_graph_alone(s, out, x):
        half_a_temporary(s, out, x) if isinstance(x, lw.Symbol) else lw.map("a + 1", x, out=out)

    for write, where in [(accumulates, "on ref"), (half_a_temporary, "on ref"),
                         (in_a_graph_alone, "in a graph on ref")]:
        text = f"output 0 depends on memory that nothing has written, {where}"
        op = lw.Op("opcheck::reads", write, lambda x: x, "", None)
        with pytest.raises(AssertionError, match="opcheck::reads: " + text):
            lw.testing.opcheck(op, np.ones(6, dtype))


def test_results_that_differ() -> None:
    calls: list[int] = []

    def counts(s, out, x):
        calls.append(1)
        lw.map(f"a + {len(calls)}", x, out=out)

    def otherwise_in_graphs(s, out, x):
        lw.map("a + 2" if isinstance(x, lw.Symbol) else "a + 1", x, out=out)

    for write, text in [(counts, "output 0 is another one in each run, on ref"),
                        (otherwise_in_graphs, "output 0 is another one in a graph on ref")]:
        op = lw.Op("opcheck::differs", write, lambda x: x, "", None)
        with pytest.raises(AssertionError, match="opcheck::differs: " + text):
            lw.testing.opcheck(op, Q)


def test_what_is_no_operation() -> None:
    for op in (3, lw.softmax, "opcheck::right"):
        with pytest.raises(lw.ArgumentError, match="op is .*; need an operation made by lanew"):
            lw.testing.opcheck(op, Q)


def test_it_checks_also_under_python_o() -> None:
    code = ("import numpy as np, lanewise as lw\n"
            "op = lw.op('o::none', infer=lambda x: x)(lambda s, out, x: None)\n"
            "try: lw.testing.opcheck(op, np.ones(2))\n"
            "except AssertionError as error: print(error)\n")
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True)
    assert "o::none: 2 of 2 elements of output 0 are not written" in done.stdout, done.stderr
