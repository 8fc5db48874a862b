"""Functions of elements, as the Python array API standard and NumPy name them, and the operators.

A row tells a function's C text for each dtype of its operands; $0, $1 and $2 stand for them. The
extension makes one kernel of a chain of them (python/src/waiting.c).
"""
from __future__ import annotations

import functools
import inspect
import re
from typing import Any, Callable, Sequence

import numpy as np

from . import _core, _dtypes
from ._array import Array, Recorded, asarray, full
from ._core import Stream
from ._errors import ArgumentError, DtypeError, OverflowError
from ._numbers import _KINDS, _kind, dtype_of, settled
from ._waiting import LETTERS, wait

_C = _dtypes.C_TYPES
_CODES = {name: code for code, name in enumerate(_dtypes.NAMES)}
_BOOL, _I8, _I64, _U64, _F64 = (_CODES[name] for name in ("bool", "i8", "i64", "u64", "f64"))
_SIGNED, _UNSIGNED = range(_I8, _I64 + 1), range(_CODES["u8"], _U64 + 1)
_FLOATS = range(_CODES["f16"], _F64 + 1)
_NUMBERS = (*_SIGNED, *_UNSIGNED, *_FLOATS)

Overload = tuple[tuple[int, ...], int, str, str | None] | None


def _bits(code: int) -> int:
    return 8 * _dtypes.DTYPES[code].itemsize


def _wrapping(code: int) -> str:
    """An unsigned type whose arithmetic wraps as that of the dtype."""
    return "uint64_t" if _bits(code) == 64 else "uint32_t"


def _float_of(code: int) -> int:
    """The floating dtype that NumPy computes an integer's square root in."""
    if code in _FLOATS:
        return code
    bits = 8 if code == _BOOL else _bits(code)
    return _CODES["f16"] if bits == 8 else _CODES["f32"] if bits == 16 else _F64


# ---- rows: what a function does for a dtype ----

Rule = Callable[[int, int], Overload]  # (dtype of the operands, their number)


def _same(text: str, codes: Sequence[int] = _NUMBERS, out: int | None = None,
          head: str | None = None) -> Rule:
    """For these dtypes; of text and head {t} is the C type, {u} one that wraps, {n} a name."""
    def rule(code: int, arity: int) -> Overload:
        if code not in codes:
            return None
        words = {"t": _C[code], "u": _wrapping(code), "n": _dtypes.NAMES[code],
                 "bits": _bits(code)}

        def fill(what: str) -> str:
            return re.sub(r"\{(\w+)\}", lambda m: str(words[m[1]]), what)
        return ((code,) * arity, code if out is None else out, fill(text),
                None if head is None else fill(head))
    return rule


def _either(*rules: Rule) -> Rule:
    """The first that has the dtype."""
    def rule(code: int, arity: int) -> Overload:
        return next((found for r in rules if (found := r(code, arity))), None)
    return rule


def _as(choose: Callable[[int], int], inner: Rule) -> Rule:
    """In another dtype, for those that the rule itself does not have."""
    def rule(code: int, arity: int) -> Overload:
        return inner(code, arity) or inner(choose(code), arity)
    return rule


def _floating(text: str, head: str | None = None) -> Rule:
    return _as(_float_of, _same(text, _FLOATS, head=head))


def _truth(text: str, codes: Sequence[int] = (*_NUMBERS, _BOOL)) -> Rule:
    return _same(text, codes, _BOOL)


_ints = (*_SIGNED, *_UNSIGNED)
_bool_as_i8 = lambda rule: _as(lambda code: _I8 if code == _BOOL else code, rule)  # noqa: E731

_FLOOR_DIVIDE = """static {t} floor_divide_{n}({t} a, {t} b)
{
    if (b == 0)
        return 0;
    {t} q = ({t})(a / b);
    return ({t})(q - (q * b != a && (a < 0) != (b < 0)));
}"""
_FLOOR_DIVIDE_SIGNED = """static {t} floor_divide_{n}({t} a, {t} b)
{
    if (b == 0)
        return 0;
    if (b == -1)
        return ({t})(0 - ({u})a);
    {t} q = ({t})(a / b);
    return ({t})(q - (q * b != a && (a < 0) != (b < 0)));
}"""
_FLOOR_DIVIDE_FLOAT = """static {t} floor_divide_{n}({t} a, {t} b)
{
    if (b == 0)
        return a / b;
    {t} rest = ({t})fmod(a, b), q = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0))
        q = q - ({t})1;
    if (q == 0)
        return ({t})copysign(({t})0, a / b);
    {t} whole = ({t})floor(q);
    return q - whole > ({t})0.5 ? whole + ({t})1 : whole;
}"""
_REMAINDER = """static {t} modulo_{n}({t} a, {t} b)
{
    if (b == 0)
        return 0;
    {t} rest = ({t})(a % b);
    return ({t})(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}"""
