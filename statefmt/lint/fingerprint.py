"""Fingerprints that identify a finding from one run to the next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from statefmt.model.findings import Finding
from statefmt.text.pattern import pattern

# Lists whose elements have distinct addresses.
_ADDRESSED: Final = frozenset({"resources", "instances", "modules", "check_results", "objects"})
# Names in the detail of a finding: quoted, or containing a dot or an underscore, including instance keys.
_QUOTED: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_WORD: Final = pattern(rf'{_QUOTED}(?:"|\\?\Z)|(?:\[(?:{_QUOTED}"|\d++)\]|[^\s"()\[\],;])++')
_CLOSED: Final = pattern(_QUOTED + '"')
# After an unclosed quote: all quotes that follow are escaped, and none begins a name.
_UNQUOTED_WORD: Final = pattern(r'(?:\[\d++\]|[^\s"()\[\],;])++')
_NAME: Final = pattern(r'".+"|[^/][\W\d]*+[^\W\d][^._\[]*+[._\[].*|[^._\[]*+[._\[][\W\d]*+[^\W\d].*', re.DOTALL)
_LENGTH: Final = 32
_KEPT: Final = 4096


def fingerprint(finding: Finding) -> str:
    """Return a stable identifier of a finding: 32 hexadecimal digits.

    It is a hash of the rule, the address and the members in the pointer, and does not depend on serials, line numbers,
    array positions or the order of the file. Findings about elements of one list in an object, such as its
    dependencies, are distinguished by the names in their detail, those about a configuration by their anchors.
    Findings that cannot be distinguished have the same fingerprint, so callers must count them.
    """
    # Imported late: it loads a cryptography library, and text output shows no fingerprints.
    from hashlib import sha256

    steps = finding.pointer.split("/")[1:]
    shape = ["*" if _is_index(step) else step for step in steps]
    names: list[str] = []
    if len(steps) > 1 and shape[-1] == "*" and steps[-2] not in _ADDRESSED:
        names = sorted(set(_names(finding.detail)) - {finding.address})
    text = ascii((finding.code, finding.address, shape, names, *filter(None, [finding.anchor])))
    return sha256(text.encode("ascii")).hexdigest()[:_LENGTH]


def numbered_fingerprints(findings: Iterable[Finding]) -> Iterator[str]:
    """Yield the fingerprint of each finding of one file, numbered among equal fingerprints: `1f0c…:1`."""
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
    """Return the name in a word, or "" if it is not a name. Cached because findings of one rule share most words."""
    name = word.rstrip(".,:;!?`'").lstrip("`'")
    return name if _NAME.fullmatch(name) else ""


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit()
