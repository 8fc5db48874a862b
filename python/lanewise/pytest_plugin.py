"""The plugin for pytest: tests whose launches run under the checker.

A test with the marker `lanewise_check` does so, and with the option `--lanewise-check` each test of
the suite. It fails with CheckError where something is found. The marker takes what `lw.check`
takes: `@pytest.mark.lanewise_check(strict=True, schedules=5)`.
"""
from __future__ import annotations

from typing import Any, Generator

import pytest

MARKER = "lanewise_check"
_reports = pytest.StashKey[dict[str, Any]]()  # lanewise.Report, by the test's name


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("lanewise").addoption(
        "--lanewise-check", action="store_true",
        help="run the launches of each test under Lanewise's checker")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_reports] = {}
    config.addinivalue_line(
        "markers", f"{MARKER}(strict=False, schedules=3): run the launches of the test under "
                   "Lanewise's checker; it fails where something is found")


def _checks(item: pytest.Item) -> dict[str, Any] | None:
    """What is to be given to lw.check; None: the test is not checked."""
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return {} if item.config.getoption("--lanewise-check") else None
    if marker.args or set(marker.kwargs) - {"strict", "schedules"}:
        raise pytest.UsageError(f"{item.nodeid}: {MARKER} takes strict= and schedules=, not "
                                f"{marker.args or sorted(marker.kwargs)}")
    return dict(marker.kwargs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    options = _checks(item)
    if options is None:
        return (yield)
    import lanewise as lw  # tests that launch nothing need not wait for it

    with lw.check(**options) as report:
        item.config.stash[_reports][item.nodeid] = report
        return (yield)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Which tests launched what was not checked: a pass says nothing about it."""
    reports = config.stash[_reports]
    if not reports:
        return
    verdicts = [r.verdict for r in reports.values()]
    terminalreporter.section("lanewise check")
    terminalreporter.write_line(", ".join(
        f"{verdicts.count(v)} {v}" for v in ("clean", "findings", "not checked")))
    for name, report in reports.items():
        if report.verdict == "not checked" and report.why != "no launch ran":
            terminalreporter.write_line(f"{name}: not checked: {report.why}")
