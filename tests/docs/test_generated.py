"""The generated pages say what the program says."""

from __future__ import annotations

import pytest

from docs.generate import DOCS, FOLDERS, pages

PAGES = pages()


@pytest.mark.parametrize("name", PAGES)
def test_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name], "run: make docs"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_page_is_left_over(folder: str) -> None:
    assert {f"{folder}/{path.name}" for path in (DOCS / folder).glob("*.md")} == {
        name for name in PAGES if name.startswith(folder)
    }
