"""A transformer block, written as with NumPy: on Arrays of any device, and compared with NumPy.

    PYTHONPATH=build/python python3 examples/transformer/block.py [--device cpu] [FOLDER]

With FOLDER, the arrays are left there as files of float32: x, out, and the weights by name.
block.c reads them, and gives the same bits.
"""
import argparse
from pathlib import Path

import numpy as np
import lanewise as lw

TOKENS, WIDTH, HEADS, HIDDEN = 48, 64, 4, 256


def gelu(m, x):
    return 0.5 * x * (1 + m.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def block(x, w):
    def heads(y):
        return lw.permute_dims(y.reshape(1, TOKENS, HEADS, WIDTH // HEADS), (0, 2, 1, 3))

    normed = lw.layer_norm(x, weight=w["scale1"], bias=w["shift1"])
    q, k, v = (heads(part) for part in lw.split(normed @ w["qkv"], 3, axis=-1))
    seen = lw.attention(q, k, v, scale=(WIDTH // HEADS) ** -0.5, causal=True)
    x = x + lw.permute_dims(seen, (0, 2, 1, 3)).reshape(TOKENS, WIDTH) @ w["out"]
    normed = lw.layer_norm(x, weight=w["scale2"], bias=w["shift2"])
    return x + gelu(lw, normed @ w["up"] + w["up_bias"]) @ w["down"]


def with_numpy(x, w):
    def norm(y, scale, shift):
        y = y - y.mean(axis=-1, keepdims=True)
        return y / np.sqrt((y * y).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift

    q, k, v = (part.reshape(TOKENS, HEADS, -1).transpose(1, 0, 2)
               for part in np.split(norm(x, w["scale1"], w["shift1"]) @ w["qkv"], 3, axis=-1))
    scores = q @ k.transpose(0, 2, 1) * (WIDTH // HEADS) ** -0.5
    scores[:, np.triu(np.ones((TOKENS, TOKENS), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    seen = weights / weights.sum(axis=-1, keepdims=True) @ v
    x = x + seen.transpose(1, 0, 2).reshape(TOKENS, WIDTH) @ w["out"]
    normed = norm(x, w["scale2"], w["shift2"])
    return x + gelu(np, normed @ w["up"] + w["up_bias"]) @ w["down"]


SHAPES = {"scale1": (WIDTH,), "shift1": (WIDTH,), "qkv": (WIDTH, 3 * WIDTH),
          "out": (WIDTH, WIDTH), "scale2": (WIDTH,), "shift2": (WIDTH,),
          "up": (WIDTH, HIDDEN), "up_bias": (HIDDEN,), "down": (HIDDEN, WIDTH)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default=lw.default_device().name)
    parser.add_argument("folder", nargs="?")
    options = parser.parse_args()

    def normal(seed, shape):
        return lw.random.normal(seed, shape, device=options.device)

    x = normal(0, (TOKENS, WIDTH))
    w = {name: normal(k, shape) * len(shape) ** -3.0 for k, (name, shape) in
         enumerate(SHAPES.items(), 1)}
    out = block(x, w).to("cpu").numpy()
    wanted = with_numpy(x.to("cpu").numpy().astype("f8"),
                        {name: a.to("cpu").numpy().astype("f8") for name, a in w.items()})
    print(f"{options.device}: {out.shape}, largest difference from NumPy in double "
          f"{np.abs(out - wanted).max() / np.abs(wanted).max():.1e} of the largest value")
    if options.folder:
        for name, a in {"x": x, "out_of_python": out, **w}.items():
            np.asarray(a if isinstance(a, np.ndarray) else a.to("cpu")).tofile(
                Path(options.folder) / name)


if __name__ == "__main__":
    main()