_REMAINDER_SIGNED = """static {t} modulo_{n}({t} a, {t} b)
{
    if (b == 0 || b == -1)
        return 0;
    {t} rest = ({t})(a % b);
    return ({t})(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
}"""
_REMAINDER_FLOAT = """static {t} modulo_{n}({t} a, {t} b)
{
    {t} rest = ({t})fmod(a, b);
    if (b == 0)
        return rest;
    if (rest == 0)
        return ({t})copysign(({t})0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}"""
_POWER = """static {t} power_{n}({t} a, {t} b)
{
    {u} result = 1, x = ({u})a;
    if (b < 0)
        return ({t})(a == 1 ? 1 : a == ({t})-1 ? (b & 1 ? a : 1) : 0);
    for (; b > 0; b = ({t})(b >> 1)) {
        if (b & 1)
            result *= x;
        x *= x;
    }
    return ({t})result;
}"""
_NEXT_AFTER = """static {t} next_after_{n}({t} x, {t} y)
{
    union { {t} f; {w} u; } at = { x };
    if (x != x || y != y)
        return x + y;
    if (x == y)
        return y;
    if (x == 0) {
        at.u = 1;
        return y < 0 ? -at.f : at.f;
    }
    at.u += (x < y) == (x > 0) ? 1 : -1;
    return at.f;
}"""
_LOG_ADD_EXP = """static {t} log_add_exp_{n}({t} x, {t} y)
{
    const {t} d = x - y;
    if (x == y)
        return x + ({t})0.693147180559945309417232121458;
    if (d != d)
        return d;
    return d > 0 ? x + ({t})log1p(exp(-d)) : y + ({t})log1p(exp(d));
}"""

_CLIP = """static {t} clip_{n}({t} x, {t} low, {t} high)
{
    if (x < low || low != low)
        x = low;
    return x > high || high != high ? high : x;
}"""


def _next_after(code: int, arity: int) -> Overload:
    word = "uint16_t" if _bits(code) == 16 else f"uint{_bits(code)}_t"
    head = _NEXT_AFTER.replace("{w}", word)
    return _same("next_after_{n}($0, $1)", _FLOATS, head=head)(code, arity)


def _compared(sign: str) -> Rule:
    return _truth(f"$0 {sign} $1")


def _extreme(sign: str, truth: str) -> Rule:
    return _either(_same(f"$0 {truth} $1", (_BOOL,)), _same(f"$0 {sign} $1 ? $0 : $1", _ints),
                   _same(f"$0 {sign}= $1 || $0 != $0 ? $0 : $1", _FLOATS))


