"""C functions of scalars as functions of elements."""
from __future__ import annotations

import hashlib
import re
from typing import Any

from . import _core, _dtypes
from ._devices import default_device
from ._elementwise import make
from ._errors import ArgumentError

_WORDS = {"char": "i8", "signed char": "i8", "unsigned char": "u8", "short": "i16",
          "unsigned short": "u16", "int": "i32", "unsigned": "u32", "unsigned int": "u32",
          "long": "i64", "unsigned long": "u64", "size_t": "u64", "ptrdiff_t": "i64",
          "_Bool": "bool"}
_CODES = {**{word: _dtypes.NAMES.index(name) for word, name in _WORDS.items()},
          **{word: code for code, word in enumerate(_dtypes.C_TYPES)}}
_FUNCTION = re.compile(r"([A-Za-z_][\w\s]*?)\b(\w+)\s*\(([^(){}]*)\)\s*\{")
_MOST, _WEIGHT = 8, 8


def _code(words: str, of: str) -> int:
    found = " ".join(w for w in words.split()
                     if w not in ("static", "inline", "const", "DEVICE", "__device__"))
    if found not in _CODES:
        raise ArgumentError(f"vectorize: {of} has the type '{found}'; need a scalar type, as float "
                            "or int32_t")
    return _CODES[found]


def vectorize(source: str) -> Any:
    """The last function of a C text, which takes 1 to 8 scalars and returns one, as a function of
    elements: of arrays that broadcast, whose elements are converted to the parameters' types.

    Its results wait and are fused as those of lanewise's own functions. Raises ArgumentError for a
    text without such a function, CompileError.

    >>> mix = lw.vectorize("float mix(float a, float b, float t) { return a + t * (b - a); }")
    >>> mix(np.array([0.0, 2.0]), 10, 0.5)
    array([5., 6.], dtype=float32)
    """
    if not isinstance(source, str) or not (found := list(_FUNCTION.finditer(source))):
        raise ArgumentError(f"vectorize: got {source!r}; need the C text of a function, as "
                            "'float f(float x) { return x; }'")
    result, name, parameters = found[-1].groups()
    given = [p.strip() for p in parameters.split(",")]
    if not 1 <= len(given) <= _MOST or given[0] in ("", "void"):
        raise ArgumentError(f"vectorize: {name} has the parameters '{parameters}'; need 1 to "
                            f"{_MOST} scalars")
    names = [re.split(r"[\s*]", p)[-1] for p in given]
    codes = tuple(_code(p[:len(p) - len(n)], f"parameter '{n}'") for p, n in zip(given, names))
    out = _code(result, name)
    own = f"{name}_{hashlib.sha256(source.encode()).hexdigest()[:12]}"
    head = re.sub(rf"\b{name}\b", own, source)
    _check(name, own, head, codes, out)
    places = ", ".join(f"${k}" for k in range(len(codes)))
    row = (codes, out, f"{own}({places})", head)
    return make(name, len(codes), lambda code, arity: row, f"{name}, a function in C", _WEIGHT,
                tuple(names))


def _check(name: str, own: str, head: str, codes: tuple[int, ...], out: int) -> None:
    """A kernel that calls it: what is wrong is said now, at the lines of the text."""
    types = _dtypes.C_TYPES
    parameters = "".join(f", {types[code]} x{k}" for k, code in enumerate(codes))
    calls = ", ".join(f"x{k}" for k in range(len(codes)))
    _core.build(default_device(), name,
                f"#include <lanewise/kernel.h>\n#include <math.h>\n#line 1 \"{name}\"\n{head}\n"
                f"KERNEL void lw_probe({types[out]} *to{parameters})\n"
                f"{{\n    to[0] = {own}({calls});\n}}\n", (), (), False, False, None, False, 0,
                None)


__all__ = ["vectorize"]
