"""Reads and writes baselines: files with fingerprints of known findings, so that `check` fails only on new ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.lint.settings import problems
from statefmt.model import findings as codes
from statefmt.model.errors import SettingsError, StoreError, Wording
from statefmt.model.findings import Finding
from statefmt.store.files import read_bounded, write_over
from statefmt.text import pattern

_FORMAT_VERSION: Final = "1.0"
_LARGEST: Final = 64 * 1024 * 1024

# Lists whose elements have distinct addresses.
_ADDRESSED: Final = frozenset({"resources", "instances", "modules", "check_results", "objects"})
# Names in the detail of a finding: quoted, or containing a dot or an underscore, including instance keys.
_QUOTED: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+'
_WORD: Final = pattern(rf'{_QUOTED}(?:"|\\?\Z)|(?:\[(?:{_QUOTED}"|\d++)\]|[^\s"()\[\],;])++')
_CLOSED: Final = pattern(_QUOTED + '"')
# After an unclosed quote: all later quotes are escaped, and none begins a name.
_UNQUOTED_WORD: Final = pattern(r'(?:\[\d++\]|[^\s"()\[\],;])++')
_NAME: Final = pattern(r'".+"|[^/][\W\d]*+[^\W\d][^._\[]*+[._\[].*|[^._\[]*+[._\[][\W\d]*+[^\W\d].*', re.DOTALL)
_LENGTH: Final = 32
_CACHED: Final = 4096


class Baseline(Struct, frozen=True, forbid_unknown_fields=True):
    """The fingerprints of known findings by state file. Paths are relative to the baseline's folder."""

    format_version: str = _FORMAT_VERSION
    states: dict[str, list[str]] = msgspec.field(default_factory=dict)

    def split(self, path: str, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], int]:
        """Return the new findings of a state, and the number of known ones that were omitted.

        Findings that make a file unusable always count as new.
        """
        known = Counter(self.states.get(_key(path), ()))
        new: list[Finding] = []
        for finding in findings:
            mark = fingerprint(finding)
            if known[mark] and finding.code not in codes.NO_STATE:
                known[mark] -= 1
            else:
                new.append(finding)
        return tuple(new), len(findings) - len(new)


def read_baseline(path: Path) -> Baseline:
    """Read a baseline file. Raises SettingsError if it cannot be read or is invalid."""
    try:
        document = msgspec.json.decode(read_bounded(path, _LARGEST, pipes=True))
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}", Wording("; create it with --write-baseline", "")) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: not a baseline: {error}") from error
    try:
        baseline = msgspec.convert(document, Baseline)
    except msgspec.ValidationError as error:
        raise SettingsError(f"{path}: not a baseline: {problems('baseline', document, str(error))}") from error
    if baseline.format_version != _FORMAT_VERSION:
        raise SettingsError(
            f"{path}: unsupported baseline format {baseline.format_version}; {_FORMAT_VERSION} is supported"
        )
    return baseline


def write_baseline(
    path: Path, findings: Mapping[str, Sequence[Finding]] | Iterable[tuple[str, Sequence[Finding]]]
) -> int:
    """Write findings, by the path of their state relative to the baseline, to a file; return their number.

    The file may exist. Consumes the pairs of path and findings one by one, without keeping earlier findings. Does not
    follow symbolic links: the file may be part of an untrusted repository. Raises StoreError.
    """
    try:
        baseline = made_baseline(findings.items() if isinstance(findings, Mapping) else findings)
        write_over(path, baseline_text(baseline))
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; the baseline was not written") from error
    return sum(map(len, baseline.states.values()))


def made_baseline(findings: Iterable[tuple[str, Sequence[Finding]]]) -> Baseline:
    """Return the baseline of findings, given with the path of their state relative to the baseline."""
    marks = {_key(path): sorted(map(fingerprint, found)) for path, found in findings if found}
    return Baseline(states=dict(sorted(marks.items())))


def baseline_text(baseline: Baseline) -> bytes:
    """Return the contents of a baseline, sorted for readable diffs."""
    import orjson

    document = {"format_version": baseline.format_version, "states": baseline.states}
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _key(path: str) -> str:
    """Return a path as written in baselines: `\\udcff` for the byte ff if it is not UTF-8, as in printed JSON."""
    return path.encode("utf-8", "backslashreplace").decode()


def fingerprint(finding: Finding) -> str:
    """Return a stable identifier of a finding: 32 hexadecimal digits.

    It is a hash of the rule, the address and the members in the pointer, and does not depend on serials, line
    numbers, array positions or the order of the file. Findings about elements of one list in an object, such as its
    dependencies, are distinguished by the names in their detail, findings about a configuration by their anchors.
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


@lru_cache(maxsize=_CACHED)
def _name(word: str) -> str:
    """Return the name in a word, or "" if it is not a name. Cached because findings of one rule share most words."""
    name = word.rstrip(".,:;!?`'").lstrip("`'")
    return name if _NAME.fullmatch(name) else ""


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit()
