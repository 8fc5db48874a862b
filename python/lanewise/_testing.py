"""Checks of custom operations."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._array import Array, asarray, values_of
from ._check import check
from ._custom import Op, TensorType
from ._errors import ArgumentError, CheckError, Error


def _tuple(results: Any) -> tuple[Array, ...]:
    return results if isinstance(results, tuple) else (results,)


def _bits(array: Array) -> bytes:
    return array.numpy().tobytes()


def _strided(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same values with gaps between them."""
    if not values.ndim:
        return values
    return np.repeat(values, 2, axis=-1)[..., ::2]


def _check_types(op: Op, arrays: list[Array], results: tuple[Array, ...],
                 parameters: dict[str, Any]) -> None:
    if op._infer is None:
        return
    expected = op.infer(*(TensorType(a.dtype, a.shape) for a in arrays), **op._values(parameters))
    got = tuple(TensorType(r.dtype, r.shape) for r in results)
    assert got == expected, f"{op.name}: infer says {expected}, the outputs are {got}"


def _run_on(op: Op, device: str, values: list[Any], parameters: dict[str, Any]) -> list[bytes]:
    arrays = [asarray(v, device=device, copy=True) for v in values]
    before = [_bits(a) for a in arrays]
    results = _tuple(op(*arrays, **parameters))
    for n, (array, was) in enumerate(zip(arrays, before)):
        assert _bits(array) == was, f"{op.name}: input {n} was changed on {device}"
        for result in results:
            apart = not np.shares_memory(array.numpy(), result.numpy()) or device[:4] == "cuda"
            assert apart, f"{op.name}: an output shares memory with input {n}"
    _check_types(op, arrays, results, parameters)
    return [_bits(r) for r in results]


def _check_strides(op: Op, device: str, values: list[Any], parameters: dict[str, Any],
                   expected: list[bytes]) -> None:
    arrays = [asarray(_strided(v), device=device) for v in values]
    try:
        results = _tuple(op(*arrays, **parameters))
    except ArgumentError:
        return
    assert [_bits(r) for r in results] == expected, \
        f"{op.name}: other results for inputs with strides on {device}"


def _check_empty(op: Op, device: str, values: list[Any], parameters: dict[str, Any]) -> None:
    arrays = [asarray(np.zeros((0,) * v.ndim, v.dtype), device=device) for v in values]
    try:
        results = _tuple(op(*arrays, **parameters))
    except Error:
        return
    _check_types(op, arrays, results, parameters)


def _check_launches(op: Op, values: list[Any], parameters: dict[str, Any]) -> None:
    try:
        with check():
            op(*(asarray(v, copy=True) for v in values), **parameters)
    except CheckError as error:
        raise AssertionError(f"{op.name}: {error}") from None


class testing:
    """Checks of custom operations."""

    @staticmethod
    def opcheck(op: Op, *args: Any, devices: Sequence[str] = ("ref", "cpu"),
                **parameters: Any) -> None:
        """Run an operation in many ways; AssertionError says what is wrong.

        Checked: the inferred types, inputs that stay unchanged and apart from outputs, the same
        bits on all devices, inputs with strides and empty ones (a refusal is fine), its launches
        under the checker.

        >>> @lw.op("doc::half")
        ... def half(x):
        ...     return lw.map("a / 2", x)
        >>> lw.testing.opcheck(half, np.arange(4.0))
        """
        values = [a.numpy() if isinstance(a, Array) else values_of(a) for a in args]
        first: list[bytes] | None = None
        for device in devices:
            bits = _run_on(op, device, values, parameters)
            first = bits if first is None else first
            assert bits == first, f"{op.name}: other bits on {device} than on {devices[0]}"
            _check_strides(op, device, values, parameters, bits)
            _check_empty(op, device, values, parameters)
        _check_launches(op, values, parameters)
