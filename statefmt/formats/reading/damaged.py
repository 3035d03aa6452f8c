"""Finds what is known of a state that cannot be read."""

from __future__ import annotations

import codecs
import json
from typing import Final

import msgspec

from statefmt.formats.raw_json.slips import mended
from statefmt.formats.raw_json.spans import container_at
from statefmt.formats.raw_json.syntax import json_problem, locate
from statefmt.formats.reading.wrapped import description, unwrapped
from statefmt.golang import loads_exact
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.text.pattern import pattern

# Every release writes a state, and OpenTofu an envelope, in this order.
_HEAD: Final = pattern(
    rb'\s*\{\s*("version":\s*[0-9]+,\s*("terraform_version":\s*"[^"\\]*",\s*)?)?'
    rb'"serial":\s*([0-9]{1,20}),\s*"lineage":\s*("[^"\\]*")'
)
# In bytes; a state has no or little white space before the first brace.
_LONGEST_START: Final = 1 << 16
# Parts of a state of format version 4, also in UTF-16 and HTML: its head, or a resource.
_PARTS: Final = (
    (
        pattern(rb'(?:"|&quot;)version(?:"|&quot;)\s*:\s*4\b'),
        pattern(rb'(?:"|&quot;)lineage(?:"|&quot;)\s*:\s*(?:"|&quot;)'),
    ),
    (
        pattern(rb'(?:"|&quot;)mode(?:"|&quot;)\s*:\s*(?:"|&quot;)(?:managed|data)(?:"|&quot;)'),
        pattern(rb'(?:"|&quot;)instances(?:"|&quot;)\s*:\s*\['),
    ),
)
_MARKER: Final = pattern(rb"(?m)^<{7}(?: |\r?$)")
_SEPARATOR: Final = pattern(rb"(?m)^={7}\r?$")
_MOST_SLIPS: Final = 3
# What the command does with such a file, after its name.
SALVAGING: Final = " shows what is whole in this file, and saves it."
# In digits.
_LONGEST_SERIAL: Final = 20


def known_snapshot(data: bytes) -> Snapshot:
    """Return an empty snapshot with the serial and lineage of a damaged state; 0 and "" where they are unknown."""
    if is_json_object(data):
        serial, lineage = _member(data, "serial"), _member(data, "lineage")
    else:
        head = _HEAD.match(data)
        serial, lineage = (head[3], head[4]) if head else (b"", b"")
    number = int(serial) if serial.isdigit() and len(serial) <= _LONGEST_SERIAL else 0
    return Snapshot(serial=number if number <= HIGHEST_SERIAL else 0, lineage=_decoded(lineage))


def is_json_object(data: bytes) -> bool:
    """Return whether data is one JSON object, whatever is in it."""
    return data[:_LONGEST_START].lstrip().startswith(b"{") and _is_json(data)


def may_be_torn(data: bytes) -> bool:
    """Return whether data that is not a state may be what is left of one: empty, zeroed, cut off, or with parts."""
    start = data[:_LONGEST_START].lstrip()
    return ((not start or start.startswith((b"{", b"\0"))) and not _is_json(data)) or has_parts(data)


def has_parts(data: bytes) -> bool:
    """Return whether a file that is not a state has one in it, or parts of one if it is not JSON, for `salvage`."""
    content, layers = unwrapped(data)
    text = content.replace(b"\0", b"")
    found = (all(part.search(text) for part in parts) for parts in _PARTS)
    # Python's parser takes UTF-16, which OpenTofu does not.
    return any(found) and (bool(layers) or not _is_json(data.decode("utf-8", "replace")))


def not_json(data: bytes, error: msgspec.DecodeError | UnicodeDecodeError) -> str:
    """Say why a file is not JSON: what it is instead, the slip of a hand edit, or where it stops being JSON."""
    if what := description(data):
        return f"The file is not JSON: it is {what.removeprefix('The file is ')}"
    marker = _MARKER.search(data)
    if marker is not None and _SEPARATOR.search(data, marker.end()) is not None:
        place = locate(data, marker.start(), "git's conflict markers")
        return f"The file is not JSON: {place.reason} at line {place.line:,}, column {place.column:,}."
    # A byte order mark is a blank to the search for slips, which has no better name for it.
    fixed = None if data.startswith(codecs.BOM_UTF8) else mended(data)
    if fixed is None:
        return f"The file is not JSON: {json_problem(data, error)}."
    return f"The file is not JSON: {', '.join(f'{slip} (byte {slip.offset})' for slip in fixed.slips[:_MOST_SLIPS])}."


def names_format(data: bytes) -> bool:
    """Return whether the first member of data is the version of its format, as in every plain state."""
    head = _HEAD.match(data)
    return head is not None and head[1] is not None


def _member(data: bytes, name: str) -> bytes:
    """Return the JSON text of a member; b"" if there is none."""
    item = container_at(data).find(name)
    return b"" if item is None else data[item.value.start : item.value.end]


def _decoded(text: bytes) -> str:
    value = loads_exact(text, replace_invalid=True) if text.startswith(b'"') else ""
    return value if isinstance(value, str) else ""


def _is_json(data: bytes | str) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True
