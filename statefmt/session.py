"""Open, operate, check, commit: joins the store, the formats and the rules.

A write is refused where it would add an error finding that the state did not have before.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from statefmt import codes
from statefmt.diagnostics import Finding, Severity
from statefmt.errors import NotAStateError, StateError, StoreError
from statefmt.rules.check import check
from statefmt.statefile.duplicates import duplicate_members
from statefmt.statefile.inspect import ReadResult, read
from statefmt.statefile.style import Style
from statefmt.statefile.write import canonical
from statefmt.store.default_state import default_state
from statefmt.store.reading import STANDARD_INPUT, display_name, read_bytes
from statefmt.store.writing import create_file, replace_content


@dataclass(frozen=True, slots=True)
class LoadedState:
    """A state that was read: where from, its bytes, and what they say."""

    name: str
    data: bytes
    result: ReadResult


class StateFileError(StateError):
    """A StateError with the name of the file that it is about."""

    def __init__(self, name: str, error: StateError) -> None:
        super().__init__(error.findings)
        self.name = name


def state_name(name: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """The state that a command means: the one named, else that of the current workspace."""
    return str(default_state(Path(), environment)) if name is None else name


def load(name: str) -> LoadedState:
    """Read a state from a path, or from standard input for `-`.

    Raises StoreError where there are no bytes to be had, StateFileError where they are no state.
    """
    data = read_bytes(name)
    try:
        result = read(data)
        _refuse_other_files(result)
    except StateError as error:
        raise StateFileError(display_name(name), error) from error
    return LoadedState(name, data, result)


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A state in canonical form, and everything worth telling about the way there."""

    content: bytes
    notes: tuple[Finding, ...]


def rewrite(loaded: LoadedState, style: Style, *, drop_unknown: bool) -> Rewritten:
    """The canonical form of a state in some style, with a note of every choice, change and loss.

    Raises StateFileError where that form could not be read again: legacy provider names with an underscore have no
    address today.
    """
    content = canonical(loaded.result.snapshot, style, keep_unknown=not drop_unknown)
    notes = loaded.result.findings
    if content != loaded.data:
        notes += tuple(duplicate_members(loaded.data, loaded.result.version))
        try:
            read(content)
        except StateError as error:
            raise StateFileError(f"{display_name(loaded.name)} (its canonical form, not written)", error) from error
    return Rewritten(content, notes)


def write_new(path: str, content: bytes, *, replace: bool) -> Path | None:
    """Write to a path, or to standard output for `-`. With `replace`, an existing file is backed up and replaced.

    Gives the path of the backup, if one was made. Raises StoreError where the file exists and may not be replaced.
    """
    if path == STANDARD_INPUT:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return None
    target = Path(path)
    if not os.path.exists(target):  # noqa: PTH110 - Path.exists raises where a name cannot be looked up
        create_file(target, content)
        return None
    if not os.path.isfile(target):  # noqa: PTH113
        raise StoreError(f"{path}: this is not a regular file, and nothing else is written to; - is standard output")
    if not replace:
        raise StoreError(f"{path}: the file exists already; --yes replaces it and keeps its content in a backup")
    return replace_content(target, read_bytes(path), content, now=int(time.time()))


def replace_state(loaded: LoadedState, content: bytes) -> Path | None:
    """Put new content in place of a state that was read from a file, in place and after a backup.

    Gives the path of the backup, None where nothing changed. Raises StateFileError where the new content has an
    error that the old one has not.
    """
    _refuse_new_errors(loaded, content)
    return replace_content(Path(loaded.name), loaded.data, content, now=int(time.time()))


def _refuse_new_errors(loaded: LoadedState, content: bytes) -> None:
    if content == loaded.data:
        return
    before = {(finding.code, finding.address) for finding in check(loaded.data)}
    added = [
        finding
        for finding in check(content)
        if finding.severity is Severity.ERROR and (finding.code, finding.address) not in before
    ]
    if added:
        raise StateFileError(f"{loaded.name} (not written)", StateError(added))


def _refuse_other_files(result: ReadResult) -> None:
    """Refuse what reads as a state but must not be worked on: backend configuration, bytes that are not UTF-8."""
    found = [finding for finding in result.findings if finding.code in codes.NO_STATE]
    if found:
        raise NotAStateError([replace(finding, severity=Severity.ERROR) for finding in found])
