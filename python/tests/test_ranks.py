"""Arrays of more axes than the library's tensors have: neighbouring ones are joined."""
import numpy as np
import pytest

import lanewise as lw

WAYS = ("contiguous", "transposed", "broadcast", "sliced")


def layout(rng, values, way):
    """The values under other strides."""
    rank = values.ndim
    if way == "transposed":
        order = rng.permutation(rank)
        return np.ascontiguousarray(values.transpose(order)).transpose(np.argsort(order))
    if way == "broadcast":
        k = rng.integers(rank)
        return np.broadcast_to(values.take([0], axis=k), values.shape)
    if way == "sliced":
        wide = np.zeros([2 * e for e in values.shape], values.dtype)
        view = wide[tuple(slice(None, None, -2 if e % 2 else 2) for e in values.shape)]
        view[...] = values
        return view
    return values


def cases(dtype="f4"):
    """Arrays of 5 to 7 axes, of quarters: their sums are exact."""
    rng = np.random.default_rng(7)
    for number in range(24):
        rank = 5 + number % 3
        shape = rng.integers(1, 4, rank)
        if number == 11:
            shape[2] = 0
        values = (rng.integers(-40, 40, shape) / 4).astype(dtype)
        yield layout(rng, values, WAYS[number // 3 % 4]), int(rng.integers(rank)), rng


def same(got, wanted):
    """Both of NumPy's array and of an Array."""
    assert got.shape == wanted.shape
    np.testing.assert_allclose(np.asarray(got), wanted, rtol=2e-6)


def both(x):
    return x, lw.asarray(x) if x.flags.writeable else lw.asarray(np.array(x))


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "any", "all", "argmax",
                                  "argmin", "std", "var"])
def test_reductions(name):
    for values, axis, _ in cases("f8"):
        for x in both(values):
            if not values.size and name in ("max", "min", "argmax", "argmin", "mean", "std", "var"):
                continue
            ours, theirs = getattr(lw, name), getattr(np, name)
            same(ours(x, axis=axis), theirs(values, axis=axis))
            same(ours(x, axis=axis, keepdims=True), theirs(values, axis=axis, keepdims=True))
            same(ours(x), theirs(values))
            if not name.startswith("arg"):
                axes = tuple(sorted({axis, 0, values.ndim - 1}))
                same(ours(x, axis=axes), theirs(values, axis=axes))


@pytest.mark.parametrize("name,theirs", [
    ("sort", np.sort), ("argsort", lambda x, axis: np.argsort(x, axis, kind="stable")),
    ("scan", np.cumsum), ("difference", lambda x, axis: np.diff(x, axis=axis)),
    ("flip", np.flip), ("cumulative_prod", np.cumprod),
    ("softmax", lambda x, axis: np.exp(x) / np.exp(x).sum(axis, keepdims=True)),
    ("expand_dims", np.expand_dims), ("unstack", lambda x, axis: np.moveaxis(x, axis, 0))])
def test_along_an_axis(name, theirs):
    for values, axis, _ in cases("f8"):
        for x in both(values):
            if name == "difference" and not values.shape[axis]:
                continue
            if name == "unstack":
                for got, wanted in zip(lw.unstack(x, axis=axis), theirs(values, axis)):
                    same(got, wanted)
            else:
                same(getattr(lw, name)(x, axis=axis), theirs(values, axis))


def test_functions_of_elements():
    for values, axis, rng in cases():
        other = values[..., ::-1].take([0], axis=axis)
        for x in both(values):
            y = lw.asarray(np.array(other)) if isinstance(x, lw.Array) else other
            same(lw.multiply(x, y), values * other)
            same(lw.where(lw.less(x, y), x, y), np.where(values < other, values, other))
            same(lw.map("a * b + i", x, y), values * other +
                 np.arange(values.size, dtype="f4").reshape(values.shape))
            for got, wanted in zip(lw.map(("a + b", "a - b"), x, y), (values + other,
                                                                      values - other)):
                same(got, wanted)
            same(lw.copysign(x, -1.0), np.copysign(values, -1))
            same(lw.map_reduce("a * b", "x + y", x, y, axis=axis), (values * other).sum(axis))


