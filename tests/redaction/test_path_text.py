"""Paths into values as text, as people write them and statetool reads them again."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from statefmt.golang import nfc
from statefmt.redaction.partial import parse_path, path_text

PATHS = [
    (("rule", 0, "tags", "a b"), 'rule[0].tags["a b"]'),
    (("tags", "${x}"), 'tags["$${x}"]'),
    (("tags", "<a>&"), 'tags["<a>&"]'),
    (("tags", '"\n\x1b'), r'tags["\"\n\u001b"]'),
    ((0, "a-b"), "[0].a-b"),
]


@pytest.mark.parametrize(("steps", "text"), PATHS)
def test_path_text(steps: tuple[str | int, ...], text: str) -> None:
    assert path_text(steps) == text


_NAMES = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(("${", "$${", "%%{", "a", "0"))


@given(st.lists(_NAMES | st.integers(0, 10**6), min_size=1))
def test_what_is_written_is_read_again(steps: list[str | int]) -> None:
    expected = tuple(nfc(step) if isinstance(step, str) else step for step in steps)
    assert parse_path(path_text(steps)) == expected
