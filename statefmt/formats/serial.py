"""Giving a state file another serial, whatever its format version, and keeping every other byte."""

from __future__ import annotations

from typing import Final

from statefmt.formats.raw_json.spans import container_at
from statefmt.formats.style import style_of
from statefmt.formats.writing.assemble import Assembler
from statefmt.pieces import Span, joined

_BEFORE: Final = ("version", "terraform_version", "serial")
_DEPTH: Final = 1


def with_serial(data: bytes, serial: int) -> bytes:
    """The bytes of a state with this serial. They are known to be a state."""
    top = container_at(data)
    member = Assembler(data, style_of(data).layout).edited(top, {"serial": [b"%d" % serial]}, _BEFORE, _DEPTH)
    return joined(data, [Span(0, top.span.start), *member, Span(top.span.end, len(data))])
