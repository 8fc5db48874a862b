"""The dtype of an expression of map: a kernel with a pointer to it as a parameter is compiled, and
says what the compiler makes of it. Once for each text and dtypes. Truth values are bool, for which
C has int."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _dtypes
from ._array import Array
from ._devices import default_device
from ._numbers import dtype_of, settled
from ._truth import is_truth
from ._waiting import LETTERS

_C_TYPES = _dtypes.C_TYPES
_known: dict[tuple[Any, ...], np.dtype[Any]] = {}
_names: dict[tuple[Any, ...], str] = {}  # by the dtypes as arrays have them


def expression_name(expression: str, inputs: tuple[Any, ...],
                    names: tuple[str, ...] = LETTERS) -> str | None:
    """The library's name of expression_dtype."""
    try:
        key = (expression, names, *[x.dtype for x in inputs])
        return _names[key]
    except (AttributeError, KeyError, TypeError):  # numbers, new ones, dtypes without a hash
        pass
    dtype = expression_dtype(expression, inputs, names)
    if dtype is None:
        return None
    name = _dtypes.NAMES[_dtypes.dtype_code(dtype)]
    if all(isinstance(x, (np.ndarray, Array)) for x in inputs):
        _names[key] = name
    return name


def expression_dtype(expression: str, inputs: tuple[Any, ...],
                     names: tuple[str, ...] = LETTERS) -> np.dtype[Any] | None:
    """None where it has no type that is a dtype, or does not compile: map says why."""
    found = [_dtypes.code_or_none(dtype_of(x)) for x in settled(inputs)]
    types = tuple(code for code in found if code is not None)
    if len(types) < len(found):
        return None
    key = (expression, types, names)
    if key not in _known:
        found = _ask(expression, types, names)
        if found is None:
            return None
        _known[key] = found
    return _known[key]


def _ask(expression: str, types: tuple[int, ...],
         names: tuple[str, ...]) -> np.dtype[Any] | None:
    given = "".join(f"{_C_TYPES[t]} {name}, " for t, name in zip(types, names))
    source = (f"#include <lanewise/kernel.h>\n#include <math.h>\n"
              f"KERNEL void probe({given}size_t i, size_t n, __typeof__(({expression})"
              f" ) *out)\n{{\n    out[0] = 0;\n}}\n")
    try:
        built = _core.build(default_device(), "expression", source, (), (), False, False, None,
                            False, 0, None)
    except _core_errors():
        return None
    kernel = _core.Kernel("probe", lambda device: built, built.device)
    dtype: np.dtype[Any] | None = kernel.parameters[-1]["dtype"]
    bools = [name for t, name in zip(types, names) if _C_TYPES[t] == "bool"]
    return np.dtype("?") if dtype == np.int32 and is_truth(expression, bools) else dtype


def _core_errors() -> tuple[type[Exception], ...]:
    from ._errors import CompileError, UnsupportedError
    return CompileError, UnsupportedError
