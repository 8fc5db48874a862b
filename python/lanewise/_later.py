"""What the contract names and is not built yet: each says so when it is used."""
from __future__ import annotations

from typing import Any, Callable, NoReturn

from ._errors import UnsupportedError


def _refuse(name: str) -> NoReturn:
    raise UnsupportedError(f"{name} is not built yet")


class Graph:
    """Recorded operations and kernels. Not built yet."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse("Graph")


def check(fn: Callable[..., Any] | None = None, **kwargs: Any) -> Any:
    """Launches under the checker. Not built yet."""
    _refuse("check")
