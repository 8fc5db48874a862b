"""Whether a C expression is a truth value: C gives int for it, NumPy bool.

Truth values are comparisons, !, && and ||, casts to bool, the classifying functions of math.h,
true and false, parameters of type bool, and what stands in parentheses, ?: with such branches, and
& | ^ with such operands.
"""
from __future__ import annotations

import re
from typing import Collection, Sequence

_TOKEN = re.compile(r"\s+|/\*.*?\*/|//[^\n]*|(?P<token>"
                    r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|'[^']*'|"
                    r"<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||->|\+\+|--|[-+*/%&|^]=|.)", re.S)
_CALLS = {"isnan", "isinf", "isfinite", "isnormal", "signbit", "isgreater", "isgreaterequal",
          "isless", "islessequal", "islessgreater", "isunordered"}
_COMPARISONS = {"<", ">", "<=", ">=", "==", "!="}
_OTHERS = {"+", "-", "*", "/", "%", "<<", ">>", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
           "^=", "<<=", ">>="}
_TYPE = re.compile(r"u?int\d+_t|size_t|ptrdiff_t|_Float16|__bf16|const|"
                   r"float|double|char|short|int|long|signed|unsigned|bool|_Bool")


def _without_casts(tokens: list[str]) -> list[str]:
    """Each cast as an operator with one operand: ! for those to bool, as they give truth values."""
    kept: list[str] = []
    k = 0
    while k < len(tokens):
        end = tokens.index(")", k) if tokens[k] == "(" and ")" in tokens[k:] else k
        words = tokens[k + 1:end]
        is_cast = bool(words) and all(_TYPE.fullmatch(w) for w in words) and \
            not (kept and re.match(r"\w", kept[-1]))
        kept.append(("!" if words[-1] in ("bool", "_Bool") else "~") if is_cast else tokens[k])
        k = end + 1 if is_cast else k + 1
    return kept


def _depths(tokens: Sequence[str]) -> list[int]:
    """Of each token; a bracket has that of what it stands in."""
    depths, depth = [], 0
    for token in tokens:
        depth -= token in (")", "]", "}")
        depths.append(depth)
        depth += token in ("(", "[", "{")
    return depths


def _operators(tokens: Sequence[str]) -> dict[int, str]:
    """The operators with two operands that stand in no brackets, and ? : and commas."""
    found = {}
    for k, (token, depth) in enumerate(zip(tokens, _depths(tokens))):
        has_left = k > 0 and (re.match(r"[\w.']", tokens[k - 1]) or tokens[k - 1] in ")]")
        if depth == 0 and has_left and not re.match(r"[\w.'()\[\]~]|!$", token):
            found[k] = token
    return found


def _split(tokens: Sequence[str], places: Sequence[int]) -> list[Sequence[str]]:
    return [tokens[a + 1:b] for a, b in zip([-1, *places], [*places, len(tokens)])]


def _branches(tokens: Sequence[str], operators: dict[int, str]) -> list[Sequence[str]]:
    """Those of the first ?, which may have further ones in them."""
    first, depth = next(k for k, token in operators.items() if token == "?"), 0
    for k, token in enumerate(tokens[first + 1:], first + 1):
        depth += {"?": 1, ":": -1}.get(token, 0)
        if depth < 0:
            return [tokens[first + 1:k], tokens[k + 1:]]
    return []


def _is_truth(tokens: Sequence[str], bools: Collection[str]) -> bool:
    operators = _operators(tokens)
    words = set(operators.values())

    def places(*of: str) -> list[int]:
        return [k for k, token in operators.items() if token in of]

    if not tokens:
        return False
    if "," in words:
        return _is_truth(_split(tokens, places(","))[-1], bools)
    if "?" in words:
        branches = _branches(tokens, operators)
        return bool(branches) and all(_is_truth(b, bools) for b in branches)
    if words & {"&&", "||"}:
        return True
    if words & {"&", "|", "^"}:
        return all(_is_truth(part, bools) for part in _split(tokens, places("&", "|", "^")))
    if words & _COMPARISONS:
        return True
    if words & _OTHERS:
        return False
    if tokens[0] == "(" and 0 not in _depths(tokens)[1:-1]:
        return _is_truth(tokens[1:-1], bools)
    return tokens[0] == "!" or (len(tokens) == 1 and tokens[0] in bools) or \
        (tokens[0] in _CALLS and len(tokens) > 1 and tokens[1] == "(")


def is_truth(expression: str, bools: Collection[str]) -> bool:
    """True if the expression, which compiles, is a truth value; bools are parameters of type bool.

    >>> is_truth("a > 0 && !b", ()), is_truth("(a > 0) + 1", ()), is_truth("a & (b > 1)", "a")
    (True, False, True)
    """
    tokens = [m["token"] for m in _TOKEN.finditer(expression) if m["token"]]
    return _is_truth(_without_casts(tokens), {"true", "false", *bools})
