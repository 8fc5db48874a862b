"""Pictures in a page, live: where a page has a command

    lanewise picture fold.c 'f32[1]' 'f32[8]=iota' 'f32[8]=iota' -o fold.html

the site runs it, and shows the page that it writes below the command. Files that the command reads
are blocks of code of the same page whose first line is `// NAME.c`, as in tests/cli/docs.sh.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

COMMAND = re.compile(r"^    (lanewise picture .*-o ([\w-]+\.html).*)$")
FRAME = """
```{{raw}} html
<figure class="picture">
<iframe src="{path}" title="Picture: {name}" loading="lazy"></iframe>
<figcaption><a href="{path}">On a page of its own</a>. The arrow keys go through the steps.
</figcaption>
</figure>
```
"""


def files(lines: list[str]) -> dict[str, str]:
    """Blocks of C that have a name."""
    made: dict[str, str] = {}
    for block in re.findall(r"^```c\n// (\w+\.c)\n(.*?)^```", "\n".join(lines), re.M | re.S):
        made[block[0]] = block[1]
    return made


def draw(command: str, name: str, build: Path, sources: dict[str, str]) -> None:
    out = build / "docs-pictures" / "pictures"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for file, text in sources.items():
            (Path(folder) / file).write_text(text)
        environment = dict(os.environ, PATH=f"{build}:{os.environ['PATH']}")
        done = subprocess.run(command, shell=True, cwd=folder, env=environment, text=True,
                              stderr=subprocess.PIPE, check=False)
        page = Path(folder) / name
        if done.returncode not in (0, 1) or not page.exists():
            raise SystemExit(f"{command}\n{done.stderr}")
        (out / name).write_bytes(page.read_bytes())


def embed(text: str, build: Path, depth: int) -> str:
    lines, made, waiting = text.split("\n"), [], []
    for line in lines:
        if waiting and not line.startswith("    "):
            made += waiting
            waiting = []
        made.append(line)
        match = COMMAND.match(line)
        if match:
            command, name = match.groups()
            draw(re.sub(r"   +\S.*$", "", command), name, build, files(lines))
            path = "../" * depth + "pictures/" + name
            waiting += FRAME.format(path=path, name=name[:-5]).split("\n")
    return "\n".join(made + waiting)
