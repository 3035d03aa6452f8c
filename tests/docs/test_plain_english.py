"""Stilted phrases that the documentation, messages, help and docstrings once had, and must not have again."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from docs.site import ROOT, files
from tests.tables import each_row

_GENERATED: Final = {"commands", "rules"}
_PAGES: Final = [path for path in files() if path.suffix == ".md" and path.parent.name not in _GENERATED]
_PROGRAM: Final = [
    path
    for folder in ("statefmt", "schemas", "docs/specification")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".txt", ".json"}
]
# What commands print is code, and is judged where it is printed.
_CODE: Final = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_PHRASES: Final = """
    1 moved, serial; a hook too many; a state of its own; all it takes; bound anew; can be had; can be told;
    errors that hide it; file of values; files of values; fits any; fits it; fits no; fits nothing; fits with;
    goes over; goes with no; holds states against; hold it against; hold statetool against; in the same moment;
    is no address; is no file; is no number; is no state; is not told; is to be destroyed; is to destroy it; is
    to go; is told; are told; is touched; laid over; not even by way of; not known in full; nothing says which;
    one that is new are one that moved; put the one in order; said by; shall be destroyed; stand in the way;
    stand beside; stands beside; stands in; such a text; takes the room; takes back the last; tell a state from;
    tells what; that only look; texts and numbers; the beginning of a code; the way of the data; to be had; was
    cut off; what is looked at; what is nearest; what is touched; what only carries; what stands there; what
    there is; where nothing fits; who only looks; whose they were; without a word; wants to know what
"""
# "There is no state" is plain, and "this is no state" is not.
_STILTED: Final = re.compile(
    r"(?<!there )\b(?:" + "|".join(re.escape(" ".join(phrase.split())) for phrase in _PHRASES.split(";")) + r")\b",
    re.IGNORECASE,
)


@each_row("path", sorted([*_PAGES, *_PROGRAM]), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_texts_are_plain(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    prose = _CODE.sub("", text) if path.suffix == ".md" else re.sub(r'"\s+f?"|^\s*#', " ", text, flags=re.MULTILINE)
    assert _STILTED.findall(" ".join(prose.split())) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("A selector that fits nothing is told.", ["fits nothing", "is told"]),
        ("'x' is no address", ["is no address"]),
        ("There is no state, and this is no state", ["is no state"]),
    ],
)
def test_a_stilted_sentence_is_found(text: str, found: list[str]) -> None:
    assert _STILTED.findall(text) == found
