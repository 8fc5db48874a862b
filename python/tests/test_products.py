"""einsum, tensordot, vecdot and outer, against NumPy."""
from __future__ import annotations

import warnings
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

DTYPES = ["i1", "i4", "i8", "u1", "u4", "u8", "?", "f2", "f4", "f8"]
SIZES = {"i": 2, "j": 3, "k": 4, "l": 2, "b": 3, "c": 1}
SUBSCRIPTS = [
    "i->i", "i->", "ij->ji", "ij->", "ij->i", "ii->i", "ll", "ijij->ji", "iji->j", "ij", "ji", "ba",
    "i,i->i", "i,i", "i,j->ij", "i,j->ji", "ij,jk->ik", "ij,jk", "ij,kj->ik", "ji,kj->ki",
    "bij,bjk->bik", "bij,bjk->ik", "bji,bkj->kbi", "ij,ij->", "ij,ij->ij", "ij,jk->", "ij,k->",
    "bi,bj->bij", "bij,bk->bijk", "i,->i", ",->", "ij,jk,kl->il", "ij,j,i->", "i,j,k->kji",
    "bij,jk,bk->bi", "ij,jk,ki->", "cij,jk->ck", "ijkl,klb->bji", "abcd->dcba", "i,i,i->i",
]
DOTS = [("...ij->...ji", ["bij"]), ("...ij,...jk->...ik", ["bij", "bjk"]),
        ("...ij,jk", ["bij", "jk"]), ("i...->...", ["ibj"]), ("...,...->...", ["ij", "j"]),
        ("i...j,j->i...", ["ibj", "j"]), ("...i,...i->...", ["bji", "ci"]), ("...", ["ij"]),
        ("b...,b...->...", ["bj", "bij"]), ("...ii->...i", ["bii"])]
BOUND = {"e": 4e-3, "f": 2e-6, "d": 1e-14}


def operand(letters: str, dtype: str, turned: bool = False) -> np.ndarray:
    shape = tuple(SIZES.get(c, 2) for c in letters)
    x = (np.arange(np.prod(shape, dtype=int)) * 5 % 7).reshape(shape).astype(dtype)
    return np.array(x.T, order="C").T if turned else x


def close(got: Any, expected: Any) -> None:
    got = got.numpy() if isinstance(got, lw.Array) else got
    assert got.shape == expected.shape and got.dtype == expected.dtype
    bound = BOUND.get(expected.dtype.char, 0)
    np.testing.assert_allclose(got, expected, rtol=bound, atol=bound)


ALL = [(text, text.split("->")[0].split(",")) for text in SUBSCRIPTS] + DOTS


@pytest.mark.parametrize("text, letters", ALL, ids=[row[0] for row in ALL])
@pytest.mark.parametrize("dtype", DTYPES)
def test_subscripts(text: str, letters: list[str], dtype: str) -> None:
    for turned in (False, True):
        xs = [operand(row, dtype, turned) for row in letters]
        expected = np.asarray(np.einsum(text, *xs))
        close(lw.einsum(text, *xs), expected)
    got = lw.einsum(text, *map(lw.asarray, xs))
    assert isinstance(got, lw.Array)
    close(got, expected)


@pytest.mark.parametrize("text, letters", ALL, ids=[row[0] for row in ALL])
def test_in_graphs(text: str, letters: list[str]) -> None:
    xs = [operand(row, "f4") for row in letters]
    expected = np.einsum(text, *xs)
    for name in (None, "b", "j"):
        kinds = [lw.TensorType("f4", [c if c == name and "..." not in text else n
                                      for c, n in zip(row, x.shape)])
                 for row, x in zip(letters, xs)]
        with lw.Graph(inputs=kinds) as g:
            g.output(lw.einsum(text, *(getattr(g, f"x{k}") for k in range(len(xs)))))
        np.testing.assert_allclose(g.compile()(*xs)["out"], expected, rtol=1e-6)


def test_dtypes_mix() -> None:
    for a in DTYPES:
        for b in DTYPES:
            x, y = operand("ij", a), operand("jk", b)
            close(lw.einsum("ij,jk->ik", x, y), np.einsum("ij,jk->ik", x, y))
            close(lw.tensordot(x, y, axes=1), np.tensordot(x, y, 1))
    x = np.full((2, 2), 100, "i1")
    assert lw.einsum("ij,jk->ik", x, x, dtype="i4")[0, 0] == 20000