def test_operators_on_arrays():
    for values, axis, _ in cases():
        x, y = lw.asarray(np.array(values)), lw.asarray(np.array(values)).copy()
        turned = x.transpose(*range(1, x.ndim), 0)
        with_other = turned + lw.asarray(np.array(values.max(0, initial=0)))[..., None]
        same(with_other, np.moveaxis(values, 0, -1) + values.max(0, initial=0)[..., None])
        same(lw.sum(x * 2 - y, axis=-1), values.sum(-1))
        same(lw.sum(x * 2 - y), values.sum())
        y[...] += 1
        y += x
        same(y, values * 2 + 1)
        part = y[:, ::2]
        part *= 2
        same(y[:, ::2], values[:, ::2] * 4 + 2)
        same(x == y, values == np.asarray(y))
        assert x.astype("f8").dtype == np.float64
        same(x.copy(), values)
        same(lw.flip(x).astype("f8"), np.flip(values))


def test_operands_of_more_axes_than_the_array():
    x = lw.zeros((2, 2))
    with pytest.raises(lw.ArgumentError, match=r"\(1, 1, 1, 2, 2\)"):
        x += lw.ones((1, 1, 1, 2, 2))


def test_shapes():
    for values, axis, rng in cases():
        order = tuple(int(k) for k in rng.permutation(values.ndim))
        widths = [(1, 0)] * values.ndim
        for x in both(values):
            same(lw.permute_dims(x, order), values.transpose(order))
            same(lw.transpose(x, order), values.transpose(order))
            same(lw.reshape(x, (-1,) if values.size else (0,)), values.reshape(-1))
            same(lw.concat([x, x], axis=axis), np.concatenate([values, values], axis))
            same(lw.stack([x, x], axis=axis), np.stack([values, values], axis))
            same(lw.roll(x, 1, axis=axis), np.roll(values, 1, axis))
            same(lw.tile(x, 2), np.tile(values, 2))
            same(lw.repeat(x, 2, axis=axis), np.repeat(values, 2, axis))
            same(lw.pad(x, widths), np.pad(values, widths))
            shape = (2, *values.shape)
            same(lw.broadcast_to(x, shape), np.broadcast_to(values, shape))
            same(lw.moveaxis(x, 0, axis), np.moveaxis(values, 0, axis))
            same(lw.squeeze(lw.expand_dims(x, 0), 0), values)
            same(lw.tril(x), np.tril(values))


def test_indices():
    for values, axis, rng in cases():
        extent = values.shape[axis]
        if not values.size:
            continue
        at = rng.integers(0, extent, (2, 2))
        mask = values > 0
        for x in both(values):
            if values.ndim + 1 <= 8:
                same(lw.take(x, at, axis=axis), values.take(at, axis=axis))
            same(lw.take(x, at[0], axis=axis), values.take(at[0], axis=axis))
            order = np.argsort(values, axis, kind="stable")
            same(lw.take_along_axis(x, order, axis=axis),
                 np.take_along_axis(values, order, axis=axis))
            same(lw.sort(x, axis=None), np.sort(values, axis=None))
        a, b = lw.asarray(np.array(values)), np.array(values)
        same(a[mask], b[mask])
        same(a[..., [0, 0]], b[..., [0, 0]])
        a[mask], b[mask] = 7, 7
        same(a, b)
        if axis == 0:
            a[at[0]], b[at[0]] = 3, 3
            same(a, b)
        for got, wanted in zip(lw.nonzero(a), np.nonzero(b)):
            same(got, wanted)


def test_four_axes_and_indices_of_two():
    x = np.arange(16.0).reshape(2, 2, 2, 2)
    at = np.array([[0, 1], [1, 1]])
    for a in both(x):
        same(lw.take(a, at, axis=1), x.take(at, axis=1))
    same(lw.asarray(x)[:, at], x[:, at])


