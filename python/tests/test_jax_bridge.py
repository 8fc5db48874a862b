"""lanewise.jax: operations under jit, vmap, grad and shard_map, with the bits of lanewise's own."""
from __future__ import annotations

import concurrent.futures
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

import lanewise as lw

jax = pytest.importorskip("jax", reason="JAX is not installed")
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 4)
jax.config.update("jax_enable_x64", True)
from jax.test_util import check_grads  # noqa: E402
import lanewise.jax as lwj  # noqa: E402

jnp: Any = jax.numpy
P = jax.sharding.PartitionSpec
rng = np.random.default_rng(7)


def normal(*shape: int, dtype: str = "f4") -> np.ndarray:
    return rng.normal(size=shape).astype(dtype)


def same(got: Any, expected: Any) -> None:
    """The same dtype, shape and bits."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    assert got.tobytes() == expected.tobytes()


X, Y, B = normal(6, 37), normal(37, 5), normal(5)
CALLS: dict[str, tuple[Callable[[Any], Any], tuple[np.ndarray, ...]]] = {
    "dot": (lambda m: m.dot, (X[0], X[1])),
    "sum": (lambda m: m.sum, (X,)),
    "sum of an axis": (lambda m: lambda x: m.sum(x, axis=0, keepdims=True), (X,)),
    "sum, exact": (lambda m: lambda x: m.sum(x, axis=-1, sum="exact"), (X,)),
    "sum, dtype": (lambda m: lambda x: m.sum(x, dtype="f64"), (X,)),
    "sum of integers": (lambda m: m.sum, (np.arange(9, dtype="i1"),)),
    "mean": (lambda m: lambda x: m.mean(x, axis=1), (X,)),
    "prod": (lambda m: m.prod, (X[0],)),
    "max": (lambda m: lambda x: m.max(x, keepdims=True), (X,)),
    "min": (lambda m: lambda x: m.min(x, axis=0), (X,)),
    "any": (lambda m: m.any, (X > 2,)),
    "all": (lambda m: lambda x: m.all(x, axis=1), (X < 2,)),
    "argmax": (lambda m: m.argmax, (X,)),
    "argmin": (lambda m: lambda x: m.argmin(x, axis=-1), (X,)),
    "map": (lambda m: lambda x, b: m.map("a * b + 1", x, b), (Y, B)),
    "map, place": (lambda m: lambda x: m.map("a + i", x), (X[0],)),
    "map_reduce": (lambda m: lambda x: m.map_reduce("a * a", "x + y", x), (X,)),
    "scan": (lambda m: lambda x: m.scan(x, axis=0), (X,)),
    "difference": (lambda m: m.difference, (X,)),
    "moving_average": (lambda m: lambda x: m.moving_average(x, 4, edge="shrink"), (X,)),
    "mean_normalize": (lambda m: m.mean_normalize, (X,)),
    "layer_norm": (lambda m: lambda x, w, b: m.layer_norm(x, weight=w, bias=b),
                   (X, normal(37), normal(37))),
    "rms_norm": (lambda m: lambda x: m.rms_norm(x, eps=1e-3, axis=0), (X,)),
    "softmax": (lambda m: m.softmax, (X,)),
    "log_softmax": (lambda m: lambda x: m.log_softmax(x, axis=-2), (X,)),
    "transpose": (lambda m: m.transpose, (X,)),
    "transpose, axes": (lambda m: lambda x: m.transpose(x, axes=(-1, 0)), (X,)),
    "matmul": (lambda m: m.matmul, (X, Y)),
    "matmul, bias": (lambda m: lambda x, y, b: m.matmul(x, y, bias=b), (X, Y, B)),
    "matmul, free": (lambda m: lambda x, y: m.matmul(x, y, sum="free"), (X, Y)),
    "matmul, vector": (lambda m: m.matmul, (X, Y[:, 0].copy())),
    "attention": (lambda m: lambda q, k, v: m.attention(q, k, v, scale=0.5, causal=True),
                  (normal(3, 8), normal(9, 8), normal(9, 4))),
    "attention, vector": (lambda m: m.attention, (normal(8), normal(9, 8), normal(9, 4))),
    "attention, weights": (lambda m: lambda q, k, v: m.attention(q, k, v, return_weights=True),
                           (normal(3, 8), normal(9, 8), normal(9, 4))),
}


@pytest.mark.parametrize("name", CALLS)
def test_jit_has_the_bits_of_lanewise(name: str) -> None:
    call, arrays = CALLS[name]
    expected = call(lw)(*arrays)
    for got in (jax.jit(call(lwj))(*arrays), call(lwj)(*map(jnp.asarray, arrays))):
        jax.tree.map(same, got, expected)


@pytest.mark.parametrize("name", CALLS)
def test_vmap_has_the_bits_of_each(name: str) -> None:
    call, arrays = CALLS[name]
    lanes = [[a] + [np.roll(a, k + 1).copy() for k in range(2)] for a in arrays]
    for batched in {(True,) * len(arrays), (True,) + (False,) * (len(arrays) - 1)}:
        given = [np.stack(lane) if b else lane[0] for lane, b in zip(lanes, batched)]
        each = [call(lw)(*(lane[k] if b else lane[0] for lane, b in zip(lanes, batched)))
                for k in range(3)]
        got = jax.jit(jax.vmap(call(lwj), in_axes=tuple(0 if b else None for b in batched)))(*given)
        jax.tree.map(lambda g, *e: same(g, np.stack(e)), got, *each)


def test_ready_made_operations_take_a_batch_at_once() -> None:
    def loops(name: str) -> int:
        call, arrays = CALLS[name]
        batch = [np.stack([a, a]) for a in arrays]
        return str(jax.make_jaxpr(jax.vmap(call(lwj)))(*batch)).count("scan[")

    once = ["sum", "mean", "argmax", "map", "softmax", "matmul", "attention", "transpose", "scan"]
    assert [name for name in once if loops(name)] == []
    assert loops("map, place") == loops("dot") == 1


def test_vmap_of_vmap_and_other_axes() -> None:
    x = normal(2, 3, 4)
    same(jax.vmap(jax.vmap(lwj.softmax))(x), lw.softmax(x))
    same(jax.vmap(lwj.sum, in_axes=1, out_axes=0)(x), np.stack([lw.sum(x[:, k]) for k in range(3)]))
    deep = normal(2, 1, 2, 3, 4)
    same(jax.vmap(lwj.softmax)(deep), np.stack([lw.softmax(d) for d in deep]))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?", "f2", "f4",
                                   "f8", "bfloat16"])
def test_dtypes(dtype: str) -> None:
    x = jnp.arange(5).astype(dtype)
    got = jax.jit(lambda x: lwj.transpose(x.reshape(1, 5)))(x)
    assert got.dtype == x.dtype and got.shape == (5, 1) and got[:, 0].tolist() == x.tolist()


def test_sizes_of_zero_and_one() -> None:
    assert jax.jit(lwj.sum)(jnp.zeros((0, 3), "f4")) == 0
    assert jax.jit(lwj.softmax)(jnp.zeros((0, 3), "f4")).shape == (0, 3)
    same(jax.jit(lwj.sum)(jnp.float32(3)), np.float32(3))


def test_dtypes_of_64_bits_are_narrowed_without_x64() -> None:
    jax.config.update("jax_enable_x64", False)
    try:
        assert lwj.argmax(jnp.asarray(X)).dtype == "int32"
        assert jax.jit(lwj.sum)(jnp.arange(4)).dtype == "int32"
    finally:
        jax.config.update("jax_enable_x64", True)
    assert lwj.argmax(jnp.asarray(X)).dtype == "int64"


# ---- own operations ----

SOURCE = """
#include <lanewise/kernel.h>
KERNEL void scale(float *out, const float *x, int n, float by)
{
    for (int i = global_idx.x; i < n; i += block_dim.x * grid_dim.x) {
        assert(x[i] >= 0);
        out[i] = x[i] * by;
    }
}
KERNEL void spoil(float *x) { x[thread_idx.x] = 0; }
KERNEL void tell(float *out) { printf("thread %d\\n", (int)thread_idx.x); out[thread_idx.x] = 1; }
"""


@lw.op("jax::scale", infer=lambda x, by: (x, lw.TensorType("f32", ())), parameters="by:real=2",
       source=SOURCE)
def scale(s, out, total, x, by):
    """x times by, and the sum of that."""
    scale.program.scale[2, 32, s](out, x, int(np.prod(x.shape)), by)
    lw.sum(out, out=total, stream=s)


def test_an_own_operation() -> None:
    x = np.abs(X)
    f = lwj.register(scale)
    for got in (f(x, by=3), jax.jit(lambda x: f(x, by=3))(x)):
        assert isinstance(got, tuple) and isinstance(got[0], jax.Array)
        jax.tree.map(same, got, scale(x, by=3))
    one_after_the_other = jax.vmap(f)(x)
    same(one_after_the_other[0], 2 * x)
    same(one_after_the_other[1], np.stack([lw.sum(2 * row) for row in x]))
    assert f.name == "jax::scale" and "sum of that" in f.__doc__


def test_an_operation_that_is_defined_again() -> None:
    names = {"__name__": "__main__"}
    made = []
    for times in (2, 3):
        exec(f"import lanewise as lw\n@lw.op('jax::again')\n"
             f"def again(x): return lw.map('{times} * a', x)", names)
        made += [lwj.register("jax::again"), lwj.register(names["again"])]
    for f, times in zip(made, (2, 2, 3, 3)):
        same(f(X), times * X)
        same(jax.jit(f)(X[:1]), times * X[:1])


def test_by_name_and_as_a_function() -> None:
    same(lwj.register("jax::scale")(np.abs(X), by=3)[0], 3 * np.abs(X))
    same(jax.jit(lwj.register("softmax"))(X), lw.softmax(X))
    both = lwj.register(lambda x: (lw.softmax(x), lw.max(x), x, x.T))
    jax.tree.map(same, jax.jit(both)(X), (lw.softmax(X), lw.max(X), X, X.T))


def test_an_operation_with_batch_axes_of_its_own() -> None:
    def rows(x: Any, w: Any) -> Any:
        return lw.sum(lw.map("a * b", x, w), axis=-1)

    x, w = normal(4, 9), normal(9)
    for method in ("broadcast_all", "expand_dims", "sequential"):
        got = jax.vmap(lwj.register(rows, vmap_method=method), in_axes=(0, None))(x, w)
        same(got, np.stack([rows(row, w) for row in x]))


def test_two_functions_of_one_name() -> None:
    def made(k: int) -> Any:
        def twin(x: Any) -> Any:
            return lw.map(f"a * {k}", x)
        return lwj.register(twin)

    two, three = made(2), made(3)
    assert two(X)[0, 0] == 2 * X[0, 0] and three(X)[0, 0] == 3 * X[0, 0]


def test_what_a_kernel_prints(capsys: pytest.CaptureFixture[str]) -> None:
    @lw.op("jax::tell", infer=lambda: lw.TensorType("f32", (2,)))
    def tell(s, out):
        scale.program.tell[1, 2, s](out)

    jax.jit(lwj.register(tell))().block_until_ready()
    assert capsys.readouterr().out == "".join(f"[block 0,0,0 thread {n},0,0] thread {n}\n"
                                              for n in range(2))


# ---- gradients ----

@lw.op("jax::softmax_slope", infer=lambda y, g: y)
def softmax_slope(s, out, y, g):
    """The gradient of softmax over the last axis: y (g - sum(g y))."""
    kept, sums = s.temporary(y.dtype, y.shape), s.temporary(y.dtype, (*y.shape[:-1], 1))
    lw.map("a * b", g, y, out=kept, stream=s)
    lw.sum(kept, axis=-1, keepdims=True, out=sums, stream=s)
    lw.map("a * (b - c)", y, g, sums, out=out, stream=s)


slope = lwj.register(softmax_slope, vmap_method="broadcast_all")
soft = lwj.register("softmax", backward=lambda inputs, outputs, slopes: (
    slope(outputs[0], slopes[0]),))


@pytest.mark.parametrize("wrap", [lambda f: f, jax.jit, jax.vmap, lambda f: jax.jit(jax.vmap(f))])
def test_gradients_are_those_of_jax(wrap: Any) -> None:
    w = normal(37, dtype="f8")

    def loss(f: Any) -> Any:
        return wrap(jax.grad(lambda x: jnp.sum(f(x) * w)))

    x = X.astype("f8")
    np.testing.assert_allclose(loss(soft)(x), loss(jax.nn.softmax)(x), rtol=1e-12, atol=1e-15)


def test_gradient_of_a_batch() -> None:
    x, w = X.astype("f8"), normal(6, 37, dtype="f8")
    got = jax.grad(lambda x: jnp.sum(jax.vmap(soft)(x) * w))(x)
    same(got, jax.vmap(slope)(lw.softmax(x), w))


FLAT = ("sum of integers", "sum, dtype", "any", "all", "argmax", "argmin", "map", "map, place",
        "map_reduce", "moving_average", "attention, weights")
TWINS = ("min", "sum, exact", "transpose, axes", "matmul, bias", "matmul, vector",
         "attention, vector")  # of which another has the same slopes


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.full] * (name in TWINS)) for name in CALLS
    if name not in FLAT])
def test_gradients_of_ready_made_operations(name: str) -> None:
    """Against the operation's own slopes, by small steps in f64."""
    call, arrays = CALLS[name]
    wide = [a[..., :9].astype("f8") + (name == "mean_normalize") * 9 for a in arrays]
    if name.startswith(("matmul", "layer_norm")):
        wide = [a.astype("f8") for a in arrays]
    check_grads(call(lwj), wide, order=1, modes=["rev"], rtol=2e-4, atol=2e-5)


