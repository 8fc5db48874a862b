"""attention.py - an operation of one's own in a graph, on every device, compared with NumPy.

    attention.py [--device NAME] [--n 16] [--d 16] [--seed 42] [--perturb]

    transpose   K (n,d)                 -> keys (d,n), temporary
    matmul      q (1,d), keys (d,n)     -> scores (1,n), temporary
    softmax     scores (n)              -> weights (n), in place
    matmul      weights (1,n), V (n,d)  -> output (1,d)

The exit status is 1 if a result is more than 1e-5 from NumPy's; --perturb changes one to show it.
"""
from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import lanewise as lw

TILE, MOST_THREADS, TOLERANCE = 8, 1024, 1e-5


def output_type(q: lw.TensorType, k: lw.TensorType, v: lw.TensorType, *, seq_len: int,
                d: int) -> lw.TensorType:
    if (q.shape, k.shape, v.shape) != ((d,), (seq_len, d), (seq_len, d)):
        raise lw.ArgumentError(f"classic::attention: need q ({d}), K and V ({seq_len}, {d}); got "
                               f"{q.shape}, {k.shape}, {v.shape}")
    return lw.TensorType(q.dtype, (d,))


def tiles(columns: int, rows: int) -> tuple[int, int]:
    return -(-columns // TILE), -(-rows // TILE)


@lw.op("classic::attention", infer=output_type, parameters="seq_len:int d:int",
       source=str(Path(__file__).with_name("kernels.c")))
def attention(s: lw.Stream, out: Any, q: Any, k: Any, v: Any, *, seq_len: int, d: int) -> None:
    """softmax(q K^T) V in four launches; s runs them, or records them for a graph."""
    scores = s.temporary(q.dtype, (seq_len,))
    launch(s, out, scores, scores, q, k, v)


def launch(s: lw.Stream, out: Any, weights: Any, scores: Any, q: Any, k: Any, v: Any) -> None:
    """The four launches; weights may be scores."""
    kernels, block, (n, d) = attention.program, (TILE, TILE), k.shape
    keys = s.temporary(q.dtype, (d, n))
    kernels.transpose[tiles(d, n), block, s](keys, k)
    kernels.matmul[tiles(n, 1), block, s](scores.reshape(1, n), q.reshape(1, d), keys, 1.0)
    kernels.softmax[1, n, s](weights, scores)
    kernels.matmul[tiles(d, 1), block, s](out.reshape(1, d), weights.reshape(1, n), v, 1.0)


def types_of(n: int, d: int) -> dict[str, lw.TensorType]:
    return {"q": lw.TensorType("f32", (d,)), "k": lw.TensorType("f32", (n, d)),
            "v": lw.TensorType("f32", (n, d))}


def steps_of(n: int, d: int, device: str) -> lw.Model:
    """The same launches in a graph whose outputs are the steps."""
    with lw.Graph(inputs=types_of(n, d), name="steps") as g:
        scores, weights = g.temporary("f32", (n,)), g.temporary("f32", (n,))
        launch(g.stream, g.temporary("f32", (d,)), weights, scores, g.q, g.k, g.v)
        g.output(scores=scores, weights=weights)
    return g.compile(device=device)


def model_of(n: int, d: int, device: str) -> lw.Model:
    with lw.Graph(inputs=types_of(n, d), name="attention") as g:
        g.output(out=lw.custom("classic::attention", g.q, g.k, g.v,
                               parameters={"seq_len": n, "d": d}))
    return g.compile(device=device)


def draw(n: int, d: int, seed: int) -> list[np.ndarray[Any, Any]]:
    """q, K and V, in this order, of NumPy's legacy generator."""
    numbers = np.random.RandomState(seed)
    return [(numbers.randn(*shape) * 0.1).astype("f4") for shape in ((d,), (n, d), (n, d))]


def reference(q: Any, k: Any, v: Any) -> dict[str, Any]:
    """The steps in NumPy."""
    scores = k @ q
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    return with_numbers({"scores": scores, "weights": weights, "output": weights @ v})


def with_numbers(steps: dict[str, Any]) -> dict[str, Any]:
    return steps | {"sum of weights": steps["weights"].sum(),
                    "norm": np.linalg.norm(steps["output"])}


def run_on(device: str, q: Any, k: Any, v: Any, expected: dict[str, Any], perturb: bool) -> bool:
    """True if the device agrees with NumPy in each step."""
    model = model_of(*k.shape, device)
    out = model(q=q, k=k, v=v)["out"]
    if perturb:
        out[0] += 0.001
    got = with_numbers({"output": out, **steps_of(*k.shape, device)(q=q, k=k, v=v)})
    differences = [float(np.abs(got[name] - expected[name]).max()) for name in expected]
    largest = float(np.max(differences))  # a NaN, if there is one, which agrees with nothing
    agrees = largest <= TOLERANCE
    for name, difference in zip(expected, differences):
        print(f"{device}: {name}: largest difference {difference:.3g}")
    print(f"{device}: {model.plan.launches} launches, {len(model.plan.temporaries)} temporaries in "
          f"{model.plan.bytes} bytes")
    print(f"{device}: output {out[:5]} norm {np.linalg.norm(out):.6f}")
    print(f"{device}: {'agrees' if agrees else 'DOES NOT AGREE'}, largest difference "
          f"{largest:.3g}")
    return agrees


def main() -> int:
    parser = argparse.ArgumentParser(description="Attention as an operation in a graph.")
    parser.add_argument("--device", help="one device; without it all that are there")
    for name, value in (("n", 16), ("d", 16), ("seed", 42)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--perturb", action="store_true", help="change a result of the device")
    given = parser.parse_args()
    if not 1 <= given.n <= MOST_THREADS or given.d < 1:
        parser.error(f"--n is {given.n} and --d is {given.d}; need n from 1 to {MOST_THREADS}, "
                     "d from 1 on")
    q, k, v = draw(given.n, given.d, given.seed)
    expected = reference(q, k, v)
    print(f"shapes: q {q.shape} K {k.shape} V {v.shape}")
    for name in ("scores", "weights", "output"):
        print(f"{name}: {expected[name][:5]}")
    print(f"sum of weights: {expected['sum of weights']:.6f}\nnorm {expected['norm']:.6f}")
    names = [given.device] if given.device else \
        [row.name for row in lw.devices() if row.available and row.name != "null"]
    agree = [run_on(name, q, k, v, expected, given.perturb) for name in names]
    return 0 if all(agree) else 1


if __name__ == "__main__":
    sys.exit(main())