_RULES: dict[str, tuple[int, Rule, str]] = {
    "add": (2, _either(_same("$0 | $1", (_BOOL,)), _same("({t})(({u})$0 + ({u})$1)", _ints),
                       _same("$0 + $1", _FLOATS)), "x + y"),
    "subtract": (2, _either(_same("({t})(({u})$0 - ({u})$1)", _ints), _same("$0 - $1", _FLOATS)),
                 "x - y; not of bool"),
    "multiply": (2, _either(_same("$0 & $1", (_BOOL,)), _same("({t})(({u})$0 * ({u})$1)", _ints),
                            _same("$0 * $1", _FLOATS)), "x * y"),
    "divide": (2, _as(lambda code: _F64, _same("$0 / $1", _FLOATS)),
               "x / y; of integers in float64"),
    "floor_divide": (2, _bool_as_i8(_either(
        _same("floor_divide_{n}($0, $1)", _UNSIGNED, head=_FLOOR_DIVIDE),
        _same("floor_divide_{n}($0, $1)", _SIGNED, head=_FLOOR_DIVIDE_SIGNED),
        _same("floor_divide_{n}($0, $1)", _FLOATS, head=_FLOOR_DIVIDE_FLOAT))),
        "x // y, rounded down; of integers by 0 it is 0"),
    "remainder": (2, _bool_as_i8(_either(
        _same("modulo_{n}($0, $1)", _UNSIGNED, head=_REMAINDER),
        _same("modulo_{n}($0, $1)", _SIGNED, head=_REMAINDER_SIGNED),
        _same("modulo_{n}($0, $1)", _FLOATS, head=_REMAINDER_FLOAT))),
        "x % y, with the sign of y; of integers by 0 it is 0"),
    "pow": (2, _bool_as_i8(_either(_same("power_{n}($0, $1)", _ints, head=_POWER),
                                   _same("pow($0, $1)", _FLOATS))),
            "x ** y; integers to a negative power are 0, but 1 and -1"),
    "bitwise_and": (2, _same("$0 & $1", (*_ints, _BOOL)), "x & y, of integers and bool"),
    "bitwise_or": (2, _same("$0 | $1", (*_ints, _BOOL)), "x | y, of integers and bool"),
    "bitwise_xor": (2, _same("$0 ^ $1", (*_ints, _BOOL)), "x ^ y, of integers and bool"),
    "bitwise_left_shift": (2, _bool_as_i8(_same(
        "(uint64_t)$1 < {bits} ? ({t})(({u})$0 << ($1 & ({bits} - 1))) : ({t})0", _ints)),
        "x << y; beyond the bits it is 0"),
    "bitwise_right_shift": (2, _bool_as_i8(_same(
        "(uint64_t)$1 < {bits} ? ({t})($0 >> ($1 & ({bits} - 1))) : ({t})($0 < 0 ? -1 : 0)",
        _ints)), "x >> y; beyond the bits it is 0, or -1 if x is negative"),
    "negative": (1, _either(_same("({t})(0 - ({u})$0)", _ints), _same("-$0", _FLOATS)),
                 "-x; not of bool"),
    "positive": (1, _same("$0"), "+x; not of bool"),
    "abs": (1, _either(_same("$0", (*_UNSIGNED, _BOOL)),
                       _same("$0 < 0 ? ({t})(0 - ({u})$0) : $0", _SIGNED),
                       _same("fabs($0)", _FLOATS)), "the absolute value"),
    "bitwise_invert": (1, _either(_same("!$0", (_BOOL,)), _same("({t})~$0", _ints)),
                       "~x, of integers and bool"),
    "less": (2, _compared("<"), "x < y, as bool"),
    "less_equal": (2, _compared("<="), "x <= y, as bool"),
    "equal": (2, _compared("=="), "x == y, as bool"),
    "not_equal": (2, _compared("!="), "x != y, as bool"),
    "greater": (2, _compared(">"), "x > y, as bool"),
    "greater_equal": (2, _compared(">="), "x >= y, as bool"),
    "logical_and": (2, _truth("$0 != 0 && $1 != 0"), "True where both are not 0"),
    "logical_or": (2, _truth("$0 != 0 || $1 != 0"), "True where one is not 0"),
    "logical_xor": (2, _truth("($0 != 0) != ($1 != 0)"), "True where just one is not 0"),
    "logical_not": (1, _truth("$0 == 0"), "True where it is 0"),
    "maximum": (2, _extreme(">", "|"), "the larger; a NaN wins"),
    "minimum": (2, _extreme("<", "&"), "the smaller; a NaN wins"),
    "sign": (1, _either(_same("$0 != 0", _UNSIGNED), _same("($0 > 0) - ($0 < 0)", _SIGNED),
                        _same("$0 > 0 ? ({t})1 : $0 < 0 ? ({t})-1 : $0 == 0 ? ({t})0 : $0",
                              _FLOATS)), "-1, 0 or 1; of a NaN NaN"),
    "square": (1, _either(_same("$0", (_BOOL,)), _same("({t})(({u})$0 * ({u})$0)", _ints),
                          _same("$0 * $0", _FLOATS)), "x * x"),
    "reciprocal": (1, _either(_same("({t})1 / $0", _FLOATS), _bool_as_i8(_same(
        "({t})($0 == 1 ? 1 : $0 == ({t})-1 ? $0 : 0)", _ints))), "1 / x; of integers rounded to 0"),
    "isnan": (1, _truth("$0 != $0"), "True where it is a NaN"),
    "isinf": (1, _either(_truth("fabs($0) == INFINITY", _FLOATS), _truth("$0 != $0")),
              "True where it is infinite"),
    "isfinite": (1, _either(_truth("fabs($0) < INFINITY", _FLOATS), _truth("$0 == $0")),
                 "True where it is finite"),
    "signbit": (1, _either(_truth("copysign(1.0f, (float)$0) < 0", [c for c in _FLOATS
                                                                   if c != _F64]),
                           _truth("copysign(1.0, $0) < 0", (_F64,)), _truth("$0 < 0")),
                "True where the sign is negative, also of -0.0"),
    "floor": (1, _either(_same("floor($0)", _FLOATS), _same("$0", (*_ints, _BOOL))),
              "the next integer below"),
    "ceil": (1, _either(_same("ceil($0)", _FLOATS), _same("$0", (*_ints, _BOOL))),
             "the next integer above"),
    "trunc": (1, _either(_same("trunc($0)", _FLOATS), _same("$0", (*_ints, _BOOL))),
              "the next integer toward 0"),
    "round": (1, _either(_same("rint($0)", _FLOATS), _same("$0", (*_ints, _BOOL))),
              "the nearest integer, of two the even one"),
    "copysign": (2, _floating("copysign($0, $1)"), "x with the sign of y"),
    "nextafter": (2, _as(_float_of, _next_after), "the next number after x toward y"),
    "hypot": (2, _floating("hypot($0, $1)"), "sqrt(x * x + y * y)"),
    "atan2": (2, _floating("atan2($0, $1)"), "the angle of the point (y, x), -pi to pi"),
    "logaddexp": (2, _floating("log_add_exp_{n}($0, $1)", _LOG_ADD_EXP), "log(exp(x) + exp(y))"),
    "where": (3, _same("$0 ? $1 : $2", (*_NUMBERS, _BOOL)), "x where the condition is set, else y"),
    "clip": (3, _same("clip_{n}($0, $1, $2)", (*_NUMBERS, _BOOL), head=_CLIP),
             "x, but not below low, nor above high"),
}
for _name, _told in (
        ("sqrt", "the square root"), ("exp", "e ** x"), ("exp2", "2 ** x"), ("expm1", "e ** x - 1"),
        ("log", "the natural logarithm"), ("log2", "the logarithm to base 2"),
        ("log10", "the logarithm to base 10"), ("log1p", "log(1 + x)"), ("sin", "the sine"),
        ("cos", "the cosine"), ("tan", "the tangent"), ("asin", "the arc sine"),
        ("acos", "the arc cosine"), ("atan", "the arc tangent"), ("sinh", "the hyperbolic sine"),
        ("cosh", "the hyperbolic cosine"), ("tanh", "the hyperbolic tangent"),
        ("asinh", "the inverse of sinh"), ("acosh", "the inverse of cosh"),
        ("atanh", "the inverse of tanh"), ("cbrt", "the cube root"), ("erf", "the error function"),
        ("rsqrt", "1 / sqrt(x)")):
    _RULES[_name] = (1, _floating(f"{_name}($0)"), _told)

