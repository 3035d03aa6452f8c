"""States side by side with what OpenTofu writes for them."""

from __future__ import annotations

import statefmt
from tests.golden.cases import FOLDER, PAIRS, recorded
from tests.tables import each_row


def _read(name: str, end: str) -> bytes:
    return (FOLDER / f"{name}.{end}.tfstate").read_bytes()


@each_row("name", PAIRS)
def test_canonical_form(name: str) -> None:
    assert statefmt.write(statefmt.read(_read(name, "in")).snapshot) == _read(name, "out")


@each_row("name", PAIRS)
def test_canonical_form_stays(name: str) -> None:
    assert statefmt.write(statefmt.read(_read(name, "out")).snapshot) == _read(name, "out")


@each_row("name", PAIRS)
def test_files_are_the_recording(name: str) -> None:
    """If not: `python -m tests.golden.cases` writes them anew."""
    assert (_read(name, "in"), _read(name, "out")) == recorded(name)


def test_no_file_without_a_case() -> None:
    assert {path.name for path in FOLDER.glob("*.tfstate")} == {
        f"{name}.{end}.tfstate" for name in PAIRS for end in ("in", "out")
    }