def test_gradients_of_f16_and_of_scans(full: bool) -> None:
    x = jnp.asarray(X[0], "bfloat16")
    got = jax.grad(lambda x: lwj.softmax(x)[0].astype("f4"))(x)
    expected = jax.grad(lambda x: jax.nn.softmax(x)[0])(x.astype("f4"))
    assert got.dtype == "bfloat16"
    np.testing.assert_allclose(got.astype("f4"), expected, rtol=2e-2, atol=1e-4)
    x = X[0, :7].astype("f8")
    for op in ("mul", "max", "min") if full else ("mul", "max"):
        check_grads(lambda x: lwj.scan(x, op=op), (x,), 1, modes=["rev"])
    check_grads(lambda x: lwj.scan(x, exclusive=True), (x,), 1, modes=["rev"])
    check_grads(lambda x: lwj.difference(x, edge="zero"), (x,), 1, modes=["rev"])


def test_what_has_no_gradient() -> None:
    with pytest.raises(lw.UnsupportedError, match="moving_average has no gradient.*backward="):
        jax.grad(lambda x: lwj.moving_average(x)[0])(X[0])
    with pytest.raises(lw.UnsupportedError, match="no gradient with window="):
        jax.grad(lambda q: lwj.attention(q, X, X, window=2)[0, 0])(X)
    assert (jax.grad(lambda x: x[lwj.argmax(x)])(X[0]) == (X[0] == X[0].max())).all()
    jax.grad(lambda w: jnp.sum(w * lwj.softmax(X[0])))(X[0])  # not of its input
    wrong = lwj.register("softmax", backward=lambda inputs, outputs, slopes: ())
    with pytest.raises(lw.ArgumentError, match="backward gave 0 gradients.*1 arrays"):
        jax.grad(lambda x: wrong(x)[0])(X[0])


