"""Pictures: what the threads of a block did, step by step."""
from __future__ import annotations

import html
import json
import os
from typing import Any, Sequence

from . import _core
from ._core import Device, Kernel, Stream
from ._errors import ArgumentError

_FORMATS = {".json": 0, ".html": 1, ".svg": 2}


def _written(stream: Stream, format: int) -> str:
    file = os.memfd_create("picture")
    try:
        stream._picture_write(format, f"/proc/self/fd/{file}")
        with open(file, encoding="utf-8", closefd=False) as f:
            return f.read()
    finally:
        os.close(file)


class Picture:
    """What a block's threads did: html is a page, svg a drawing of all steps, recording the data of
    docs/picture.md. A notebook shows the page. Made by picture.
    """

    def __init__(self, stream: Stream) -> None:
        self._texts = {end: _written(stream, number) for end, number in _FORMATS.items()}
        self.recording: dict[str, Any] = json.loads(self._texts[".json"])

    @property
    def html(self) -> str:
        return self._texts[".html"]

    @property
    def svg(self) -> str:
        return self._texts[".svg"]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file: its name ends in .html, .svg or .json. A failure leaves no half of it."""
        name = os.fspath(path)
        text = self._texts.get(os.path.splitext(name)[1])
        if text is None:
            raise ArgumentError(f"'{name}' ends neither in .html nor in .svg or .json")
        try:
            with open(name, "w", encoding="utf-8") as f:
                f.write(text)
        except OSError:
            if os.path.isfile(name) and not os.path.islink(name):
                os.unlink(name)
            raise

    def __repr__(self) -> str:
        r = self.recording
        where, count = tuple(r["at"]), len(r["steps"])
        return f"<lanewise.Picture of {r['kernel']}: block {where}, {count} steps>"

    def _repr_html_(self) -> str:
        return (f'<iframe title="{html.escape(repr(self))}" '
                'style="width:100%;height:720px;border:0" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')


def picture(kernel: Kernel, grid: Any, block: Any, args: Sequence[Any], *, at: Any = (0, 0, 0),
            steps: int = 100, traces: Sequence[str] = (), check: bool = False,
            shared: int = 0) -> Picture:
    """Launch a kernel on "ref", with check on "check", and draw what the threads of a block did.

    grid, block, args and shared are those of a launch; at is the block in the grid, steps the most
    steps, traces the names of trace() that are shown, () all. The arrays are written as by a
    launch. Raises ArgumentError, and what the launch raises.

    >>> prog = lw.compile('''
    ... #include <lanewise/kernel.h>
    ... KERNEL void turn(float *x)
    ... {
    ...     x[thread_idx.x] = shuffle_xor(x[thread_idx.x], 1);
    ... }''')
    >>> lw.picture(prog.turn, 1, 4, [np.arange(4, dtype='f4')])
    <lanewise.Picture of turn: block (0, 0, 0), 2 steps>
    """
    if not isinstance(kernel, Kernel):
        raise ArgumentError(f"kernel is {type(kernel).__name__}; need a kernel of lw.compile")
    device = Device("check" if check else "ref")
    program = kernel._build(device, picture=True)
    drawn = Kernel(kernel.name, lambda _: program, device)
    stream = Stream(device)
    index = (at,) if isinstance(at, int) else tuple(at)
    stream._picture_begin(tuple(index) + (0,) * (3 - len(index)), steps, tuple(traces),
                          kernel._build.text)
    drawn.launch(grid=grid, block=block, args=args, shared=shared, stream=stream)
    stream.wait()
    return Picture(stream)
