"""Stilted phrases that the pages written by hand once had, and must not have again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from docs.site import ROOT, files

_GENERATED: Final = {"commands", "rules"}
_BY_HAND: Final = [path for path in files() if path.suffix == ".md" and path.parent.name not in _GENERATED]
# What commands print is code, and is judged where it is printed.
_CODE: Final = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_PHRASES: Final = """
    a hook too many; all it takes; bound anew; can be told; file of values; files of values; fits any; fits it; fits no;
    fits nothing; fits with; goes over; goes with no; holds states against; hold statetool against; is no address;
    is no state; is to be destroyed; is to go; is told; are told; is touched; laid over; not even by way of;
    one that is new are one that moved; put the one in order; said by; says it; shall be destroyed; stand in the way;
    stand beside; stands beside; stands in; takes the room; takes back the last; tell a state from; tells what;
    the beginning of a code; the way of the data; to be had; was cut off; what is looked at; what is nearest;
    what only carries; what there is; where nothing fits; who only looks; without a word; wants to know what
"""
_STILTED: Final = re.compile(
    r"\b(?:" + "|".join(re.escape(" ".join(phrase.split())) for phrase in _PHRASES.split(";")) + r")\b", re.IGNORECASE
)


@pytest.mark.parametrize("path", sorted(_BY_HAND), ids=lambda path: str(path.relative_to(ROOT)))
def test_pages_are_plain(path: Path) -> None:
    text = " ".join(_CODE.sub("", path.read_text(encoding="utf-8")).split())
    assert _STILTED.findall(text) == []


def test_a_stilted_sentence_is_found() -> None:
    assert _STILTED.findall("A selector that fits nothing is told.") == ["fits nothing", "is told"]
