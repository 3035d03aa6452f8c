"""Decodes bytes into the typed document of one format version, and collects unknown members.

msgspec reads nearly every file in one pass. Only if it meets a member that the types do not name (a newer release,
different case) are the objects decoded one level at a time.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Raw, Struct

from statefmt.formats.raw_json.raw import starts_with
from statefmt.formats.raw_json.spans import container_at, members_at, skip_space
from statefmt.golang import fold_name
from statefmt.model.resources import UnknownMember
from statefmt.text.pattern import pattern

T = TypeVar("T", bound=Struct)

# Escapes in a JSON string, from left to right: whole surrogate pairs, halves of them, all others.
_ESCAPE = pattern(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)

# Precedes the path of a value in msgspec's messages, which end with a backtick.
_AT_PATH = " - at `$"

_HALF_PAIR = pattern("[\ud800-\udfff]")


def decode_document(data: bytes, document: type[T]) -> T:
    """Decode one format's document from valid JSON.

    Raises `msgspec.ValidationError` if a member has the wrong JSON type.
    """
    with collector_paused():
        try:
            return msgspec.json.decode(data, type=document)
        except msgspec.ValidationError as error:
            if "unknown field" not in str(error):
                raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            # msgspec rejects half a surrogate pair in an escape, and bytes that are not UTF-8.
            pass
        decoded: T = _decode(data, document)
        return decoded


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking a growing document; loading creates no garbage cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _decode(raw: Raw | bytes, type_: Any) -> Any:
    """Decode one value, descending into anything that may contain an object with unknown members."""
    if not holds_struct(type_):
        return decode_leaf(raw, type_)
    if isinstance(type_, type) and issubclass(type_, Struct):
        return _decode_object(raw, type_)
    arguments = get_args(type_)
    if get_origin(type_) is list:
        return [_decode_part(item, arguments[0], f"[{number}]") for number, item in enumerate(array_elements(raw))]
    if get_origin(type_) is dict:
        return {name: _decode_part(value, arguments[1], "[...]") for name, value in object_members(raw).items()}
    if starts_with(raw, b"null"):
        return None
    return _decode(raw, next(option for option in arguments if holds_struct(option)))


def _decode_object(raw: Raw | bytes, struct: type[Struct]) -> Struct:
    """Decode an object by its members, none of which is repeated. As in Go, names match in any case."""
    types = member_types(struct)
    known: dict[str, Any] = {}
    unknown: list[UnknownMember] = []
    last_known = ""
    for name, value in object_members(raw).items():
        field = name if name in types else fold_name(name)
        if field in types:
            known[field] = _decode_part(value, types[field], f".{field}")
            last_known = field
        else:
            unknown.append(UnknownMember(name, value, last_known))
    return struct(**known, unknown=tuple(unknown))


def _decode_part(raw: Raw | bytes, type_: Any, step: str) -> Any:
    """Decode a part of a value; `step` names it as in the paths of msgspec's messages."""
    try:
        return _decode(raw, type_)
    except msgspec.ValidationError as error:
        reason, at, path = str(error).partition(_AT_PATH)
        raise msgspec.ValidationError(f"{reason}{_AT_PATH}{step}{path if at else '`'}") from error


def object_members(raw: Raw | bytes) -> dict[str, Raw]:
    """Return the members of an object in valid JSON; the last of duplicates counts."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return dict(_items(raw, b"{"))


def array_elements(raw: Raw | bytes) -> list[Raw]:
    """Return the elements of an array in valid JSON."""
    try:
        return msgspec.json.decode(raw, type=list[Raw])
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [value for _, value in _items(raw, b"[")]


def _items(raw: Raw | bytes, opening: bytes) -> Iterator[tuple[str, Raw]]:
    """Yield the parts of an object or array that msgspec rejects, with the names of an object's members."""
    text = bytes(raw)
    if not text.startswith(opening, skip_space(text, 0)):
        # msgspec reports all other types by their first character, but reads a string to its end first.
        raise msgspec.ValidationError(f"Expected `{'object' if opening == b'{' else 'array'}`, got `str`")
    if opening == b"{":
        yield from ((name, Raw(text[start:end])) for name, start, end in members_at(text))
    else:
        yield from (("", Raw(text[item.value.start : item.value.end])) for item in container_at(text).items)


def decode_leaf(raw: Raw | bytes, type_: Any) -> Any:
    """Decode a value without objects that the format defines.

    Half a surrogate pair, and each byte that is not UTF-8, becomes U+FFFD, as in Go.
    """
    if Raw in (type_, *get_args(type_)):
        return Raw(raw)
    try:
        return msgspec.json.decode(raw, type=type_)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = _HALF_PAIR.sub("\ufffd", bytes(raw).decode("utf-8", "surrogateescape"))
        return msgspec.json.decode(_ESCAPE.sub(_whole_escape, text.encode()), type=type_)


def _whole_escape(match: re.Match[bytes]) -> bytes:
    return b"\\ufffd" if match["half"] else match[0]


@cache
def member_types(struct: type[Struct]) -> dict[str, Any]:
    """Return the members that a struct names, with their types; JSON names and field names are the same."""
    # With extras, which are the ranges of numbers.
    hints = get_type_hints(struct, include_extras=True)
    return {name: hints[name] for name in struct.__struct_fields__ if name != "unknown"}


@cache
def holds_struct(type_: Any) -> bool:
    if isinstance(type_, type) and issubclass(type_, Struct):
        return True
    return any(holds_struct(argument) for argument in get_args(type_))


def container_type(type_: Any) -> Any:
    """Return the struct, list or map of a type that may be null; None if it has none."""
    found = (one for one in (type_, *get_args(type_)) if get_origin(one) in (list, dict) or is_struct(one))
    return next(found, None)


def is_struct(type_: Any) -> bool:
    """Return whether a type is an object of the format."""
    return isinstance(type_, type) and issubclass(type_, Struct)
