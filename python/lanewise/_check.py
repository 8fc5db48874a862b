"""Launches under the checker."""
from __future__ import annotations

import functools
import json
import os
from types import TracebackType
from typing import Any, Callable, Literal

from . import _core
from ._core import Stream
from ._errors import ArgumentError, CheckError

_JSON, _SARIF = 1, 2
_IDLE = "no launch ran"


def _written(stream: Stream, format: int) -> Any:
    """What the library writes of a stream, in a format of JSON."""
    file = os.memfd_create("findings")
    try:
        stream._findings(format, f"/proc/self/fd/{file}")
        with open(file, "rb", closefd=False) as f:
            return json.loads(f.read())
    finally:
        os.close(file)


def findings_of(stream: Stream) -> list[dict[str, Any]]:
    """What the launches of a stream have found so far."""
    found: list[dict[str, Any]] = _written(stream, _JSON)["findings"]
    return found


class Report:
    """What the checker found in the launches of a `with lw.check()`, once that has ended.

    findings has a dict for each, with the fields of `lanewise check --json`; suppressed those that
    a comment in the source allows. verdict is "clean", "findings" or "not checked", why one line
    for people, unchecked what did not run under the checker.
    """

    def __init__(self) -> None:
        self.findings: list[dict[str, Any]] = []
        self.suppressed: list[dict[str, Any]] = []
        self.verdict: Literal["clean", "findings", "not checked"] = "not checked"
        self.why = "the check has not ended"
        self.unchecked: list[str] = []
        self._sarif: dict[str, Any] | None = None

    def sarif(self) -> dict[str, Any]:
        """The findings as a log of SARIF 2.1.0, for json.dump. Raises ArgumentError before the
        check has ended.

        >>> with lw.check() as report:
        ...     pass
        >>> report.sarif()["version"]
        '2.1.0'
        """
        if self._sarif is None:
            raise ArgumentError("the check has not ended")
        return self._sarif

    def __repr__(self) -> str:
        return f"<lanewise.Report {self.verdict}: {self.why}>"

    def _fill(self, streams: list[Stream], unchecked: list[str]) -> None:
        logs = [_written(stream, _SARIF) for stream in streams]
        self._sarif = {**logs[0], "runs": [run for log in logs for run in log["runs"]]}
        self.unchecked = list(dict.fromkeys(unchecked))
        # Behind a stream that has failed there is a new one, perhaps without a launch.
        results = [_written(stream, _JSON) for stream in streams]
        ran = [r for r in results if r["why"] != _IDLE] or ([] if unchecked else results[:1])
        self.findings = [f for r in ran for f in r["findings"]]
        self.suppressed = [f for r in ran for f in r["suppressed"]]
        rows = [(r["verdict"], r["why"]) for r in ran]
        rows += [("not checked", what) for what in self.unchecked]
        for verdict in ("findings", "not checked", "clean"):
            why = [text for v, text in rows if v == verdict]
            if why:
                self.verdict, self.why = verdict, "; ".join(why)
                return

    def _raise(self) -> None:
        lines = [f"{f['file']}:{f['line']}:{f['column']}: {f['class']}: {f['message']}"
                 for f in self.findings if not f["warning"]]
        count = f"{len(lines)} finding{'s' if len(lines) > 1 else ''}: "
        error = CheckError(count + "\n".join(lines))
        error.findings = self.findings
        raise error


class _Check:
    """A context manager, which decorates functions too."""

    def __init__(self, strict: bool, schedules: int) -> None:
        self._strict, self._schedules = strict, schedules
        self._reports: list[Report] = []

    def __enter__(self) -> Report:
        _core.check_begin(self._schedules, self._strict)
        self._reports.append(Report())
        return self._reports[-1]

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        report = self._reports.pop()
        report._fill(*_core.check_end())
        if error is None and report.verdict == "findings":
            report._raise()

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def checked(*args: Any, **kwargs: Any) -> Any:
            with _Check(self._strict, self._schedules):
                return fn(*args, **kwargs)
        return checked


def check(fn: Callable[..., Any] | None = None, *, strict: bool = False,
          schedules: int = 3) -> Any:
    """Run launches under the checker: a context manager, or with fn a function that does.

    Each own kernel, ready-made operation and model of a graph on "cpu" or "ref" inside, of any
    thread, runs on "check" instead, and has ended when its call returns. At the end CheckError
    tells what was found; its `findings` has a dict for each. The context manager gives a Report.
    schedules is the number of orders in which each launch runs; strict makes errors of warnings.
    What is on a GPU runs as ever, and the verdict is then "not checked". Raises ArgumentError,
    DeviceError.

    >>> prog = lw.compile('''
    ... #include <lanewise/kernel.h>
    ... KERNEL void count(int *n) { *n += 1; }''')
    >>> with lw.check() as report:
    ...     prog.count[1, 1](np.zeros(1, 'i4'))
    >>> report.verdict
    'clean'
    >>> try:
    ...     lw.check(prog.count[1, 2])(np.zeros(1, 'i4'))
    ... except lw.CheckError as error:
    ...     print([(f["class"], f["line"]) for f in error.findings])
    [('race-warp', 3)]
    """
    if isinstance(schedules, bool) or not isinstance(schedules, int) or schedules < 1:
        raise ArgumentError(f"schedules is {schedules!r}; need a whole number from 1 on")
    if fn is not None and not callable(fn):
        raise ArgumentError(f"fn is {fn!r}; need a function")
    made = _Check(bool(strict), min(schedules, 2**31 - 1))
    return made if fn is None else made(fn)