# ---- many devices and threads ----

def test_shard_map_over_four_devices() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
    x = normal(8, 300)
    f = jax.jit(jax.shard_map(lambda x: (lwj.softmax(x), lwj.sum(x, axis=1)), mesh=mesh,
                              in_specs=P("i"), out_specs=P("i")))
    got = f(x)
    assert len(got[0].sharding.device_set) == 4
    jax.tree.map(same, got, (lw.softmax(x), lw.sum(x, axis=1)))
    total = jax.jit(jax.shard_map(lambda x: jax.lax.psum(lwj.sum(x), "i"), mesh=mesh,
                                  in_specs=P("i"), out_specs=P()))(x)
    np.testing.assert_allclose(total, x.sum(), rtol=1e-3, atol=1e-3)
    w = normal(300)
    slopes = jax.jit(jax.shard_map(jax.grad(lambda x: jnp.sum(soft(x) * w)), mesh=mesh,
                                   in_specs=P("i"), out_specs=P("i")))(x)
    same(slopes, slope(lw.softmax(x), np.broadcast_to(w, x.shape).copy()))


def test_an_own_operation_under_shard_map() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
    x = np.abs(normal(8, 300))
    own = lwj.register(scale)
    got = jax.jit(jax.shard_map(lambda x: (own(x, by=3)[0], own(x)[1][None]), mesh=mesh,
                                in_specs=P("i"), out_specs=P("i")))(x)
    assert len(got[0].sharding.device_set) == 4
    same(got[0], 3 * x)
    same(got[1], np.stack([lw.sum(2 * x[k:k + 2]) for k in range(0, 8, 2)]))


