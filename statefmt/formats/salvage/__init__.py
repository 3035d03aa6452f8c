"""Finds what is whole in a state file that is no longer JSON, such as one that is cut off or has merge conflicts."""

from __future__ import annotations

import codecs
import html
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from statefmt.formats.reading import without_repeated
from statefmt.formats.reading.damaged import unwrapped
from statefmt.formats.salvage._collect import documents
from statefmt.formats.salvage._scan import BreakKind, Scan, scan
from statefmt.formats.salvage.model import Doubt, FoundObject, Salvage, SalvagedDocument
from statefmt.text import pattern


def salvage(data: bytes) -> Salvage:
    """Return the states of format version 4 that a file has, whole or in part. Never raises on bad data.

    Takes whole values only, with their bytes as they are. If the file may be torn, which is a new beginning and an old
    end, objects that may hold the seam have a doubt. A tear that leaves valid JSON without repeated objects cannot be
    seen. If two seams show, all objects have a doubt, since others may not show: two writers mixed their blocks.
    Repeated members of a state that can be read are merged first, as OpenTofu reads them. Of an encrypted state, only
    the serial and the lineage can be read: no part is decrypted without the rest.
    """
    text, undone, is_cut, advice = decoded(data)
    text = without_repeated(text)
    scanned = scan(text)
    found = documents(text, scanned)
    if ENTITIES not in undone:
        found = tuple(doubted_on_page(text, one) for one in found)
    return Salvage(
        documents=found,
        undone=undone,
        breaks=tuple(one.position for one in scanned.breaks),
        text=text,
        is_whole=not is_cut and _is_whole(text, found, scanned),
        lacks_end=is_cut or (bool(scanned.breaks) and scanned.breaks[-1].kind is BreakKind.END),
        advice=advice,
    )


def _is_whole(text: bytes, found: Sequence[SalvagedDocument], scanned: Scan) -> bool:
    """Decide whether a file is whole: nothing else says so.

    It is if it has one state, that is JSON from its first bracket to its last by two parsers, and if no other text in
    the file can be part of a state: an old state may be followed by the beginning of a new one.
    """
    if len(found) != 1 or not found[0].is_whole or scanned.breaks:
        return False
    state = found[0]
    try:
        msgspec.json.decode(state.raw, type=msgspec.Raw)
        state.raw.decode()
    except (ValueError, RecursionError):
        return False
    gaps, position = [], 0
    for node in scanned.nodes:
        if node.start < state.start:
            gaps.append(text[position : node.start])
            position = node.end
    gaps.append(text[position : state.start])
    behind = _PART_OF_STATE.search(text, state.start + len(state.raw))
    return behind is None and not any(_PART_OF_OBJECT.search(gap) for gap in gaps)


# What the beginning of a state has, and its end.
_PART_OF_OBJECT: Final = pattern(rb"[{}]")
_PART_OF_STATE: Final = pattern(rb'[{}\[\]":,]')


def sides(data: bytes) -> Sides | None:
    """Return both sides of a file with git's conflict markers, to be salvaged one by one; None if it has none."""
    return conflict_sides(decoded(data).text)


_MARKER: Final = pattern(rb"(?m)^(<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?\r?(?:\n|\Z)")


class Sides(NamedTuple):
    """The file as each side of a merge had it."""

    ours: bytes
    theirs: bytes


def conflict_sides(text: bytes) -> Sides | None:
    """Return both sides of a text with conflict markers; None if there are none, or they are out of order."""
    if not text.startswith(b"<<<<<<<") and b"\n<<<<<<<" not in text:
        return None
    ours: list[bytes] = []
    theirs: list[bytes] = []
    part, position = b"", 0
    for marker in _MARKER.finditer(text):
        if marker[1][:1] not in _NEXT[part]:
            return None
        _take(part, text[position : marker.start()], ours, theirs)
        part = b"" if marker[1].startswith(b">") else marker[1][:1]
        position = marker.end()
    if part:
        return None
    _take(part, text[position:], ours, theirs)
    return Sides(b"".join(ours), b"".join(theirs))


_NEXT: Final = {b"": b"<", b"<": b"|=", b"|": b"=", b"=": b">"}


def _take(part: bytes, text: bytes, ours: list[bytes], theirs: list[bytes]) -> None:
    if part in (b"", b"<"):
        ours.append(text)
    if part in (b"", b"="):
        theirs.append(text)


_UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
ENTITIES: Final = "HTML entities"
_SAMPLE: Final = 4096
_QUOTE: Final = rb"&(?:quot|#34|#x22);"
# A state in the text of a web page has neither quotes nor tags. Text in a state is behind a member with quotes.
_ESCAPED_STATE: Final = pattern(
    rb"\{\s*" + _QUOTE + rb"(?:version|serial|lineage)" + _QUOTE + rb'[^"<]*+'
)  # fmt: skip
_MEMBER: Final = pattern(rb'[{,]\s*"\w++"\s*:')
# What colors text on a terminal. No JSON has the first byte of it.
_COLOR: Final = pattern(rb"\x1b\[[0-9;]*+[mK]")


class DecodedText(NamedTuple):
    """The text in UTF-8, and what was undone for it (such as "UTF-16").

    `is_cut` if it was taken out of a file that lacks its end; `advice` says what else to know of such a file.
    """

    text: bytes
    undone: tuple[str, ...] = ()
    is_cut: bool = False
    advice: tuple[str, ...] = ()


def decoded(data: bytes) -> DecodedText:
    """Return the text of a file. Halves of characters stay invalid UTF-8, so that nothing passes for whole."""
    data, layers = unwrapped(data)
    undone = tuple(layer.what for layer in layers)
    if data.startswith(codecs.BOM_UTF8):
        data, undone = data[len(codecs.BOM_UTF8) :], (*undone, "a byte order mark")
    elif encoding := _utf16(data):
        text = data[: len(data) // 2 * 2].decode(encoding, "surrogatepass").removeprefix("\ufeff")
        data, undone = text.encode("utf-8", "surrogatepass"), (*undone, "UTF-16")
    if b"\x1b[" in data:
        plain = _COLOR.sub(b"", data)
        data, undone = plain, (*undone, "terminal colors")
    escaped = _ESCAPED_STATE.search(data)
    if escaped is not None and _MEMBER.search(data, 0, escaped.start()) is None:
        unescaped = html.unescape(escaped[0].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        data = data[: escaped.start()] + unescaped + data[escaped.end() :]
        undone = (*undone, ENTITIES)
    advice = tuple(layer.advice for layer in layers if layer.advice)
    return DecodedText(data, undone, any(layer.is_cut for layer in layers), advice)


def _utf16(data: bytes) -> str:
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            return encoding
    sample = data.rstrip(b"\0")[:_SAMPLE]
    if len(sample) < 4 or (sample[0] and sample[1]):
        return ""
    # JSON is mostly ASCII: every other byte is zero, and no other.
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.8 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.8 and odd < half * 0.1 else ""


_TAG: Final = pattern(rb"(?i)<(?:!doctype|html|body|div|pre|code|textarea)\b[^<>]*+>\s*+\Z")
_LONGEST_TAG: Final = 1000
_ENTITY: Final = pattern(rb"&(?:amp|lt|gt|quot|apos|#[0-9]++|#x[0-9a-fA-F]++);")


def doubted_on_page(text: bytes, document: SalvagedDocument) -> SalvagedDocument:
    """Return a state with a doubt for each object that has an entity, if a tag is right in front of the state."""
    front = text[max(document.start - _LONGEST_TAG, 0) : document.start]
    if _TAG.search(front) is None:
        return document
    objects = tuple(
        replace(one, doubt=Doubt.ESCAPED) if one.doubt is None and _has_entity(one) else one for one in document.objects
    )
    envelope = document.envelope
    outputs = tuple((name, raw) for name, raw in envelope.outputs if _ENTITY.search(raw) is None)
    if objects == document.objects and outputs == envelope.outputs:
        return document
    lost = tuple(name for name, raw in envelope.outputs if _ENTITY.search(raw) is not None)
    return replace(
        document,
        envelope=replace(envelope, outputs=outputs),
        objects=objects,
        lost_outputs=(*document.lost_outputs, *lost),
        is_whole=False,
        raw=b"",
        serial_at=-1,
    )


def _has_entity(found: FoundObject) -> bool:
    parts = [found.raw, *(raw for _, raw in (found.head.members if found.head else ()))]
    return any(_ENTITY.search(part) is not None for part in parts)