@pytest.mark.parametrize("shapes, axes", [
    (("ij", "jk"), 1), (("ijk", "jkb"), 2), (("ij", "kb"), 0), (("ij", "ij"), 2),
    (("ijk", "kij"), ([0, 1], [1, 2])), (("ij", "kj"), (-1, -1)), (("ijk", "kj"), ((2, 1), (0, 1))),
])
def test_tensordot(shapes: tuple[str, str], axes: Any) -> None:
    for dtype in DTYPES:
        x, y = (operand(s, dtype) for s in shapes)
        close(lw.tensordot(x, y, axes=axes), np.asarray(np.tensordot(x, y, axes)))


@pytest.mark.parametrize("shapes, axis", [
    (("i", "i"), -1), (("bij", "bij"), -1), (("bij", "j"), -1), (("bij", "bij"), 0),
    (("cij", "bij"), 1), (("bijk", "bijk"), -2),
])
def test_vecdot(shapes: tuple[str, str], axis: int) -> None:
    for dtype in DTYPES:
        x, y = (operand(s, dtype) for s in shapes)
        close(lw.vecdot(x, y, axis=axis), np.asarray(np.vecdot(x, y, axis=axis)))


def test_outer() -> None:
    for dtype in DTYPES:
        x, y = operand("ij", dtype), operand("k", dtype)
        close(lw.outer(x, y), np.outer(x, y))
    s = lw.stream()
    close(lw.outer(x, y, stream=s), np.outer(x, y))
    out = np.zeros((6, 4))
    assert lw.outer(x, y, out=out) is out and (out == np.outer(x, y)).all()


def test_empty_ones() -> None:
    x, y = np.zeros((2, 0), "f4"), np.zeros((0, 3), "f4")
    close(lw.einsum("ij,jk->ik", x, y), np.zeros((2, 3), "f4"))
    close(lw.einsum("ij,jk->jk", x, y), np.zeros((0, 3), "f4"))
    close(lw.vecdot(x, x), np.zeros(2, "f4"))


def test_the_order_is_that_of_operations() -> None:
    x = lw.random.normal(1, (3, 5000)).numpy()
    y = lw.random.normal(2, (5000, 2)).numpy()
    assert lw.einsum("ij,jk->ik", x, y).tobytes() == lw.matmul(x, y).tobytes()
    assert lw.einsum("ij->i", x).tobytes() == lw.sum(x, axis=1).tobytes()
    both = lw.einsum("ij,jk,ji->ik", x, y, y[:, [0, 1, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(both, np.einsum("ij,jk,ji->ik", x, y, y[:, [0, 1, 0]]),
                                   rtol=1e-3, atol=1e-2)


@pytest.mark.parametrize("call, text", [
    (lambda x: lw.einsum("ij,jk", x), "are for 2 operands; there are 1"),
    (lambda x: lw.einsum("ij"), "there are 0"),
    (lambda x: lw.einsum("i", x), r"operand 0 has shape \(2, 3\); the subscripts 'i' are for 1"),
    (lambda x: lw.einsum("ijk", x), "are for 3 axes"),
    (lambda x: lw.einsum("i1", x), "need letters and at most one '...'"),
    (lambda x: lw.einsum("ij->ik", x), "the result's subscripts are 'ik'"),
    (lambda x: lw.einsum("ij->ii", x), "each once"),
    (lambda x: lw.einsum("ii", x), "label i has extents 2 and 3 in one operand"),
    (lambda x: lw.einsum("ij,ji", x, x), "label i has extents 2 and 3; need the same"),
    (lambda x: lw.einsum("ij,kl,mn,op,qr->ijklmnopqr", x, x, x, x, x),
     "10 axes; need 0 to 8"),
    (lambda x: lw.tensordot(x, x, axes=1), "do not agree there"),
    (lambda x: lw.tensordot(x, x, axes=3), "axes is 3"),
    (lambda x: lw.tensordot(x, x, axes=[0]), r"axes is \[0\]; need an integer or a pair"),
    (lambda x: lw.vecdot(x, x.T), "the extents of axis -1 are 3 and 2"),
])
def test_what_is_refused(call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(lw.ArgumentError, match=text):
        call(np.ones((2, 3)))
