"""Compares the attributes of an object with arguments of a configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from msgspec import Raw

from statefmt.analysis.adoption._names import has_run, words_of
from statefmt.analysis.adoption.model import MovingObject
from statefmt.analysis.providers.facts import attribute_members, string_attribute
from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.model.cty.number import Number, parse_number


class ObjectAttributes:
    """The attributes of an object, decoded on demand."""

    def __init__(self, source: MovingObject) -> None:
        self._members: Final[Mapping[str, Raw]] = attribute_members(source.instance.current_first[0])
        self._decoded: Final[dict[str, JSONValue]] = {}

    @cached_property
    def _id(self) -> str | None:
        return string_attribute(self._members, "id")

    def strings(self) -> Iterator[tuple[str, str]]:
        """Yield the attributes that are strings and not empty."""
        for name in self._members:
            value = string_attribute(self._members, name)
            if value is not None:
                yield name, value

    def is_identity(self, name: str) -> bool:
        """Return whether the `id` of the object is or ends with an attribute: another value is another object."""
        if self._id is None or name == "id":
            return False
        value = string_attribute(self._members, name)
        return value is not None and (
            value == self._id or (len(value) > 2 and self._id.endswith((f"/{value}", f":{value}")))
        )

    def equals(self, name: str, part: Part) -> bool | None:
        """Return whether an argument equals the attribute; None if unknown, or if either says nothing."""
        top, *path = name.split("[0].")
        raw = self._members.get(top)
        if raw is None or (isinstance(part, Value) and part.is_null):
            return None
        try:
            if top not in self._decoded:
                self._decoded[top] = _static(loads_exact(bytes(raw), replace_invalid=True))
            value = self._decoded[top]
            for step in path:
                block = value[0] if isinstance(value, list) and len(value) == 1 else value
                value = dict(block).get(step) if isinstance(block, Members) else None
            answer = None if value is None else _equals(part, value)
            if answer is None and isinstance(value, str) and isinstance(part, Value) and self.is_identity(name):
                # An id in other words is that of another object.
                return value == part.data
            return answer
        except (ValueError, RecursionError):
            return None

    def has_words(self, name: str, words: Sequence[str]) -> bool:
        """Return whether an attribute has some words, one after the other."""
        raw = bytes(self._members.get(name.partition("[")[0], Raw(b"null")))
        return bool(words) and has_run(words_of(raw.decode("utf-8", "replace")), words)

    def is_telling(self, name: str) -> bool:
        """Return whether an attribute has a string, a number or more: null, true and false say too little."""
        return bytes(self._members.get(name.partition("[")[0], Raw(b"null"))) not in _SAYS_LITTLE


def _static(value: JSONValue) -> JSONValue:
    """Return the value of an attribute of a dynamic type, without the type."""
    if isinstance(value, Members) and [name for name, _ in value] == ["value", "type"]:
        return value[0][1]
    return value


_SAYS_LITTLE: Final = frozenset({b"null", b"true", b"false", b'""', b"[]", b"{}", b"0"})


def _equals(part: Part, value: JSONValue) -> bool | None:
    if isinstance(part, Unknown):
        return None
    data = part.data
    if data is None:
        return value is None or value in ("", [], Members())
    if isinstance(data, bool):
        return value is data or value == str(data).lower()
    if isinstance(data, Number):
        number = parse_number(value) if isinstance(value, str) else None
        return number is not None and number == data
    if isinstance(data, str):
        if isinstance(value, bool):
            return data == str(value).lower()
        if isinstance(value, str) and value != data and value[:1] in ("{", "[") and data[:1] == value[:1]:
            # JSON documents: providers write them their own way.
            return None
        if isinstance(value, str) and value != data and _may_be_equal(value, data):
            return None
        return isinstance(value, str) and value == data
    if isinstance(data, Mapping):
        if not isinstance(value, Members):
            return None
        members = dict(value)
        answers = [_equals(item, members.get(name)) for name, item in data.items()]
        extra = any(members[name] not in (None, "", [], Members()) for name in members.keys() - data.keys())
        return _all([*answers, not extra])
    if not isinstance(value, list) or len(value) != len(data):
        return None
    return _all([_equals(item, other) for item, other in zip(data, value, strict=True)])


def _may_be_equal(value: str, given: str) -> bool:
    """Return whether providers may write one of two strings as the other: URLs, domain names, upper and lower case."""
    short, long = sorted((value.lower(), given.lower()), key=len)
    return short == long or long.endswith(f"/{short}") or long.startswith(f"{short}.")


def _all(answers: Sequence[bool | None]) -> bool | None:
    if False in answers:
        return False
    return None if None in answers else True
