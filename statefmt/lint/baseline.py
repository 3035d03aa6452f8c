"""Baselines: files of known findings, so that `check` fails only on new ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.lint._user_files import problems
from statefmt.lint.fingerprint import fingerprint
from statefmt.model import codes
from statefmt.model.errors import SettingsError, StoreError
from statefmt.model.findings import Finding
from statefmt.model.wording import Wording
from statefmt.store.small_files import read_bounded, write_over

_FORMAT_VERSION: Final = "1.0"
_LARGEST: Final = 64 * 1024 * 1024


class Baseline(Struct, frozen=True, forbid_unknown_fields=True):
    """The fingerprints of known findings by state file. Paths are relative to the baseline's folder."""

    format_version: str = _FORMAT_VERSION
    states: dict[str, list[str]] = msgspec.field(default_factory=dict)

    def split(self, path: str, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], int]:
        """Return the new findings of a state, and the number of known ones that were left out.

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

    The file may exist. Pairs of a path and its findings are not kept while those of other states are made.
    Symbolic links are not followed: the file may be part of an untrusted repository. Raises StoreError.
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
