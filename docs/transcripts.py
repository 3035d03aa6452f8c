"""The console blocks of the pages written by hand: what they show is what their commands print.

`python -m docs.transcripts` runs them all and writes what they print into the pages; the tests compare.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.cli.conftest import PROGRAM, Program
from tests.cli.terminal import on_terminal

ROOT: Final = Path(__file__).resolve().parents[1]
_GENERATED: Final = {"commands", "rules"}
_KEPT: Final = re.compile(
    r"statetool: an\s+earlier\s+edit\s+kept\s+its\s+text\s+in\s+\S+;\s+delete\s+it\s+if\s+you\s+do\s+not\s+need\s+it\n"
)
_BLOCK: Final = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def sessions(page: str) -> list[tuple[str, str]]:
    """(command, output) pairs of all console blocks of a page, in order."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [pair for block in _BLOCK.findall(text) for pair in _commands(block)]


def pages() -> list[str]:
    """The pages with console blocks."""
    below = [path.relative_to(ROOT) for path in sorted((ROOT / "docs").rglob("*.md"))]
    by_hand = [path.as_posix() for path in below if path.parent.name not in _GENERATED]
    return [page for page in ["README.md", *by_hand] if sessions(page)]


def printed(command: str, folder: Path) -> str:
    """What a command prints on a terminal of 80 columns without colours, in a folder that has the samples."""
    path = os.pathsep.join((str(PROGRAM.parent), str(Path(sys.executable).parent), os.environ["PATH"]))
    # Text that an earlier edit kept in memory is this machine's.
    environment = {"PATH": path, "LC_ALL": "C.UTF-8"}
    text = on_terminal(Program(environment), f"cd '{folder}'; {command}", environment={"TERM": "dumb"}).text
    return _KEPT.sub("", text)


def with_samples(folder: Path) -> Path:
    """A folder, in which the samples now are."""
    shutil.copytree(ROOT / "samples", folder / "samples")
    return folder


def _commands(block: str) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def _rewrite(page: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = with_samples(Path(name))

        def run(block: re.Match[str]) -> str:
            return "".join(f"$ {command}\n{printed(command, folder)}" for command, _ in _commands(block[0]))

        path = ROOT / page
        path.write_text(_BLOCK.sub(run, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    for one in pages():
        _rewrite(one)
