"""What kernels print: lines in sys.stdout, whatever that is."""
from __future__ import annotations

import io
import sys
import threading
from typing import Any

import pytest

import lanewise as lw

SOURCE = r"""
#include <lanewise/kernel.h>
KERNEL void tell(int n)
{
    if (thread_idx.x < n)
        printf("thread %d", thread_idx.x);
}
KERNEL void often(void)
{
    for (int i = 0; i < 2; i++)
        printf("line %d", i);
    printf("a\nb\n\nc\n");
}
KERNEL void letters(void) { printf("\xc3\xa9 \xff"); }
KERNEL void much(void) { printf("%1023d", thread_idx.x); }
KERNEL void fail(void) { printf("before"); assert(thread_idx.x > 5); }
"""
FIRST = "[block 0,0,0 thread 0,0,0] "


@pytest.fixture(scope="module")
def prog() -> lw.Program:
    return lw.compile(SOURCE)


def test_each_call_of_printf_is_a_line(prog: lw.Program,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    prog.tell[1, 32](2)
    assert capsys.readouterr().out == f"{FIRST}thread 0\n[block 0,0,0 thread 1,0,0] thread 1\n"
    prog.often[2, 1]()
    lines = [FIRST + text for text in ("line 0", "line 1", "a", "b", "", "c")]
    lines += [line.replace("block 0", "block 1") for line in lines]
    assert capsys.readouterr().out.split("\n") == [*lines, ""]


def test_a_stream_prints_when_it_is_waited_for(prog: lw.Program,
                                               capsys: pytest.CaptureFixture[str]) -> None:
    s = lw.stream()
    for _ in range(2):
        prog.tell[1, 32, s](1)
    assert capsys.readouterr().out == ""
    s.wait()
    assert capsys.readouterr().out == f"{FIRST}thread 0\n" * 2


def test_a_graph_prints_where_it_runs(prog: lw.Program, capsys: pytest.CaptureFixture[str]) -> None:
    with lw.Graph(inputs={}) as g:
        prog.tell[1, 32, g.stream](1)
    model = g.compile()
    assert capsys.readouterr().out == ""
    model()
    assert capsys.readouterr().out == f"{FIRST}thread 0\n"


def test_a_failed_kernel_prints_and_fails(prog: lw.Program, capsys: pytest.CaptureFixture[str],
                                          monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(lw.LaunchError, match="thread_idx.x > 5"):
        prog.fail[1, 1]()
    assert capsys.readouterr().out == f"{FIRST}before\n"
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda u: told.append(type(u.exc_value)))
    monkeypatch.setattr(sys, "stdout", closed())
    with pytest.raises(lw.LaunchError, match="thread_idx.x > 5"):
        prog.fail[1, 1]()
    assert told == [ValueError]


def closed() -> io.StringIO:
    file = io.StringIO()
    file.close()
    return file


def test_other_files(prog: lw.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    prog.tell[1, 32](2)
    monkeypatch.setattr(sys, "stdout", closed())
    with pytest.raises(ValueError, match="closed file"):
        prog.tell[1, 32](2)
    monkeypatch.setattr(sys, "stdout", file := io.StringIO())
    thread = threading.Thread(target=lambda: prog.tell[1, 32](1))
    thread.start()
    thread.join()
    assert file.getvalue() == f"{FIRST}thread 0\n"


@pytest.mark.parametrize("encoding, text", [("utf-8", "\u00e9 \\xff"), ("latin-1", "\u00e9 \\xff"),
                                            ("ascii", "\\xe9 \\xff")])
def test_what_the_file_cannot_encode_is_escaped(prog: lw.Program, monkeypatch: pytest.MonkeyPatch,
                                                encoding: str, text: str) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding))
    prog.letters[1, 1]()
    sys.stdout.seek(0)
    assert sys.stdout.read() == f"{FIRST}{text}\n"


def test_what_did_not_fit_is_counted(prog: lw.Program, capsys: pytest.CaptureFixture[str]) -> None:
    prog.much[2, 1024]()
    told = capsys.readouterr()
    count = told.out.count("\n")
    assert 1000 <= count < 2048
    assert told.err == f"lanewise: {2048 - count} printed lines did not fit\n"