def test_two_processes() -> None:
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError:
        pytest.skip(f"JAX's processes cannot find this machine's name, {socket.gethostname()}")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    path = Path(__file__).parents[2] / "examples" / "jax" / "processes.py"
    env = {**os.environ, "JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "2"}
    words = [sys.executable, path, "--address", f"localhost:{port}", "--number"]
    started = [subprocess.Popen([*words, str(k)], text=True, env=env, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for k in range(2)]
    try:
        said = [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()
    for k, process in enumerate(started):
        assert process.returncode == 0 and f"process {k} of 2, 4 devices" in said[k][0], said


def test_shard_map_with_weights_that_all_have() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
    x, w = normal(8, 6), normal(6, 3)
    times = lwj.register("matmul", backward=lambda inputs, outputs, slopes: (
        lwj.matmul(slopes[0], inputs[1].T), lwj.matmul(inputs[0].T, slopes[0])))

    def loss(x: Any, w: Any) -> Any:
        parts = jax.shard_map(lambda x, w: jnp.sum(times(x, w) ** 2)[None], mesh=mesh,
                              in_specs=(P("i"), P()), out_specs=P("i"))
        return jnp.sum(parts(x, w))

    got = jax.jit(jax.grad(loss, argnums=(0, 1)))(x, w)
    expected = jax.grad(lambda x, w: jnp.sum((x @ w) ** 2), argnums=(0, 1))(x, w)
    for g, e in zip(got, expected):
        np.testing.assert_allclose(g, e, rtol=2e-4, atol=1e-4)


def test_sharded_and_donated_arrays() -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()), ("i",))
    x = normal(8, 6)
    spread = jax.device_put(x, jax.sharding.NamedSharding(mesh, P("i")))
    same(jax.jit(lwj.softmax)(spread), lw.softmax(x))
    same(jax.jit(lwj.softmax, donate_argnums=0)(jnp.asarray(x)), lw.softmax(x))


def test_many_threads_call_one_function() -> None:
    f = jax.jit(lambda x: lwj.softmax(lwj.matmul(x, Y)))
    xs = [normal(6, 37) for _ in range(16)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for got, x in zip(pool.map(f, xs * 8), xs * 8):
            same(got, lw.softmax(lw.matmul(x, Y)))


# ---- mistakes ----

@pytest.mark.parametrize("call, error, text", [
    (lambda: jax.jit(lwj.matmul)(X, X), lw.ArgumentError, r"\(6, 37\)"),
    (lambda: lwj.softmax(X.astype("i4")), lw.DtypeError, "softmax"),
    (lambda: lwj.sum(np.zeros((1,) * 5)), lw.ArgumentError, "0 to 4 extents"),
    (lambda: lwj.sum(jnp.zeros(2, "complex64")), lw.DtypeError, "complex64"),
    (lambda: lwj.sum(X, out=np.zeros(())), lw.ArgumentError, "sum: JAX's arrays take no out="),
    (lambda: lwj.register("softmx"), lw.ArgumentError, "softmax"),
    (lambda: lwj.register(3), lw.ArgumentError, "3 is no operation"),
    (lambda: lwj.register(scale, vmap_method="all"), lw.ArgumentError, "'all'.*sequential"),
    (lambda: lwj.register(scale)(np.abs(X), to=2), lw.ArgumentError, "no parameter 'to'"),
    (lambda: lwj.register(lambda x: 3)(X), lw.ArgumentError, "gave 3"),
    (lambda: lwj.register(lambda x: lw.map("a" if x else "b", x))(X), TypeError, "no values"),
    (lambda: lwj.softmax([1.0, 2.0]), lw.ArgumentError, "no argument is an array"),
    (lambda: lwj.nothing, AttributeError, "nothing"),
])
def test_mistakes_raise_while_tracing(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call()


def test_inputs_cannot_be_written() -> None:
    @lw.op("jax::spoil", infer=lambda x: x)
    def spoil(s, out, x):
        scale.program.spoil[1, 4, s](x)
        lw.map("a", x, out=out, stream=s)

    with pytest.raises(lw.ArgumentError, match="jax::spoil: it writes its input 0.*read-only"):
        lwj.register(spoil)(X)


def test_a_launch_that_fails_is_an_error_of_jax() -> None:
    f = jax.jit(lwj.register(scale))
    for _ in range(2):
        with pytest.raises(jax.errors.JaxRuntimeError, match="jax::scale.*assert.*x\\[i\\] >= 0"):
            jax.block_until_ready(f(-np.abs(X)))
        same(f(np.abs(X))[0], 2 * np.abs(X))


def test_a_call_that_was_not_traced_here() -> None:
    made = jax.ffi.ffi_call("lanewise", jax.ShapeDtypeStruct((2,), "f4"))
    with pytest.raises(jax.errors.JaxRuntimeError, match="other.*not traced that call"):
        made(jnp.zeros(2, "f4"), key="other").block_until_ready()
    with pytest.raises(jax.errors.JaxRuntimeError, match="no attribute 'key'"):
        made(jnp.zeros(2, "f4")).block_until_ready()


def test_without_jax_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['jax'] = None; import lanewise.jax"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "ImportError: lanewise.jax needs JAX 0.7 or newer: pip install" in done.stderr


# ---- examples ----

@pytest.mark.parametrize("name, words, said", [
    ("operations.py", [], "the same bits in all of them: True"),
    ("train.py", ["--steps", "30"], "of the points are right"),
])
def test_example(name: str, words: list[str], said: str) -> None:
    path = Path(__file__).parents[2] / "examples" / "jax" / name
    done = subprocess.run([sys.executable, path, *words], capture_output=True, text=True,
                          timeout=300)
    assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr


def test_on_a_gpu() -> None:
    if not any(d.name == "cuda" and d.available for d in lw.devices()):
        pytest.skip("there is no GPU")
    done = subprocess.run([sys.executable, Path(__file__).parent / "jax_on_cuda.py"], timeout=600,
                          capture_output=True, text=True)
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0 and "all is as it should be" in done.stdout, done.stderr


# ---- the interface of XLA ----

FIELDS = {
    "XLA_FFI_CallFrame": "api ctx stage args rets attrs", "XLA_FFI_Args": "size types args",
    "XLA_FFI_Rets": "size types rets", "XLA_FFI_Attrs": "size types names attrs",
    "XLA_FFI_Buffer": "dtype data rank dims", "XLA_FFI_ByteSpan": "ptr len",
    "XLA_FFI_Error_Create_Args": "message errc", "XLA_FFI_Stream_Get_Args": "ctx stream",
    "XLA_FFI_DeviceOrdinal_Get_Args": "ctx device_ordinal",
    "XLA_FFI_Extension_Base": "struct_size type next",
    "XLA_FFI_Api_Version": "major_version minor_version", "XLA_FFI_Metadata": "api_version traits",
    "XLA_FFI_Metadata_Extension": "extension_base metadata",
    "XLA_FFI_Api": "struct_size api_version XLA_FFI_Error_Create XLA_FFI_Stream_Get "
                   "XLA_FFI_DeviceOrdinal_Get",
}


def test_our_header_has_the_layout_of_jax(tmp_path: Path) -> None:
    ours = Path(__file__).parents[1] / "src" / "xla_ffi.h"
    values = re.findall(r"(XLA_FFI_\w+) = \d+", ours.read_text())
    lines = [f'printf("{s}.{f} %zu\\n", offsetof({s}, {f}));'
             for s, names in FIELDS.items() for f in names.split()]
    lines += [f'printf("{v} %d\\n", (int){v});' for v in values if "API_M" not in v]
    told = []
    for name, header in (("ours", ours),
                         ("theirs", Path(jax.ffi.include_dir()) / "xla/ffi/api/c_api.h")):
        # JAX 0.12 has the same struct by another name.
        renamed = ("#define XLA_FFI_Extension_Base XLA_FFI_InternalExtension\n"
                   if "XLA_FFI_InternalExtension;" in header.read_text() else "")
        source = tmp_path / f"{name}.c"
        source.write_text(f'#include "{header}"\n#include <stdio.h>\n#include <stddef.h>\n'
                          f"{renamed}int main(void) {{ {' '.join(lines)} return 0; }}\n")
        subprocess.run(["cc", "-o", tmp_path / name, source], check=True)
        told.append(subprocess.run([tmp_path / name], capture_output=True, text=True).stdout)
    assert told[0] == told[1] and told[0].count("\n") > 50
