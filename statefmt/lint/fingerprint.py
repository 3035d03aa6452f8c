"""What a finding is known by from one run to the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from statefmt.model.findings import Finding
from statefmt.text.pattern import pattern

# Lists whose elements an address tells apart.
_ADDRESSED: Final = frozenset({"resources", "instances", "modules", "check_results", "objects"})
# Names in the text of a finding: quoted, or with a dot or an underscore in them; instance keys belong to them.
_QUOTED: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_WORD: Final = pattern(rf'{_QUOTED}(?:"|\\?\Z)|(?:\[(?:{_QUOTED}"|\d++)\]|[^\s"()\[\],;])++')
_CLOSED: Final = pattern(_QUOTED + '"')
# After a quote without an end: all quotes that follow are escaped, and none begins a name.
_UNQUOTED_WORD: Final = pattern(r'(?:\[\d++\]|[^\s"()\[\],;])++')
_NAME: Final = pattern(r'".+"|[^/][\W\d]*+[^\W\d][^._\[]*+[._\[].*|[^._\[]*+[._\[][\W\d]*+[^\W\d].*', re.DOTALL)
_LENGTH: Final = 32
_KEPT: Final = 4096


def fingerprint(finding: Finding) -> str:
    """A mark that stays with a finding while the state lives: 32 hexadecimal digits.

    It comes from the rule, the address and the members that the pointer goes through, and does not change with
    serials, line numbers, places in arrays and the order of the file. Findings about elements of one list of an
    object, such as its dependencies, are told apart by the names that their text holds, those about a configuration by
    their anchors. Findings that nothing tells apart have the same fingerprint, so that what is known must be counted.
    """
    # Imported where it is needed: it loads a library for cryptography, and a text for people shows no fingerprints.
    from hashlib import sha256

    steps = finding.pointer.split("/")[1:]
    shape = ["*" if _is_index(step) else step for step in steps]
    names: list[str] = []
    if len(steps) > 1 and shape[-1] == "*" and steps[-2] not in _ADDRESSED:
        names = sorted(set(_names(finding.detail)) - {finding.address})
    text = ascii((finding.code, finding.address, shape, names, *filter(None, [finding.anchor])))
    return sha256(text.encode("ascii")).hexdigest()[:_LENGTH]


def numbered_fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """The fingerprint of each finding of one file with its number among those that have the same: `1f0c…:1`."""
    seen: dict[str, int] = {}
    for finding in findings:
        mark = fingerprint(finding)
        seen[mark] = seen.get(mark, 0) + 1
        yield f"{mark}:{seen[mark]}"


def _names(text: str) -> Iterator[str]:
    return filter(None, map(_name, _words(text)))


def _words(text: str) -> Iterator[str]:
    for match in _WORD.finditer(text):
        if match[0].startswith('"') and not _CLOSED.fullmatch(match[0]):
            yield from _UNQUOTED_WORD.findall(text, match.start())
        else:
            yield match[0]


@lru_cache(maxsize=_KEPT)
def _name(word: str) -> str:
    """The name that a word is, "" where it is none. Findings of one rule share most of their words."""
    name = word.rstrip(".,:;!?`'").lstrip("`'")
    return name if _NAME.fullmatch(name) else ""


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit()
