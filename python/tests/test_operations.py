"""The operations against NumPy: dtypes, shapes, strides, outputs, what is refused."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import lanewise as lw

NUMBERS = [np.dtype(d) for d in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f4", "f8")]
FLOATS = [np.dtype(d) for d in ("f4", "f8")]
BOUND = {"e": 4e-3, "f": 2e-5, "d": 1e-12}


def elements(dtype: np.dtype) -> st.SearchStrategy:
    if dtype.kind == "f":
        return st.integers(-64, 64).map(lambda k: k / 4)
    return st.booleans() if dtype.kind == "b" else st.integers(0, 9)


@st.composite
def some_array(draw, dtypes=NUMBERS, min_dims: int = 0, min_side: int = 0) -> np.ndarray:
    dtype = draw(st.sampled_from(dtypes))
    shape = draw(hnp.array_shapes(min_dims=min_dims, max_dims=4, min_side=min_side, max_side=5))
    values = draw(hnp.arrays(dtype, shape, elements=elements(dtype)))
    kind = draw(st.sampled_from(["plain", "reversed", "transposed", "strided"]))
    if kind == "reversed" and values.ndim:
        values = values[::-1]
    if kind == "transposed":
        values = values.T
    if kind == "strided" and values.ndim:
        values = np.repeat(values, 2, axis=-1)[..., ::2]
    return values


def close(got: object, expected: object) -> None:
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.shape == expected.shape and got.dtype == expected.dtype, (got.dtype, expected.dtype)
    bound = BOUND.get(got.dtype.char, 0)
    np.testing.assert_allclose(got, expected, rtol=bound, atol=bound * 64)


def axis_of(data: st.DataObject, x: np.ndarray) -> int | None:
    return data.draw(st.sampled_from([None, *range(-x.ndim, x.ndim)]))


def wide(x: np.ndarray) -> dict[str, object]:
    return {} if x.dtype.kind == "f" else {"dtype": np.int64}


@pytest.mark.parametrize("name", ["sum", "prod"])
@given(x=some_array(), data=st.data())
def test_sums_and_products(name: str, x: np.ndarray, data: st.DataObject) -> None:
    axis, keepdims = axis_of(data, x), data.draw(st.booleans())
    x = np.clip(x, 0, 2).astype(x.dtype) if name == "prod" else x
    with np.errstate(over="ignore"):
        close(getattr(lw, name)(x, axis=axis, keepdims=keepdims),
              getattr(np, name)(x, axis=axis, keepdims=keepdims, **wide(x)))


@pytest.mark.parametrize("name", ["mean", "any", "all"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(x=some_array(), data=st.data())
def test_means_and_truths(name: str, x: np.ndarray, data: st.DataObject) -> None:
    axis = axis_of(data, x)
    close(getattr(lw, name)(x, axis=axis), getattr(np, name)(x, axis=axis))


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
@given(x=some_array(min_side=1), data=st.data())
def test_extremes(name: str, x: np.ndarray, data: st.DataObject) -> None:
    axis, keepdims = axis_of(data, x), data.draw(st.booleans())
    close(getattr(lw, name)(x, axis=axis, keepdims=keepdims),
          getattr(np, name)(x, axis=axis, keepdims=keepdims))


@given(data=st.data(), count=st.integers(0, 70))
def test_dot(data: st.DataObject, count: int) -> None:
    x, y = (data.draw(hnp.arrays(d, count, elements=elements(d)))
            for d in data.draw(st.lists(st.sampled_from(NUMBERS), min_size=2, max_size=2)))
    common = np.result_type(x, y)
    if {x.dtype.char, y.dtype.char} & {"L", "Q"} and common.kind == "f" and \
            "f" not in (x.dtype.kind, y.dtype.kind):
        common = np.dtype("i8")
    expected = np.dot(x.astype(common if common.kind == "f" else "i8"),
                      y.astype(common if common.kind == "f" else "i8"))
    close(lw.dot(x, y), expected)


@given(x=some_array(min_dims=1), data=st.data())
def test_scans(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    close(lw.scan(x, axis=axis), np.cumsum(x, axis=axis, **wide(x)))
    close(lw.scan(x, op="max", axis=axis), np.maximum.accumulate(x, axis=axis))


@given(x=some_array(FLOATS, min_dims=1, min_side=1), data=st.data())
def test_softmax_and_norms(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    soft = e / e.sum(axis=axis, keepdims=True)
    close(lw.softmax(x, axis=axis), soft)
    centred = x - x.mean(axis=axis, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=axis, keepdims=True) + 1e-2, dtype=x.dtype)
    close(lw.layer_norm(x, eps=1e-2, axis=axis), centred / scale)
    square = np.sqrt((x**2).mean(axis=axis, keepdims=True) + 1e-2, dtype=x.dtype)
    close(lw.rms_norm(x, eps=1e-2, axis=axis), x / square)


@given(x=some_array(min_dims=1), data=st.data())
def test_difference_and_transpose(x: np.ndarray, data: st.DataObject) -> None:
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    axes = data.draw(st.permutations(range(x.ndim)))
    turned = lw.transpose(x, axes)
    close(turned, np.transpose(x, axes))
    assert turned.flags.c_contiguous
    if x.dtype.kind == "f" and x.shape[axis] > 0:
        close(lw.difference(x, axis=axis), np.diff(x, axis=axis))


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)),
                                    ((5, 2, 3), (3, 4)), ((2, 1, 2, 3), (4, 3, 2)),
                                    ((0, 3), (3, 2)), ((2, 0), (0, 2))])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "f2"])
def test_matmul(shapes: tuple, dtype: str) -> None:
    rng = np.random.default_rng(1)
    x, y = (rng.integers(-4, 5, s).astype(dtype) for s in shapes)
    close(lw.matmul(x, y), np.matmul(x, y, **wide(x)))
    close(lw.matmul(x, y, bias=np.ones((), dtype)), np.matmul(x, y, **wide(x)) + x.dtype.type(1))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_contractions_of_any_order(dtype):
    rng = np.random.default_rng(7)
    x, y, image = (rng.standard_normal(s).astype(dtype) for s in [(9, 70), (70, 33), (2, 3, 6, 8)])
    filters = rng.standard_normal((4, 3, 2, 3)).astype(dtype)
    close(lw.matmul(x, y, sum="free"), np.matmul(x, y, **wide(x)))
    for run in (lambda **w: lw.attention(x, x, x, scale=0.1, **w),
                lambda **w: lw.conv2d(image, filters, **w),
                lambda **w: lw.conv1d(image[0, :, 0][None], filters[:, :, 0], **w)):
        close(run(sum="free"), run())


@pytest.mark.parametrize("shape", [
    (16, 32, 16), (17, 33, 19), (33, 63, 65),
    *(pytest.param(shape, marks=pytest.mark.on_cpu)
      for shape in [(100, 511, 77), (129, 513, 300), (16, 1025, 16), (64, 20000, 64)])])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_matmul_of_bf16_in_any_order(shape: tuple, batch: tuple) -> None:
    """On a processor with AMX these are tiles: edges, odd terms, nodes, transposed, a bias."""
    (m, k, n), rng = shape, np.random.default_rng(7)
    x, y = (lw.asarray(rng.standard_normal(s).astype("f4")).astype("bf16")
            for s in [(*batch, m, k), (*batch, k, n)])
    bias = rng.standard_normal(n).astype("f4")
    exact, size = (np.matmul(*(f(np.asarray(a.astype("f8"))) for a in (x, y)))
                   for f in (np.positive, np.abs))
    bound = k * 2.0**-24 * size
    out = lw.empty((*batch, m, n))
    for a, b in [(x, y), (x, turned(y)), (turned(x), y)]:
        assert np.all(abs(np.asarray(lw.matmul(a, b, out=out, sum="free")) - exact) <= bound)
    both = np.asarray(lw.matmul(x, y, bias=bias, out=out, sum="free")) - exact - bias
    assert np.all(abs(both) <= bound + 2.0**-23 * (abs(exact) + abs(bias)))
    narrow = np.asarray(lw.matmul(x, y, sum="free").astype("f8"))
    assert np.all(abs(narrow - exact) <= bound + 2.0**-8 * abs(exact))


def turned(x: lw.Array) -> lw.Array:
    """The same matrices, whose columns lie side by side."""
    axes = (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2)
    return lw.transpose(x, axes).transpose(*axes)


def test_attention() -> None:
    rng = np.random.default_rng(2)
    q, k, v = (rng.standard_normal(s) for s in ((3, 4), (5, 4), (5, 2)))
    scores = q @ k.T * 0.5
    for causal in (False, True):
        seen = np.arange(5) <= np.arange(3)[:, None] + 2 if causal else np.ones((3, 5), bool)
        w = np.where(seen, np.exp(scores), 0)
        w /= w.sum(-1, keepdims=True)
        close(lw.attention(q, k, v, scale=0.5, causal=causal), w @ v)
        out = np.zeros((3, 2))
        got, weights = lw.attention(q, k, v, scale=0.5, causal=causal, return_weights=True, out=out)
        assert got is out
        close(out, w @ v)
        close(weights, w)
    close(lw.attention(q, k, v, scale=0), np.broadcast_to(v.mean(0), (3, 2)))
    close(lw.attention(q[0], k, v), lw.attention(q[:1], k, v)[0])


@pytest.mark.on_cpu
def test_map_has_the_expressions_type() -> None:
    x = np.arange(4, dtype="f4")
    for text, inputs, expected in (("a * a", (x,), x * x), ("a > 1", (x,), x > 1),
                                   ("a + b", (x[:, None], np.ones(4)), x[:, None] + np.ones(4)),
                                   ("a * 2.0f", (x[::-1],), x[::-1] * 2),
                                   ("i", (x,), np.arange(4, dtype="u8"))):
        close(lw.map(text, *inputs), expected)
    assert lw.map("a", x, dtype="int8").dtype == np.int8
    close(lw.map_reduce("a * b", "x + y", x, x), np.float32(14))
    close(lw.map_reduce("a", "x > y ? x : y", x.reshape(2, 2), initial=-np.inf, axis=0),
          np.array([2, 3], "f4"))
    with pytest.raises(lw.CompileError, match="expression:1"):
        lw.map("a +", x)


def test_moving_average() -> None:
    x = np.array([1.0, 2, 6, 4, 2])
    close(lw.moving_average(x), np.array([3, 4, 4.0]))
    close(lw.moving_average(x, 2, edge="shrink"), np.array([1.5, 4, 5, 3, 2]))
    close(lw.moving_average(np.arange(4), 2), np.array([0.5, 1.5, 2.5]))


def test_a_layer_norm_has_a_bias_without_a_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    x, bias = np.arange(6.0).reshape(2, 3), np.array([1.0, 2, 3], "f4")
    expected = lw.layer_norm(x, weight=np.ones(3), bias=bias)
    monkeypatch.setenv("LANEWISE_CLANG", "/there/is/none")  # it compiles nothing
    got = lw.layer_norm(x, bias=bias)
    assert got.tobytes() == expected.tobytes()
    types = {"x": lw.TensorType("f8", (2, "n")), "b": lw.TensorType("f4", ("n",))}
    with lw.Graph(inputs=types) as g:
        g.output(lw.layer_norm(g.x, bias=g.b))
    assert g.compile()(x, bias)["out"].tobytes() == expected.tobytes()
    for words, text in (({"bias": bias[1:]}, r"bias has shape \(2,\)"),
                        ({"weight": bias, "bias": bias[1:]}, r"bias has shape \(2,\)"),
                        ({"weight": bias[1:], "bias": bias}, r"weight has shape \(2,\)"),
                        ({"weight": bias[1:]}, r"weight has shape \(2,\)")):
        with pytest.raises(lw.ArgumentError, match=text):
            lw.layer_norm(x, **words)
    with pytest.raises(lw.ArgumentError, match="weight is false, and there are 3 inputs"):
        lw.custom("layer_norm", x, bias, bias, parameters={"weight": False})


def test_sums_can_be_exact() -> None:
    x = np.array([1e16, 1, -1e16])
    assert lw.sum(x, sum="exact") == 1 and lw.dot(x, np.ones(3), sum="exact") == 1
    with pytest.raises(lw.ArgumentError, match="sum is 'best'"):
        lw.sum(x, sum="best")


@pytest.mark.parametrize("kind", ["numpy", "array", "list"])
def test_the_first_array_decides_what_comes_back(kind: str) -> None:
    values = np.arange(6.0).reshape(2, 3)
    x = {"numpy": values, "array": lw.asarray(values), "list": values.tolist()}[kind]
    got = lw.sum(x, axis=0)
    assert isinstance(got, lw.Array if kind == "array" else np.ndarray)
    total = lw.sum(x)
    assert isinstance(total, lw.Array if kind == "array" else np.float64) and total.dtype == "f8"
    assert isinstance(lw.map("a + b", 1.0, x), lw.Array if kind == "array" else np.ndarray)
    assert isinstance(lw.map("a + b", 1.0, 2.0), np.floating)


def test_out_takes_dtype_and_strides() -> None:
    out = np.zeros((2, 6), "f4")[:, ::2]
    x = np.arange(6.0).reshape(2, 3)
    assert lw.scan(x, out=out) is out and (out == np.cumsum(x, axis=1)).all()
    y = lw.zeros(2)
    assert lw.sum(x, axis=1, out=y) is y and y.numpy().tolist() == [3, 12]
    for bad, error in ((np.zeros(3), lw.ArgumentError), (np.broadcast_to(0.0, 2), lw.ArgumentError),
                       (np.zeros(2, "c8"), lw.DtypeError), ([0, 0], lw.ArgumentError)):
        with pytest.raises(error):
            lw.sum(x, axis=1, out=bad)


def test_overlaps_are_found_across_views() -> None:
    x = np.arange(8.0)
    assert lw.softmax(x, out=x) is x and abs(x.sum() - 1) < 1e-12
    y = lw.asarray(x)
    for out, of in ((x[1:], x[:-1]), (x[1:], y[:-1]), (y[1:], x[:-1])):
        with pytest.raises(lw.ArgumentError, match="overlap"):
            lw.scan(of, out=out)
    lw.scan(x[::2], out=x[1::2])
    with pytest.raises(lw.ArgumentError, match="another dtype"):
        lw.map("a", x[:4], out=x.view("i8")[:4])


def test_streams_are_asynchronous() -> None:
    s, x = lw.stream(), lw.random.normal(1, 1000, "f8")
    results = [lw.sum(x, stream=s), lw.softmax(x, stream=s)]
    s.wait()
    assert abs(results[0].item() - x.numpy().sum()) < 1e-9
    assert abs(lw.sum(results[1]).item() - 1) < 1e-9


@pytest.mark.parametrize("call, error, text", [
    (lambda: lw.dot(np.ones(2), np.ones(3)), lw.ArgumentError, "2.*3"),
    (lambda: lw.dot(np.ones((2, 2)), np.ones((2, 2))), lw.ArgumentError, "rank"),
    (lambda: lw.sum(np.ones(2), axis=1), lw.ArgumentError, "axis 1"),
    (lambda: lw.dot(np.ones((1,) * 5), np.ones(1)), lw.ArgumentError, "5 axes"),
    (lambda: lw.max(np.ones(0)), lw.ArgumentError, "max"),
    (lambda: lw.softmax(np.arange(3)), lw.DtypeError, "i64"),
    (lambda: lw.matmul(np.ones((2, 3)), np.ones((2, 3))), lw.ArgumentError, "3"),
    (lambda: lw.matmul(np.eye(2), np.eye(2), sum="exact"), lw.ArgumentError, "fixed, free"),
    (lambda: lw.conv1d(np.ones(3), np.ones(2), sum="exact"), lw.ArgumentError, "fixed, free"),
    (lambda: lw.attention(*[np.eye(2)] * 3, sum="fast"), lw.ArgumentError, "fixed, free"),
    (lambda: lw.sum(np.ones(2), stream=3), lw.ArgumentError, "stream"),
    (lambda: lw.map("a", *[np.ones(1)] * 9), lw.ArgumentError, "inputs"),
    (lambda: lw.sum("text"), lw.DtypeError, "U4"),
    (lambda: lw.scan(np.ones(2), op="sub"), lw.ArgumentError, "sub"),
    (lambda: lw.dot(lw.ones_of("ref"), lw.ones_of("null")), lw.DeviceError, "ref.*null|null.*ref"),
])
def test_errors_say_what(call, error, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lw, "ones_of", lambda d: lw.zeros(2, device=d), raising=False)
    with pytest.raises(error, match=text):
        call()


def test_the_bits_are_those_of_ref() -> None:
    x = lw.random.normal(5, (7, 1500)).numpy()
    for run in (lambda a: lw.sum(a, axis=1), lambda a: lw.softmax(a), lambda a: lw.matmul(a, a.T)):
        results = [run(lw.asarray(x, device=d, copy=True)).numpy() for d in ("cpu", "ref")]
        assert results[0].tobytes() == results[1].tobytes()


@pytest.mark.parametrize("shape", [(70_001,), (2, 40_000), (3, 33_793)])
def test_a_scan_in_runs_has_the_bits_of_one_pass(shape: tuple[int, ...]) -> None:
    x = lw.random.normal(6, shape).numpy()
    for words in ({}, {"op": "max"}, {"exclusive": True}):
        results = [lw.scan(lw.asarray(x, device=d, copy=True), **words).numpy()
                   for d in ("cpu", "ref")]
        assert results[0].tobytes() == results[1].tobytes()


@pytest.mark.parametrize("shape", [(3, 33_793), (20, 33_000)])
def test_long_rows_have_the_bits_of_ref(shape: tuple[int, ...]) -> None:
    x = lw.random.normal(7, shape).numpy()
    for run in (lw.softmax, lw.log_softmax, lw.layer_norm, lw.rms_norm):
        results = [run(lw.asarray(x, device=d, copy=True)).numpy() for d in ("cpu", "ref")]
        assert results[0].tobytes() == results[1].tobytes()


def test_names() -> None:
    assert {"dot", "softmax", "matmul"} <= set(lw.ops())
