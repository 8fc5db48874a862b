"""The words for dtypes: NumPy's, and of the library's those that NumPy does not take otherwise."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

OURS = {np.dtype(d) for d in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4",
                              "f8")}
CODES = "?bBhHiIlLqQnNpPefdgFDGSUOMmVc"
WORDS = [*CODES, *(k + str(n) for k in "iufcbSUV" for n in (1, 2, 4, 8, 16)),
         *(order + w for order in "<>=|" for w in ("i1", "i8", "u8", "f2", "f4")),
         "int", "float", "bool", "uint", "long", "ulong", "half", "single", "double", "intc",
         "intp", "longlong", "short", "byte", "ubyte", "str", "object", "complex", "complex64",
         "longdouble", *(f"{k}{n}" for k in ("int", "uint", "float") for n in (8, 16, 32, 64))]


def of_numpy(word: Any) -> np.dtype | None:
    try:
        return np.dtype(word)
    except TypeError:
        return None


def test_words_are_numpys_or_refused() -> None:
    """f16 is half: NumPy's, of 16 bytes, is no dtype of ours."""
    for word in WORDS:
        theirs = of_numpy(word)
        if theirs in OURS and word not in ("i8", "u8"):
            assert lw.zeros(1, word).dtype == theirs, word
        elif word not in ("f16", "f32", "f64", "i16", "u16", "i32"):
            with pytest.raises(lw.DtypeError):
                lw.zeros(1, word)


@pytest.mark.parametrize("given", [int, float, bool, np.int8, np.uint64, np.float16, np.bool_,
                                   np.dtype("i8"), np.dtype("u8"), np.dtype("int8")])
def test_types_are_numpys(given: Any) -> None:
    assert lw.zeros(1, given).dtype == np.dtype(given)


def test_names_of_the_library() -> None:
    for word, dtype in (("i16", "i2"), ("i32", "i4"), ("i64", "i8"), ("u16", "u2"), ("u32", "u4"),
                        ("u64", "u8"), ("f16", "f2"), ("f32", "f4"), ("f64", "f8")):
        assert lw.zeros(1, word).dtype == dtype
    assert lw.zeros(1, "bf16").dtype == lw.zeros(1, "bfloat16").dtype == lw.bfloat16


X = np.arange(3)


@lw.op("dtypes::to", parameters="to:dtype")
def to(x: Any, *, to: Any) -> Any:
    return lw.asarray(x).astype(to)


def in_a_graph(dtype: Any) -> None:
    with lw.Graph(inputs=[lw.TensorType("f4", (2,))]) as g:
        g.temporary(dtype, (2,))


@pytest.mark.parametrize("word, short, long", [("i8", "int8", "int64"), ("u8", "uint8", "uint64")])
@pytest.mark.parametrize("call", [
    lambda d: lw.zeros(1, d), lambda d: lw.empty(1, d), lambda d: lw.full(1, 1, d),
    lambda d: lw.arange(3, dtype=d), lambda d: lw.asarray(X, dtype=d),
    lambda d: lw.zeros(2).astype(d), lambda d: lw.random.uniform(1, 2, d),
    lambda d: lw.sum(X, dtype=d),
    lambda d: lw.mean(X, dtype=d), lambda d: lw.prod(X, dtype=d), lambda d: lw.dot(X, X, dtype=d),
    lambda d: lw.scan(X, dtype=d), lambda d: lw.map("a", X, dtype=d),
    lambda d: lw.map_reduce("a", "x + y", X, dtype=d), lambda d: lw.matmul(X, X, dtype=d),
    lambda d: lw.TensorType(d, 2), in_a_graph, lambda d: lw.stream().temporary(d, 2),
    lambda d: lw.custom("sum", X, parameters={"dtype": d}), lambda d: to(X, to=d),
    lambda d: lw.op("dtypes::default", parameters=f"to:dtype={d}"),
    lambda d: lw.dist.sum(lw.dist.devices(["cpu"])[0], X, part=(3, 0), dtype=d)])
def test_words_of_two_meanings_are_refused(call: Callable[[Any], Any], word: str, short: str,
                                           long: str) -> None:
    with pytest.raises(lw.DtypeError, match=f"'{word}' is {long} in NumPy.*'{short}' or '{long}'"):
        call(word)


def test_what_is_shown_can_be_typed_in() -> None:
    for dtype in [*OURS, "bf16"]:
        x = lw.zeros(1, dtype)
        shown = repr(x).partition("dtype=")[2].partition(",")[0]
        assert lw.zeros(1, shown).dtype == x.dtype
        assert repr(lw.TensorType(dtype, 1)) == f"TensorType({shown}, (1,))"