# What a function adds to the length of a chain, of at most 32: as the time to compile it.
_WEIGHTS = {name: 2 for name in _RULES if name in
            ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "tanh", "erf", "cbrt", "asin",
             "acos", "atan")}
_WEIGHTS.update({name: 4 for name in ("pow", "sinh", "cosh", "asinh", "acosh", "atanh", "atan2",
                                      "hypot", "logaddexp", "remainder", "floor_divide")})
_WEIGHTS.update(sin=8, cos=8, tan=8)

_OPERATORS = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder", "pow",
              "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
              "bitwise_right_shift", "negative", "positive", "abs", "bitwise_invert", "less",
              "less_equal", "equal", "not_equal", "greater", "greater_equal")
COMPARISONS = {"less", "less_equal", "equal", "not_equal", "greater", "greater_equal"}


# ---- calls that the extension leaves to Python ----

def _is_number(x: Any) -> bool:
    return type(x) in _KINDS


def _beside_arrays(args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The operands as Arrays and numbers, if there is an Array among them and no tensor of a
    graph."""
    device = next((x.device for x in args if isinstance(x, Array)), None)
    if device is None or any(isinstance(x, Recorded) for x in args):
        return None
    return tuple(x if isinstance(x, Array) or _is_number(x) else asarray(x, device=device)
                 for x in args)


def _within(name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands, all of whose numbers their dtype holds; else OverflowError. But in comparisons
    an int that is beyond it is infinite."""
    try:
        settled(args)
    except OverflowError:
        if name not in COMPARISONS:
            raise
        return tuple((float("inf") if x > 0 else -float("inf")) if type(x) is int else x
                     for x in args)
    return args


class _Function:
    """A function of elements of what is no Array, or with out= or stream=."""

    def __init__(self, name: str, arity: int, first: int, weight: int,
                 overloads: tuple[Overload, ...]) -> None:
        self.name, self.arity, self.first, self.overloads = name, arity, first, overloads
        self.weight = weight
        self.elementwise: Any = None

    def overload(self, args: tuple[Any, ...]) -> tuple[tuple[int, ...], int, str, str | None]:
        code, *rest = (_dtypes.dtype_code(dtype_of(x)) for x in args[self.first:])
        for other in rest:
            code = _PROMOTED[code][other]
        found = self.overloads[code]
        if found is None:
            raise DtypeError(f"{self.name}: it does not take {_dtypes.TITLES[code]}")
        return found

    def _within(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return args[:self.first] + _within(self.name, args[self.first:])

    def __call__(self, *args: Any, out: Any = None, stream: Stream | None = None) -> Any:
        if len(args) != self.arity:
            raise TypeError(f"{self.name}: got {len(args)} operands; need {self.arity}")
        if out is None and stream is None:
            arrays = _beside_arrays(args)
            if arrays is not None:
                return self.elementwise(*self._within(arrays))
        given = self._within(args)
        given = given[:self.first] + settled(given[self.first:])
        graph = next((x._graph for x in args if isinstance(x, Recorded)), None)  # type: ignore
        if graph is not None and out is None and stream is None and _core.fusion(None):
            given = tuple(x if isinstance(x, (Array, Recorded)) else asarray(x).numpy()
                          for x in given)
            return wait(graph, self.overload(given), self.weight, given)
        codes, result, text, head = self.overload(given)
        expression = re.sub(r"\$(\d)", lambda m: f"(({_C[codes[int(m[1])]]}){LETTERS[int(m[1])]})",
                            text)
        if out is not None:
            self._check_out(out, result)
        words = {"expression": f"({_C[result]})({expression})", "head": head,
                 "dtype": _dtypes.NAMES[result] if out is None else None}
        return _core.operate("map", words, given, out, stream)

    def _check_out(self, out: Any, result: int) -> None:
        code = _dtypes.dtype_code(out.dtype) if hasattr(out, "dtype") else result
        if _kind(result) > _kind(code):
            raise DtypeError(f"{self.name}: the result is {_dtypes.TITLES[result]} and out is of "
                             f"{_dtypes.TITLES[code]}; need an out of its kind")


_UFUNCS = {"power": "pow", "absolute": "abs", "invert": "bitwise_invert",
           "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift",
           "true_divide": "divide"}


def of_ufunc(name: str) -> Any:
    """The operator that NumPy's function of that name stands for; or None."""
    ours = _UFUNCS.get(name, name)
    return _FUNCTIONS[ours] if ours in _OPERATORS else None


def _has_values(x: Any) -> bool:
    """True if it is an array, or what asarray takes for one. Raises for a buffer that is wrong."""
    if isinstance(x, (Array, Recorded, np.ndarray, np.generic, list, tuple)) or _is_number(x) or \
            hasattr(x, "__dlpack__") or hasattr(x, "__cuda_array_interface__"):
        return True
    _core.check_buffer(x)
    try:
        memoryview(x)
    except TypeError:
        return False
    return True


def operate(function: Any, operands: tuple[Any, ...]) -> Any:
    """An operator on an Array, or a tensor of a graph, and something else."""
    arrays = [x for x in operands if isinstance(x, Array)]
    if not all(map(_has_values, operands)):
        if function.__name__ in ("equal", "not_equal") and arrays:  # no value is equal to it
            truth = function.__name__ == "not_equal"
            return full(arrays[0].shape, truth, dtype="?", device=arrays[0].device)
        return NotImplemented
    if len(arrays) == 2 and function.__name__ in COMPARISONS:
        return function(arrays[0], arrays[1].to(arrays[0].device))
    return function.other(*operands)


_PROMOTED = [[_dtypes.promoted(a, b) for b in range(len(_C))] for a in range(len(_C))]


def make(name: str, arity: int, rule: Rule, told: str, weight: int,
         operands: tuple[str, ...], first: int = 0) -> Any:
    """A function of elements; first: the operand from which on dtypes are promoted, bool before."""
    overloads: list[Overload] = []
    for code in range(len(_C)):
        found = rule(code, arity)
        if found is not None and first:
            found = ((_BOOL,) * first + found[0][first:], *found[1:])
        overloads.append(found)
    other = _Function(name, arity, first, weight, tuple(overloads))
    made = _core.elementwise(name, arity, first, tuple(overloads), other, weight)
    other.elementwise = made
    made.__name__ = made.__qualname__ = name
    made.__module__ = __name__
    made.other = other
    made.__signature__ = inspect.Signature(
        [inspect.Parameter(x, inspect.Parameter.POSITIONAL_ONLY) for x in operands] +
        [inspect.Parameter(x, inspect.Parameter.KEYWORD_ONLY, default=None)
         for x in ("out", "stream")])
    made.__doc__ = f"Of each element: {told}. The operands broadcast."
    return made


def _ready_made(name: str, arity: int, rule: Rule, told: str) -> Any:
    is_where = name == "where"
    operands = ("condition", "x", "y") if is_where else ("x", "y") if arity < 3 else \
        ("x", "low", "high")
    return make(name, arity, rule, told, _WEIGHTS.get(name, 1), operands[:arity], int(is_where))


@functools.cache
def cast(code: int) -> Any:
    """The function that rounds elements to a dtype."""
    return make(f"astype_{_dtypes.NAMES[code]}", 1,
                lambda given, arity: ((given,), code, "$0", None),
                f"the value as {_dtypes.TITLES[code]}", 1, ("x",))


_FUNCTIONS = {name: _ready_made(name, *row) for name, row in _RULES.items()}
globals().update(_FUNCTIONS)


# Python's names of the operators' methods, without underscores.
OPERATORS = dict(zip(
    ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift",
     "rshift", "neg", "pos", "abs", "invert", "lt", "le", "eq", "ne", "gt", "ge"),
    (_FUNCTIONS[name] for name in _OPERATORS)))


def clip(x: Any, /, min: Any = None, max: Any = None, *, out: Any = None,
         stream: Stream | None = None) -> Any:
    """x, but not below min, nor above max; either may be None. A NaN stays one.

    >>> lw.clip(np.array([1, 5, 9]), 2, 6)
    array([2, 5, 6])
    """
    words = {key: value for key, value in (("out", out), ("stream", stream)) if value is not None}
    if min is None and max is None:
        return _FUNCTIONS["positive"](x, **words)
    if min is None:
        return _FUNCTIONS["minimum"](x, max, **words)
    if max is None:
        return _FUNCTIONS["maximum"](x, min, **words)
    return _FUNCTIONS["clip"](x, min, max, **words)


class fusion:
    """fusion(False): results of operators and functions of elements are computed at once; True:
    they may wait until they are read, so that a chain is one kernel. In `with` for a while.

    >>> with lw.fusion(False):
    ...     x = lw.zeros(3) + 1
    >>> x.numpy()
    array([1., 1., 1.], dtype=float32)
    """

    def __init__(self, waits: bool) -> None:
        self._before = _core.fusion(waits)

    def __enter__(self) -> "fusion":
        return self

    def __exit__(self, *exc: Any) -> None:
        _core.fusion(self._before)


def matmul(x: Any, y: Any, /) -> Any:
    """The operator @: lanewise.matmul in the operands' common dtype."""
    from ._operations import matmul
    dtype = _dtypes.DTYPES[_PROMOTED[_dtypes.dtype_code(dtype_of(x))][
        _dtypes.dtype_code(dtype_of(y))]]
    return matmul.__wrapped__(x, y, dtype=dtype)  # type: ignore[attr-defined]


def setup() -> None:
    """Give Array its operators."""
    table = bytes(code for row in _PROMOTED for code in row)
    _core.operators(tuple(_FUNCTIONS[name] for name in _OPERATORS), table, operate,
                    _core.function(matmul))


__all__ = sorted({*_FUNCTIONS, "clip", "fusion"})
