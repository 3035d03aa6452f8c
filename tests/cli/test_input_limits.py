"""Files beside states: large ones, and those that have no end, are refused at once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.cli.conftest import Statetool

_STATE: Final = {
    "version": 4, "terraform_version": "1.11.0", "serial": 1, "lineage": "a", "outputs": {}, "resources": [],
}  # fmt: skip
# The name of a file stands for FILE.
_COMMANDS: Final = (
    ("plan", "FILE"),
    ("apply", "FILE", "--yes"),
    ("repair", "--state", "a.tfstate", "--decisions", "FILE"),
    ("check", "a.tfstate", "--settings", "FILE"),
    ("check", "a.tfstate", "--baseline", "FILE"),
    ("check", "a.tfstate", "--schemas", "FILE"),
    ("check", "a.tfstate", "--encryption", "FILE"),
    ("moves", "FILE"),
)
_STATE_COMMANDS: Final = (
    ("list", "--state", "FILE"),
    ("show", "--state", "FILE"),
    ("check", "FILE"),
    ("fmt", "--check", "FILE"),
    ("salvage", "--state", "FILE"),
    ("diff", "a.tfstate", "FILE"),
    ("diff", "FILE", "a.tfstate"),
    ("report", "FILE", "-o", "report.html"),
    ("repair", "--state", "FILE"),
    ("mv", "--state", "FILE", "t.a", "t.b"),
    ("copy", "FILE", "b.tfstate"),
)


def _sparse(start: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.write(start)
            file.truncate(2 << 30)

    return make


_FILES: Final[dict[str, Callable[[Path], None]]] = {
    "zeros": _sparse(b""),
    "a brace": _sparse(b"{"),
    "text": _sparse(b"move"),
    "no end": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.fixture(autouse=True)
def state(folder: Path) -> None:
    """A small state beside the file."""
    (folder / "a.tfstate").write_text(json.dumps(_STATE))


@pytest.mark.parametrize("content", _FILES)
@pytest.mark.parametrize("command", [*_COMMANDS, *_STATE_COMMANDS], ids=" ".join)
def test_refused_at_once(command: tuple[str, ...], content: str, folder: Path, statetool: Statetool) -> None:
    """By the size, or by what was ever written: nothing of 2 GB is read, so that no limit of time is needed."""
    _FILES[content](folder / "FILE")
    before = set(folder.iterdir())
    outcome = statetool(*command)
    assert outcome.status == 2
    assert "FILE: " in outcome.err
    assert "memory" not in outcome.err
    assert "Traceback" not in outcome.err
    assert set(folder.iterdir()) == before


def test_a_saved_query_is_small(folder: Path, statetool: Statetool) -> None:
    pytest.importorskip("duckdb")
    (folder / "queries").mkdir()
    _sparse(b"SELECT")(folder / "queries" / "mine.sql")
    outcome = statetool("fleet", "query", "--saved", "mine", "--queries", "queries")
    assert outcome.status == 2
    assert "mine.sql: it has 2,147,483,648 bytes; the limit is 1,048,576 bytes" in outcome.err
