"""The exceptions of Lanewise, by the library's statuses."""
from __future__ import annotations

import builtins
from typing import Any


class Error(Exception):
    """What goes wrong in Lanewise; the text is the library's, one line."""


class ArgumentError(Error, ValueError):
    """An argument, a size or a shape is wrong."""


class IndexError(ArgumentError, builtins.IndexError):
    """An index is out of range."""


class OverflowError(ArgumentError, builtins.OverflowError):
    """A number does not fit its dtype."""


class DtypeError(Error, TypeError):
    """An element type does not fit."""


class CompileError(Error):
    """A kernel does not compile. `diagnostics` has a dict for each message of the compiler."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.diagnostics: list[dict[str, Any]] = []


class DeviceError(Error):
    """The device is not there or cannot be used, or arrays are on two devices."""


class LaunchError(Error):
    """A launch failed."""


class TimeoutError(Error):
    """The time limit ran out."""


class UnsupportedError(Error, NotImplementedError):
    """This is not built yet or not possible here."""


class MemoryError(Error, builtins.MemoryError):
    """Out of memory."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class CheckError(Error):
    """The checker found something. `findings` has a dict for each."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.findings: list[dict[str, Any]] = []


class InternalError(Error):
    """A defect in Lanewise."""


# By -status.
BY_STATUS = (Error, ArgumentError, ArgumentError, DtypeError, CompileError, MemoryError,
             DeviceError, LaunchError, TimeoutError, UnsupportedError, CheckError, FileError,
             InternalError)

for _error in {*BY_STATUS, IndexError, OverflowError}:
    _error.__module__ = "lanewise"  # where people find them
