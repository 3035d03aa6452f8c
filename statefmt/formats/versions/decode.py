"""From bytes to the typed document of one format version, with unknown members collected.

Nearly every file is read in one pass by msgspec. Only where that pass meets a member that the types do not
name (a newer release, other letter case) are the objects taken apart one level at a time.
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
from statefmt.formats.raw_json.spans import container_at, skip_space
from statefmt.model.resources import UnknownMember
from statefmt.text.pattern import pattern

T = TypeVar("T", bound=Struct)

# Escapes in a JSON string, from left to right: whole surrogate pairs, halves of them, all others.
_ESCAPE = pattern(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)

# What msgspec puts before the path of a value, in a message that ends with a backtick.
_AT_PATH = " - at `$"

_HALF_PAIR = pattern("[\ud800-\udfff]")


def decode_document(data: bytes, document: type[T]) -> T:
    """Decode one format's document from valid JSON.

    Raises `msgspec.ValidationError` where a member has the wrong JSON type.
    """
    with collector_paused():
        try:
            return msgspec.json.decode(data, type=document)
        except msgspec.ValidationError as error:
            if "unknown field" not in str(error):
                raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            # Half a surrogate pair in an escape, or a byte that is not UTF-8: msgspec goes no further.
            pass
        decoded: T = _decode(data, document)
        return decoded


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking a growing document; loading makes no garbage cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _decode(raw: Raw | bytes, type_: Any) -> Any:
    """Decode one value, walking into whatever may hold an object with unknown members."""
    if not _holds_struct(type_):
        return _decode_leaf(raw, type_)
    if isinstance(type_, type) and issubclass(type_, Struct):
        return _decode_object(raw, type_)
    arguments = get_args(type_)
    if get_origin(type_) is list:
        return [_decode_part(item, arguments[0], f"[{number}]") for number, item in enumerate(array_elements(raw))]
    if get_origin(type_) is dict:
        return {name: _decode_part(value, arguments[1], "[...]") for name, value in object_members(raw).items()}
    if starts_with(raw, b"null"):
        return None
    return _decode(raw, next(option for option in arguments if _holds_struct(option)))


def _decode_object(raw: Raw | bytes, struct: type[Struct]) -> Struct:
    """Decode an object by its members, matching names as Go does, whatever their case; the last one counts."""
    types = _member_types(struct)
    known: dict[str, Any] = {}
    unknown: list[UnknownMember] = []
    last_known = ""
    members = object_members(raw)
    if len({name.lower() for name in members}) < len(members):
        members = _by_last_place(raw)
    for name, value in members.items():
        field = name if name in types else name.lower()
        if field in types:
            known[field] = _decode_part(value, types[field], f".{field}")
            last_known = field
        else:
            unknown.append(UnknownMember(name, value, last_known))
    return struct(**known, unknown=tuple(unknown))


def _decode_part(raw: Raw | bytes, type_: Any, step: str) -> Any:
    """Decode a part of a value; `step` says which, as in the paths of msgspec's messages."""
    try:
        return _decode(raw, type_)
    except msgspec.ValidationError as error:
        reason, at, path = str(error).partition(_AT_PATH)
        raise msgspec.ValidationError(f"{reason}{_AT_PATH}{step}{path if at else '`'}") from error


def object_members(raw: Raw | bytes) -> dict[str, Raw]:
    """The members of an object in valid JSON; of those that repeat, the last."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return dict(_items(raw, b"{"))


def _by_last_place(raw: Raw | bytes) -> dict[str, Raw]:
    """The members of an object, each where its last occurrence stands: of "a" and "A" the later one counts."""
    members: dict[str, Raw] = {}
    for name, value in _items(raw, b"{"):
        members.pop(name, None)
        members[name] = value
    return members


def array_elements(raw: Raw | bytes) -> list[Raw]:
    """The elements of an array in valid JSON."""
    try:
        return msgspec.json.decode(raw, type=list[Raw])
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [value for _, value in _items(raw, b"[")]


def _items(raw: Raw | bytes, opening: bytes) -> Iterator[tuple[str, Raw]]:
    """The parts of an object or array that msgspec does not follow, with the names of an object's members."""
    text = bytes(raw)
    if not text.startswith(opening, skip_space(text, 0)):
        # msgspec says so of every other kind by its first character, but reads a string first.
        raise msgspec.ValidationError(f"Expected `{'object' if opening == b'{' else 'array'}`, got `str`")
    for item in container_at(text).items:
        yield item.name, Raw(text[item.value.start : item.value.end])


def _decode_leaf(raw: Raw | bytes, type_: Any) -> Any:
    """Decode a value that holds no object of the format's own.

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
def _member_types(struct: type[Struct]) -> dict[str, Any]:
    """The members that a struct names, with their types; JSON name and field name are the same."""
    hints = get_type_hints(struct)
    return {name: hints[name] for name in struct.__struct_fields__ if name != "unknown"}


@cache
def _holds_struct(type_: Any) -> bool:
    if isinstance(type_, type) and issubclass(type_, Struct):
        return True
    return any(_holds_struct(argument) for argument in get_args(type_))
