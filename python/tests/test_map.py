"""map and map_reduce: the dtypes of truth values and of Python's numbers, and what errors say."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lanewise as lw
from lanewise._numbers import settled
from lanewise._truth import is_truth

pytestmark = pytest.mark.on_cpu
X = np.array([-1, 5, -3, 7, 0, np.nan, 5])
Y = X[::-1].copy()


@pytest.mark.parametrize("text, mask", [
    ("a > 0", X > 0), ("!isnan(a)", ~np.isnan(X)), ("a != b && a", (X != Y) & (X != 0)),
    ("isfinite(a) & (a > b)", np.isfinite(X) & (X > Y)), ("i % 2 == 0", np.arange(7) % 2 == 0),
    ("a > 0 ? b > 0 : b < 0", np.where(X > 0, Y > 0, Y < 0)), ("(bool)(a - 5)", X != 5)])
def test_truth_values_are_masks(text: str, mask: np.ndarray) -> None:
    for x, y in ((X, Y), (lw.asarray(X), lw.asarray(Y))):
        got = lw.map(text, x, y)
        assert got.dtype == bool
        np.testing.assert_array_equal(np.asarray(got), mask)
        np.testing.assert_array_equal(X[np.asarray(got)], X[mask])


@pytest.mark.parametrize("text, dtype", [
    ("(a > 0) + (b > 0)", "i4"), ("a > b ? a : b", "f8"), ("(a > 0) * 2.0f", "f4"),
    ("c", "?"), ("c & d", "?"), ("c | 1", "i4"), ("~c", "i4")])
def test_what_only_holds_truth_values(text: str, dtype: str) -> None:
    assert lw.map(text, X, Y, X > 1, Y > 1).dtype == dtype


@pytest.mark.parametrize("expected, texts", [
    (True, ["(a > 0)", "((a)<=(b))", "a == b", "a != b", "!a", "!!a", "a && b", "!a || b",
            "isnan(a)", "isnan(a) | isnan(b)", "(a > 0) ^ (b > 0)", "-a > 0",
            "a > 0 ? !a : b ? c : b < 0",
            "fabs(a) < 1e-3 /* not & */", "!(float)-a", "a < b < 1", "a, b > 1", "true", "c",
            "c & c", "(bool)a & c", "a >> 1 > 0", "(float)a > 0", "a == '+'", "sizeof(a) > 3"]),
    (False, ["(a > 0) + (b > 0)", "a > 0 ? 1 : 0", "(int)(a > 0)", "~(a > 0)", "-(a > 0)",
             "a > b ? a : b", "(a > 0) << 3", "!a + 1", "isnan(a) * 2", "c | 1", "c * c", "a & b",
             "(a > 0)[0]", "(unsigned char)(a > 0)", "a", "fabs(a)", "(a", ")", "", "a ? b"])])
def test_the_expression_says_whether_it_is_a_truth_value(expected: bool, texts: list[str]) -> None:
    for text in texts:
        assert is_truth(text, ("c",)) == expected, text


def test_masks_in_graphs_and_by_dtype() -> None:
    with lw.Graph(inputs={"x": lw.TensorType("f64", ("n",))}) as g:
        mask = lw.map("a > 0", g.x)
        g.output(kept=lw.compact(g.x, mask)[0], mask=mask)
    assert mask.dtype == bool
    got = g.compile()(x=X)
    np.testing.assert_array_equal(got["kept"], [5, 7, 5, 0, 0, 0, 0])
    np.testing.assert_array_equal(got["mask"], X > 0)
    assert lw.map("a > 0", X, dtype="i4").tolist() == [0, 1, 0, 1, 0, 0, 1]
    assert lw.compact(X, lw.map("a > 0", X)).tolist() == [5, 7, 5]
    for words, dtype in (({}, "?"), ({"dtype": "int32"}, "i4"), ({"dtype": None}, "?")):
        named = lw.custom("map", X, parameters={"expression": "a > 0", **words})
        assert named.dtype == dtype and named.tolist() == (X > 0).tolist()


DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 3, 0.5])
def test_pythons_numbers_are_weak(dtype: str, number: Any) -> None:
    x = np.ones(3, dtype)
    for inputs in ((x, number), (number, lw.asarray(x))):
        scalar = next(i for i in settled(inputs) if i.shape == ())
        assert scalar.dtype == (x * number).dtype and scalar == number


@pytest.mark.parametrize("dtype, number, expected", [
    ("f4", 0.5, "f4"), ("f2", 0.5, "f2"), ("f2", 3, "f2"), ("f4", True, "f4"), ("i1", 3, "i4"),
    ("i8", 3, "i8"), ("i8", 0.5, "f8"), ("u4", 3, "u4"), ("?", 3, "i8")])
def test_map_computes_with_weak_numbers(dtype: str, number: Any, expected: str) -> None:
    x = np.ones(3, dtype)
    for got in (lw.map("a * b", x, number), lw.map("a * b", lw.asarray(x), number)):
        assert got.dtype == expected
        assert np.asarray(got).tolist() == [number] * 3
    assert isinstance(lw.map("a * b", number, lw.asarray(x)), lw.Array)


@pytest.mark.filterwarnings("ignore:overflow")  # NumPy's, as of its own product
def test_a_number_takes_the_highest_kind_and_the_widest_dtype() -> None:
    half, single, byte = np.ones(2, "f2"), np.ones(2, "f4"), np.ones(2, "i1")
    for inputs, dtype in (((half, byte, 2), "f2"), ((half, single, 2.5), "f4"),
                          ((byte, np.ones(2, "i2"), 2), "i2"), ((byte, np.ones(2, "u1"), 2), "i2"),
                          ((np.ones(2, "u8"), byte, 2), "i8"), ((True, 2.5), "f8"), ((2,), "i8"),
                          ((2**63,), "u8"), (([1.0, 2.0], 2), "f8")):
        assert settled(inputs)[-1].dtype == dtype
    assert lw.map("pow(a, b)", single, 2).dtype == "f4"
    assert lw.map("a * b", half, 1e6).tolist() == [np.inf] * 2
    values = lw.asarray(single).astype("bf16")
    got = lw.map("a * b", values, 1.0 + 2**-9)
    assert got.dtype == values.dtype and got.astype("f4").numpy().tolist() == [1, 1]


def test_numpys_scalars_are_strong() -> None:
    x = np.ones(3, "f4")
    assert lw.map("a * b", x, np.float64(0.5)).dtype == "f8"
    assert lw.map("a * b", x.astype("f2"), np.float32(0.5)).dtype == "f4"
    assert lw.map("a * b", x.astype("i1"), np.int64(300)).tolist() == [300] * 3


@pytest.mark.parametrize("dtype, number", [("i1", 128), ("u1", -1), ("u1", 256), ("i4", 2**31),
                                           ("u8", -1), ("f4", None), (None, 2**64)])
def test_an_int_that_does_not_fit_is_refused(dtype: str | None, number: int | None) -> None:
    if number is None:
        assert lw.map("a * b", np.ones(1, dtype), 10**30).dtype == dtype
        return
    inputs = (number,) if dtype is None else (np.ones(2, dtype), number)
    for error in (lw.OverflowError, OverflowError, lw.ArgumentError, ValueError):
        with pytest.raises(error, match=f"{number} does not fit u?int.*need -?[0-9]+ to"):
            lw.map("a", *inputs)


def test_numbers_are_weak_wherever_they_meet_arrays() -> None:
    x = np.arange(3, dtype="f4")
    assert lw.map_reduce("a * b", "x + y", x, 0.5).dtype == "f4"
    assert lw.map_reduce("a * b", "x + y", x, 0.5) == 1.5
    assert lw.matmul(x, x, bias=0.5).dtype == "f4"
    types: list[Any] = []

    @lw.op("weak::scaled", infer=lambda x, y: types.append(y) or x)
    def scaled(s: Any, out: Any, x: Any, y: Any) -> None:
        lw.map("a * b", x, y, out=out)

    assert scaled(x, 0.5).tolist() == [0, 0.5, 1]
    with lw.Graph(inputs={"x": lw.TensorType("f4", ("n",))}) as g:
        twice = lw.map("a * b", g.x, 2.0)
        g.output(twice=twice, scaled=scaled(g.x, 0.5), total=lw.map_reduce("a*b", "x+y", 0.5, g.x))
    got = g.compile()(x=x)
    assert twice.dtype == "f4" and got["twice"].tolist() == [0, 2, 4]
    assert got["scaled"].tolist() == [0, 0.5, 1] and got["total"] == 1.5
    assert all(t == lw.TensorType("f4", ()) for t in types)


@pytest.mark.parametrize("text, shown", [
    ("a +", "expression:1:4: expected expression\n    1 | a +\n      |    ^"),
    ("a + 1\n + b +", "    2 |  + b +\n"), ("zz", "    1 | zz\n      | ^")])
def test_an_expression_is_shown_as_it_was_written(text: str, shown: str) -> None:
    with pytest.raises(lw.CompileError) as raised:
        lw.map(text, X, Y)
    assert shown in str(raised.value)
    for words in ((text, "x + y"), ("a", text.replace("a", "x"))):
        with pytest.raises(lw.CompileError) as raised:
            lw.map_reduce(*words, X, Y)
        assert not str(raised.value).splitlines()[1].endswith(")")


def test_an_expression_has_the_constants_of_math_and_comments() -> None:
    assert lw.map("a * M_PI", 1.0) == np.pi and lw.map_reduce("a * M_E", "x + y", 1.0) == np.e
    assert lw.map("a + 1 // half", 1.0) == 2


@pytest.mark.parametrize("call, text", [
    (lambda: lw.map(X, "a"), "expression is of ndarray; need a text"),
    (lambda: lw.map_reduce(X, "a", "x + y"), "map is of ndarray; need a text"),
    (lambda: lw.map_reduce("a", X, X), "combine is of ndarray; need a text"),
    (lambda: lw.sum(None), "sum: input 0: NoneType"),
    (lambda: lw.matmul(X, "a"), "matmul: input 1: dtype is <U1"),
    (lambda: lw.map("a + b", X, [1, "b"]), "map: input 1: dtype is <U"),
    (lambda: lw.sum(np.zeros(2, "c8")), "sum: input 0: dtype is complex64"),
    (lambda: lw.compile("int f(void);")["f"], "no kernel 'f'; the program has none"),
    (lambda: lw.compile("x", include="folder"), r"include is 'folder'; need .* \['folder'\]")])
def test_messages_say_what_was_wrong(call: Any, text: str) -> None:
    with pytest.raises(lw.Error, match=text):
        call()


def test_operands_by_name() -> None:
    x, w = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    for device in ("cpu", "ref"):
        a = lw.asarray(x, device=device)
        got = lw.map("x * w + a", 1, x=a, w=lw.asarray(w, device=device))
        assert isinstance(got, lw.Array) and np.array_equal(got, x * w + 1)
    assert np.array_equal(lw.map("left - right", left=x, right=2), x - 2)
    assert lw.map("x > 1", x=x).dtype == bool
    with pytest.raises(lw.ArgumentError, match="lw_x"):
        lw.map("lw_x", lw_x=x)
    with pytest.raises(lw.CompileError):
        lw.map("y", x=x)


def test_eight_operands() -> None:
    rows = [np.full(3, k, "f4") for k in range(8)]
    assert lw.map("a+b+c+d+e+f+g+h", *rows).tolist() == [28] * 3
    assert lw.map_reduce("a+b+c+d+e+f+g+h", "x + y", *rows) == 84


def test_several_results() -> None:
    x, y = np.array([5, -3], "i4"), np.array([2.5], "f4")
    quotient, rest, truth = lw.map(("a / b", "(int)a % 3", "b > 1"), x, y)
    assert quotient.dtype == np.float32 and quotient.tolist() == [2, np.float32(-3 / 2.5)]
    assert rest.dtype == np.int32 and rest.tolist() == [2, 0] and truth.tolist() == [True, True]
    made = lw.map(["x + 1", "x - 1"], x=lw.asarray(x))
    assert [type(m) for m in made] == [lw.Array] * 2 and made[1].numpy().tolist() == [4, -4]
    outs = np.empty(2, "int64"), np.empty(2, "f4")
    assert lw.map(("a", "a * 0.5f"), x, out=outs)[1] is outs[1] and outs[0].tolist() == [5, -3]
    assert lw.map(("a ? 1 : 0", "({ int t = a; t * t; })"), x)[1].tolist() == [25, 9]
    with lw.Graph(inputs={"x": lw.TensorType("f32", ("n",))}) as g:
        more, less = lw.map(("a + b", "a - b"), g.x, np.float32(1))
        g.output(more, less)
    assert g.compile()(x=np.ones(3, "f4"))["out1"].tolist() == [0] * 3
    for wrong in ((), ("a",) * 5):
        with pytest.raises(lw.ArgumentError, match="1 to 4"):
            lw.map(wrong, x, k=1)
    with pytest.raises(lw.ArgumentError, match="2 expressions, 1 dtypes"):
        lw.map(("a", "a"), x, dtype=("f4",))


@pytest.mark.parametrize("shape", [(5, 1), (1, 1500), (3, 1, 1), (1, 5, 1), (3, 1, 1500), (1, 1)])
@pytest.mark.parametrize("axis", [None, 0, 1, 2])
def test_map_reduce_of_what_repeats_has_the_bits_of_copies(shape: Any, axis: Any) -> None:
    x, y = lw.random.normal(1, (3, 5, 1500)), lw.random.normal(2, shape)
    whole = lw.broadcast_to(y, x.shape).copy()
    got, wanted = (lw.map_reduce("(a - b) * (a - b)", "x + y", x, other, axis=axis)
                   for other in (y, whole))
    assert got.numpy().tobytes() == wanted.numpy().tobytes()
