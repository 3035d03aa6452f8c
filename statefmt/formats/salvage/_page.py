"""Doubts what a web page may have escaped: some escape `&` and `<`, and leave quotes, so that the text stays JSON."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from statefmt.formats.salvage.model import Doubt, FoundObject, SalvagedDocument
from statefmt.text.pattern import pattern

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
