"""Phrases of the first release candidate that read like a translation. They must not come back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# As regular expressions, over any white space. What to write instead is the rule of the style guide: short main
# clauses, active voice, standard terms.
PHRASES = [
    r"is no address",
    r"is no state\b",
    r"is no file\b",
    r"is no number\b",
    r"is no option\b",
    r"is not told",
    r"is told\b",
    r"nothing says which",
    r"what stands there",
    r"\bstands? (?:in|on|at|beside|there|elsewhere)\b",
    r"to be had\b",
    r"can be had\b",
    r"who only looks?",
    r"that only look\b",
    r"only looks?\b(?! (?:at|for|up|like))",
    r"what is touched",
    r"goes with no",
    r"goes over\b",
    r"go over\b",
    r"hold (?:it|them|states?) against",
    r"holds? .{1,30} against",
    r"a state of its own",
    r"bound anew",
    r"and no other\b(?! (?:program|tool|process|command|file|state))",
    r"errors that hide it",
    r"is to destroy it",
    r"whose they were",
    r"dependencies of \d+ instances",
    r"1 moved, serial\b(?! \d)",
    r"without a word\b",
    r"for who(?:ever)? wants",
    r"in the same moment",
    r"a hook too many",
    r"what (?:it|they) (?:has|have) to do with",
    r"does not fit with",
    r"\bfits with\b",
    r"such a text\b",
    r"\btexts and numbers\b",
    r"files? of values\b",
    r"knows? no better",
    r"in (?:its|their) stead",
    r"of late\b",
    r"not known in full",
    r"from being known",
    r"nobody (?:can be|is) asked",
    r"it is all the same",
    r"by (?:it|them)sel(?:f|ves) (?:knows?|tells?)",
]
_JOINED = re.compile("|".join(phrase.replace(" ", r"\s+(?:[#>*|]\s+)?") for phrase in PHRASES), re.IGNORECASE)


def _texts() -> list[Path]:
    """What users read: documentation, schemas, and all of the program, since messages are in its strings."""
    pages = [path for path in (ROOT / "docs").rglob("*") if path.suffix in (".md", ".txt", ".py")]
    others = [*ROOT.glob("*.md"), *(ROOT / "schemas").glob("*.json"), ROOT / "action.yml"]
    program = [path for path in (ROOT / "statefmt").rglob("*") if path.suffix in (".py", ".txt", ".json")]
    return sorted([*pages, *others, *program])


@pytest.mark.parametrize("path", _texts(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_plain_words(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = [(text.count("\n", 0, match.start()) + 1, match[0]) for match in _JOINED.finditer(text)]
    assert not found


@pytest.mark.parametrize(
    "phrase", ["'x' is no address", "1 moved, serial", "hold it\n  against", "nothing says\nwhich"]
)
def test_the_list_finds_them(phrase: str) -> None:
    assert _JOINED.search(phrase)
