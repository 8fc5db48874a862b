"""own_operation.py - an operation of one's own: with a name, a check of its shapes, a parameter.

    own_operation.py [--device NAME]

example::distances gives the distance of each of n points to one point. It works with NumPy's
arrays and in graphs, here with an n that is known later; lanewise.testing.opcheck tries the rest.
The exit status is 1 if NumPy says something else.
"""
from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import lanewise as lw

SOURCE = """
#include <lanewise/kernel.h>

KERNEL void distances(int n, float out[n], CONST_TENSOR(float, 2) points,
                      CONST_TENSOR(float, 1) to, float power)
{
    int i = global_idx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < (int)extent(points, 1); k++)
        sum += pow(fabs(at(points, i, k) - at(to, k)), power);
    out[i] = pow(sum, 1 / power);
}
"""


def output_type(points: lw.TensorType, to: lw.TensorType, *, power: float) -> lw.TensorType:
    if len(points.shape) != 2 or to.shape != points.shape[1:]:
        raise lw.ArgumentError(f"example::distances: need points (n, d) and to (d,); got "
                               f"{points.shape} and {to.shape}")
    return lw.TensorType("f32", (points.shape[0],))


@lw.op("example::distances", infer=output_type, parameters="power:real=2", source=SOURCE)
def distances(s: lw.Stream, out: Any, points: Any, to: Any, *, power: float) -> None:
    """The distance of each point to one; power 2 is Euclid's, 1 that along the axes."""
    n = out.shape[0]
    distances.program.distances[max(1, -(-n // 128)), 128, s](n, out, points, to, power)


def expected(points: np.ndarray, to: np.ndarray, power: float) -> Any:
    return (np.abs(points - to) ** power).sum(axis=1) ** (1 / power)


def main() -> int:
    parser = argparse.ArgumentParser(description="An operation of one's own.")
    parser.add_argument("--device", help="which device; the default one without it")
    lw.default_device(parser.parse_args().device)

    rng = np.random.default_rng(2)
    points, to = rng.random((200, 3)).astype("f4"), rng.random(3).astype("f4")
    worst = 0.0
    for power in (1.0, 2.0):
        got = distances(points, to, power=power)
        worst = max(worst, float(np.abs(got - expected(points, to, power)).max()))
    try:
        distances(points, to[:2])
    except lw.ArgumentError as error:
        print(f"refused: {error}")

    with lw.Graph(inputs={"points": lw.TensorType("f32", ("n", 3)),
                          "to": lw.TensorType("f32", (3,))}) as g:
        g.output(nearest=lw.argmin(lw.custom("example::distances", g.points, g.to)))
    model = g.compile()
    for n in (5, 200):
        nearest = model(points=points[:n], to=to)["nearest"]
        print(f"the nearest of {n}: point {nearest}")
        if nearest != expected(points[:n], to, 2).argmin():
            worst = np.inf
    lw.testing.opcheck(distances, points, to)
    print(f"opcheck finds nothing; largest difference {worst:.1e}")
    return 0 if worst < 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