def test_products():
    rng = np.random.default_rng(3)
    x, y = rng.integers(-3, 3, (2, 1, 3, 2, 4)) / 2, rng.integers(-3, 3, (2, 1, 4, 3)) / 2
    for a, b in zip(both(x), both(y)):
        same(lw.matmul(a, b), x @ y)
        same(lw.matmul(a, b[0, 0]), x @ y[0, 0])
        same(lw.matmul(a, b[0, 0, :, 0]), x @ y[0, 0, :, 0])
        same(lw.matmul(b[0, 0, :3, 0], lw.moveaxis(a, 2, -2)),
             y[0, 0, :3, 0] @ np.moveaxis(x, 2, -2))
    same(lw.einsum("abcde,cf->abdef", x, np.ones((3, 2))), np.einsum("abcde,cf->abdef", x,
                                                                    np.ones((3, 2))))


def test_results_that_are_given():
    for values, axis, rng in cases():
        if not values.size:
            continue
        out = layout(rng, np.zeros_like(values), "sliced")
        assert lw.multiply(values, 2.0, out=out) is out
        same(out, values * 2)
        lw.scan(values, axis=axis, out=out)
        same(out, values.cumsum(axis))
        lw.scatter(out, [0], np.float32(5), axis=axis, out=out)
        assert (out.take(0, axis) == 5).all()
        total = layout(rng, np.zeros_like(values.sum(axis)), "transposed")
        lw.sum(values, axis=axis, out=total)
        same(total, values.sum(axis))
        with pytest.raises(lw.ArgumentError, match="out has shape"):
            lw.sum(values, axis=axis, out=out)


def test_streams_and_other_libraries():
    x = np.arange(32.0).reshape(2, 2, 2, 2, 2)
    stream = lw.stream()
    total = lw.sum(x, axis=2, stream=stream)
    largest = lw.max(x, stream=stream)
    stream.wait()
    same(total, x.sum(2))
    assert largest.shape == () and largest[()] == 31
    a = lw.from_dlpack(x)
    assert a.shape == x.shape and np.from_dlpack(a).shape == x.shape
    same(lw.asarray(x.astype("f4")).astype("bf16").astype("f4"), x)
    same(lw.sum([x.tolist()], axis=0), x)


def test_own_kernels_get_the_elements_in_a_row():
    prog = lw.compile("""#include <lanewise/kernel.h>
    KERNEL void add_one(int n, float x[n]) { if (global_idx.x < n) x[global_idx.x] += 1; }
    KERNEL void tensor(TENSOR(float, 1) x) { at(x, 0) = 1; }""")
    x = lw.zeros((2, 2, 2, 2, 2, 2))
    prog.add_one[1, 64](32, x[1], )
    same(x[1], np.ones((2,) * 5))
    same(x[0], np.zeros((2,) * 5))
    with pytest.raises(lw.ArgumentError, match="C-contiguous"):
        prog.add_one[1, 64](32, x.T[1])
    with pytest.raises(lw.ArgumentError, match="5 axes; need 1"):
        prog.tensor[1, 1](x[1])


@pytest.mark.parametrize("call,message", [
    (lambda x: lw.zeros((1,) * 9), "9 axes; need 0 to 8"),
    (lambda x: lw.asarray(np.zeros((1,) * 9)), "9 axes; need 0 to 8"),
    (lambda x: lw.dot(x, x), "5 axes; need 0 to 4"),
    (lambda x: lw.conv2d(x, x), "5 axes; need 0 to 4"),
    (lambda x: lw.sum(x, axis=5), "no axis 5"),
    (lambda x: lw.add(x, np.ones(3)), "do not broadcast"),
    (lambda x: lw.take(x, [3]), "index 0 is 3, the axis has extent 2"),
])
def test_errors(call, message):
    with pytest.raises(lw.ArgumentError, match=message):
        call(np.ones((2, 2, 2, 2, 2)))


def test_graphs_have_four():
    with lw.Graph(inputs={"x": lw.TensorType("f32", (2, 2, 2, 2))}) as g:
        with pytest.raises(lw.ArgumentError, match="5 axes; need 0 to 4"):
            lw.sum(g.x[None])
        with pytest.raises(lw.ArgumentError, match="5 axes; need 0 to 4"):
            lw.sum(lw.ones((1,) * 5), stream=g.stream)
