"""Makes rows of the findings of a state, and findings of rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec
from msgspec import Struct

from statefmt.fleet.rows._masking import Masking
from statefmt.fleet.tables import FindingRow
from statefmt.formats.raw_json.positions import finding_positions
from statefmt.model.findings import NO_FIX, Command, Finding, Fix

# Findings of one rule often share their fix.
_KEPT: Final = 4096


class StoredCommand(Struct, frozen=True):
    """A command in a fix."""

    command: str
    arguments: tuple[str, ...] = ()


_PARTS: Final = msgspec.json.Decoder(tuple[str | StoredCommand, ...])


def finding_rows(state_id: str, data: bytes, findings: Sequence[Finding], masking: Masking) -> list[FindingRow]:
    """Return the rows of the findings about a state, in their order; `data` is its plain content."""
    places = finding_positions(data, findings) if findings else {}
    return [
        FindingRow(
            state_id,
            number,
            one.code,
            one.severity.value,
            _stored(masking.address(one.address)),
            _stored(masking.pointer(one.pointer)),
            _stored(masking.prose(one.summary)),
            _stored(masking.prose(one.detail)),
            _stored_fix(one.fix, masking),
            _stored(masking.prose(one.fix.snippet)),
            *(places.get(one.pointer) or (None, None)),
        )
        for number, one in enumerate(findings)
    ]


def fix_of(parts: str | None, snippet: str) -> Fix:
    """Return the fix in the columns `fix` and `snippet`. Raises msgspec.DecodeError for other JSON."""
    return NO_FIX if parts is None and not snippet else _fix_of(parts or "[]", snippet)


@lru_cache(maxsize=_KEPT)
def _fix_of(parts: str, snippet: str) -> Fix:
    advice = [part if isinstance(part, str) else Command(part.command, part.arguments) for part in _PARTS.decode(parts)]
    return Fix(tuple(advice), snippet)


def _stored(text: str) -> str:
    """Return a text with unpaired surrogates, which no database has, written as `\\ud800`."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _stored_fix(fix: Fix, masking: Masking) -> str | None:
    if not fix.advice:
        return None
    parts = [
        _stored(masking.prose(part))
        if isinstance(part, str)
        else StoredCommand(part.name, tuple([_stored(masking.address(each)) for each in part.arguments]))
        for part in fix.advice
    ]
    return msgspec.json.encode(parts).decode()
