"""The generated pages say what the program says."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.generate import DOCS, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], "run: make docs"


@pytest.mark.parametrize("folder", ["rules", "commands", "format"])
def test_no_page_is_left_over(folder: str) -> None:
    assert {f"{folder}/{path.name}" for path in (DOCS / folder).glob("*.md")} == {
        name for name in PAGES if name.startswith(folder)
    }


@pytest.mark.parametrize("path", sorted(Path(DOCS).rglob("*.md")), ids=lambda path: path.name)
def test_relative_links_lead_somewhere(path: Path) -> None:
    import re

    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target
