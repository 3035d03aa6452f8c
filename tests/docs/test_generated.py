"""The generated pages say what the program says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from docs.generate import DOCS, FOLDERS, pages


@pytest.fixture(scope="module")
def generated() -> Mapping[str, str]:
    return pages()


def test_pages_are_up_to_date(generated: Mapping[str, str]) -> None:
    written = {name: (DOCS / name).read_text(encoding="utf-8") for name in generated}
    assert [name for name, text in generated.items() if written[name] != text] == [], "run: make docs"


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_page_is_left_over(folder: str, generated: Mapping[str, str]) -> None:
    assert {f"{folder}/{path.name}" for path in (DOCS / folder).glob("*.md")} == {
        name for name in generated if name.startswith(folder)
    }
