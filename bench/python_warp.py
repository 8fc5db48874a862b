"""The kernel of python.py for Warp."""
import warp  # type: ignore[import-not-found]


@warp.kernel
def scale(x: warp.array(dtype=float), by: float):  # type: ignore[no-untyped-def,valid-type]
    i = warp.tid()
    x[i] = x[i] * by
