"""What the contract names and is not built yet: each says so when it is used."""
from __future__ import annotations

from typing import Any, Callable

from ._errors import UnsupportedError


def check(fn: Callable[..., Any] | None = None, *, strict: bool = False,
          schedules: int = 3) -> Any:
    """Launches under the checker. Not built yet."""
    raise UnsupportedError("check is not built yet")
