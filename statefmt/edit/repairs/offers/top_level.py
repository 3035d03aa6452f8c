"""Offers choices for what a state says of itself: its encoding, release, serial, lineage (STA006, STA013 to STA015)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Final
from uuid import UUID

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._parts import removal, replacement, string
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import encode_string
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding
from statefmt.model.snapshot import normalise_version
from statefmt.text import pattern

# Up to here, 64-bit floats represent every integer exactly.
_HIGHEST: Final = 2**53
_WHOLE: Final = pattern(r"[0-9]{1,16}")
# What Python writes for a byte that is not UTF-8.
_NOT_UTF8: Final = pattern("[\udc80-\udcff]")


def not_utf8_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Take the bytes for characters of the usual encoding of Windows, or replace them."""
    text = state.data.decode("utf-8", "surrogateescape")
    number = sum(1 for _ in _NOT_UTF8.finditer(text))
    count = f"{number} {'byte' if number == 1 else 'bytes'}"

    def rewritten(character: Callable[[bytes], str]) -> dict[JsonPath, bytes | None]:
        whole = _NOT_UTF8.sub(lambda match: character(match[0].encode("utf-8", "surrogateescape")), text)
        return {(): whole.strip(" \t\r\n").encode()}

    yield Choice("windows-1252", f"read {count} as characters of Windows-1252", lambda _: rewritten(_windows))
    text_of_loss = f"write U+FFFD in place of {count}, as OpenTofu does"
    yield Choice("replace", text_of_loss, lambda _: rewritten(lambda _: "\ufffd"))


def release_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Name the release that wrote the state."""
    stripped = state.string(path).strip()
    if normalise_version(stripped):
        yield replacement(path, encode_string(stripped), "trim", f"write {stripped}")
    yield string(path, "release", "VERSION", "the release that wrote the state")
    yield removal(path, "remove it: any release may then read the state")


def serial_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Continue from the serial of a good copy."""

    def written(given: str) -> dict[JsonPath, bytes | None]:
        if not _WHOLE.fullmatch(given) or int(given) >= _HIGHEST:
            raise SurgeryError(f"{given!r} is not a serial: write a whole number below {_HIGHEST}")
        return {path: str(int(given)).encode()}

    text = "continue from this one, the highest of a good copy; the repaired state has the next one"
    yield Choice("serial", text, written, "NUMBER")


def lineage_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write the lineage of a backup, or a new one."""

    def written(given: str) -> dict[JsonPath, bytes | None]:
        if not given:
            raise SurgeryError("a lineage cannot be empty")
        return {path: encode_string(given)}

    yield Choice("lineage", "this one, of a backup or of the remote copy", written, "LINEAGE")
    # From the content, so that the same input gives the same bytes.
    new = str(UUID(bytes=hashlib.sha256(state.data).digest()[:16], version=4))
    yield replacement(path, encode_string(new), "new", f"a new one, {new}: the state is then no version of any other")


def _windows(byte: bytes) -> str:
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")
