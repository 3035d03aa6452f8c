"""Finds every part of a document that does not have the JSON type that its format version requires."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, get_args, get_origin

import msgspec
from msgspec import Raw, Struct

from statefmt.formats.raw_json.spans import container_at, value_at
from statefmt.formats.versions.decode import decode_leaf, holds_struct, member_types
from statefmt.formats.versions.legacy import StateV1
from statefmt.formats.versions.legacy_v3 import StateV3
from statefmt.formats.versions.v4 import StateV4
from statefmt.golang import fold_name
from statefmt.pieces import Span

DOCUMENTS: Final[dict[int, type[Struct]]] = {1: StateV1, 2: StateV3, 3: StateV3, 4: StateV4}


class WrongType(NamedTuple):
    """A part of the wrong type: the tokens of its pointer, and the reason (`expected str | null, got int`)."""

    path: tuple[str, ...]
    reason: str


def wrong_types(data: bytes, version: int) -> Iterator[WrongType]:
    """Yield the parts that the decoder of a format version rejects, in file order; a rejected part is not entered.

    The decoder itself stops at the first. Enters only what it rejects, so that the time is linear in the bytes.
    """
    yield from _below(data, value_at(data), DOCUMENTS[version], ())


def _below(data: bytes, span: Span, type_: Any, path: tuple[str, ...]) -> Iterator[WrongType]:
    reason = _problem(data, span, type_)
    if not reason:
        return
    first = data[span.start : span.start + 1]
    inner = next((one for one in (type_, *get_args(type_)) if _opens(one) == first), None)
    if inner is None or not (holds_struct(inner) or get_args(inner)):
        yield WrongType(path, reason)
        return
    struct = inner if isinstance(inner, type) and issubclass(inner, Struct) else None
    for number, item in enumerate(container_at(data, span.start, span.end).items):
        name = item.name if first == b"{" else str(number)
        if struct is not None:
            types = member_types(struct)
            known = types.get(name, types.get(fold_name(name)))
            if known is None:
                continue
            yield from _below(data, item.value, known, (*path, name))
        else:
            yield from _below(data, item.value, get_args(inner)[-1], (*path, name))


def _opens(type_: Any) -> bytes:
    if isinstance(type_, type) and issubclass(type_, Struct):
        return b"{"
    return {dict: b"{", list: b"["}.get(get_origin(type_), b"")


def _problem(data: bytes, span: Span, type_: Any) -> str:
    raw = memoryview(data)[span.start : span.end]
    try:
        msgspec.json.decode(raw, type=type_)
    except msgspec.ValidationError as error:
        return _reason(error)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Half a surrogate pair, which is readable, may hide a wrong type.
        if holds_struct(type_):
            return "it is not valid"
        try:
            decode_leaf(Raw(bytes(raw)), type_)
        except msgspec.ValidationError as error:
            return _reason(error)
    return ""


def _reason(error: msgspec.ValidationError) -> str:
    reason = str(error).partition(" - at `$")[0].replace("`", "")
    return reason[:1].lower() + reason[1:]
