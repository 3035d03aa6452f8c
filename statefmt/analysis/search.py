"""Searches attributes and outputs for text, also inside of JSON strings such as policies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct

from statefmt.golang import JSONValue, Members, loads_exact
from statefmt.model.addrs import AbsResourceInstance
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject, Snapshot, instances
from statefmt.redaction.object_value import (
    attributes_value,
    hides_any,
    hides_output,
    output_value,
    sensitive_paths,
    with_secrets,
)
from statefmt.redaction.partial import Hidden, decoded, path_text
from statefmt.text import pattern, user_regex

# The steps to a value, each with those before it; None at the root.
_Trail: TypeAlias = "tuple[_Trail | None, str | int]"


class Match(Struct, frozen=True):
    """A matching value: of a resource instance object, or of an output if `address` is None.

    `path` leads to the value; if the value is a JSON string, `inner_path` leads to the match inside it. `value` is
    the matching string, number or bool, and `span` the position of the match in its text.
    """

    address: AbsResourceInstance | None
    deposed: str
    output: str
    path: str
    inner_path: str | None
    value: JSONValue
    span: tuple[int, int]


class NotSearched(NamedTuple):
    """The numbers of objects and outputs with sensitive values, which were not searched."""

    objects: int
    outputs: int


class TooDeepError(ValueError):
    """Values are nested too deeply to be searched; the message gives the location."""


def search(snapshot: Snapshot, matcher: Matcher, *, show_sensitive: bool = False) -> Iterator[Match]:
    """Yield the matches in attributes, in list order, then those in outputs, by name.

    Raises TooDeepError at the end if some values could not be searched.
    """
    failed: list[str] = []
    for instance in instances(snapshot):
        for obj in instance.current_first:
            # Flat attributes are decoded already.
            if obj.attributes is None or matcher.may_match(bytes(obj.attributes)):
                try:
                    yield from _in_object(instance, obj, matcher, show_sensitive)
                except ValueError:
                    failed.append(str(instance.addr))
    for output in sorted(snapshot.outputs, key=lambda output: output.name):
        if matcher.may_match(output.value):
            try:
                value = decoded(output_value(output, show_sensitive=show_sensitive))
                for trail, inner, leaf, span in _in_value(value, matcher):
                    yield Match(None, "", output.name, _text(trail), inner, leaf, span)
            except ValueError:
                failed.append(f"output.{output.name}")
    if failed:
        more = f" and {len(failed) - 1:,} more" if len(failed) > 1 else ""
        raise TooDeepError(f"{failed[0]}{more}: nested too deeply to be searched")


def not_searched(snapshot: Snapshot) -> NotSearched:
    """Count the values that search() skips without `show_sensitive`. The count must not depend on the query."""
    objects = [(obj, resource.addr.resource.type) for resource in snapshot.resources for obj in resource.objects]
    secret = set(with_secrets(objects))
    return NotSearched(
        sum(place in secret or _has_sensitive(obj) for place, (obj, _) in enumerate(objects)),
        sum(hides_output(output) for output in snapshot.outputs),
    )


def _has_sensitive(obj: ResourceInstanceObject) -> bool:
    if obj.attributes is not None:
        return bool(sensitive_paths(obj))
    return hides_any(obj.attributes_flat or {}, sensitive_paths(obj))


def _in_object(
    instance: InstanceState, obj: ResourceInstanceObject, matcher: Matcher, show_sensitive: bool
) -> Iterator[Match]:
    flat = obj.attributes_flat if obj.attributes is None else None
    if flat is not None and not any(matcher.span(value) for value in flat.values()):
        return
    value = decoded(attributes_value(obj, instance.resource.addr.resource.type, show_sensitive=show_sensitive))
    for trail, inner, leaf, span in _in_value(value, matcher):
        # The name of a flat attribute is a path itself.
        path = str(trail[1]) if flat is not None and trail is not None else _text(trail)
        yield Match(instance.addr, obj.deposed, "", path, inner, leaf, span)


def _in_value(
    value: JSONValue, matcher: Matcher
) -> Iterator[tuple[_Trail | None, str | None, JSONValue, tuple[int, int]]]:
    """Yield the trail, the path inside a JSON string, the value and the span of each match."""
    for trail, leaf, text in _leaves(value):
        found = False
        if isinstance(leaf, str) and leaf.startswith(("{", "[")):
            for inner_trail, inner_leaf, inner_text in _leaves(_parsed(leaf)):
                span = matcher.span(inner_text)
                if span is not None:
                    found = True
                    yield trail, _text(inner_trail), inner_leaf, span
        # Otherwise the match is a name in the JSON string, or its syntax.
        span = None if found else matcher.span(text)
        if span is not None:
            yield trail, None, leaf, span


def _parsed(text: str) -> JSONValue:
    try:
        return loads_exact(text.encode())
    except ValueError:
        return None


def _leaves(value: JSONValue) -> Iterator[tuple[_Trail | None, JSONValue, str]]:
    """Yield strings, numbers and bools with their trails and texts, omitting hidden ones."""
    waiting: list[tuple[_Trail | None, JSONValue]] = [(None, value)]
    while waiting:
        trail, one = waiting.pop()
        if isinstance(one, Members):
            waiting += [((trail, name), part) for name, part in reversed(dict(one).items())]
        elif isinstance(one, list):
            waiting += [((trail, place), part) for place, part in reversed(list(enumerate(one)))]
        elif isinstance(one, str):
            if not isinstance(one, Hidden):
                yield trail, one, one
        elif one is not None:
            yield trail, one, "true" if one else "false"


def _text(trail: _Trail | None) -> str:
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return path_text(steps[::-1])


# Characters that Go never escapes in JSON, that invalid UTF-8 cannot turn into, and that need no escape in a JSON
# string inside a string.
_VERBATIM: Final = pattern('[^\x00-\x1f"\\\\<>&\u2028\u2029\ufffd]+')
_VERBATIM_ASCII: Final = pattern('[^\x00-\x1f"\\\\<>&\x7f-\U0010ffff]+')
# Escapes of any other character.
_OTHER_ESCAPE: Final = pattern(rb"\\(?:/|u(?!003[cCeE]|0026|202[89]))")


class Matcher:
    """A string or a regular expression to search for, in linear time."""

    def __init__(self, text: str, *, regex: bool = False, ignore_case: bool = False) -> None:
        """Raise ValueError, with the reason, for an invalid regular expression."""
        self._text = text
        self._ignore_case = ignore_case
        self._expression = None
        if regex or ignore_case:
            self._expression = user_regex(text, ignore_case=ignore_case, literal=not regex, lines=True)
        self._verbatim = b"" if regex else _longest_verbatim(text, ignore_case)

    def span(self, text: str) -> tuple[int, int] | None:
        """Return the start and end of the first match, or None."""
        if self._expression is None:
            start = text.find(self._text)
            return None if start < 0 else (start, start + len(self._text))
        match = self._expression.search(text)
        return None if match is None else match.span()

    def may_match(self, raw: bytes) -> bool:
        """Return False only if no value in JSON text can match, however its characters are escaped."""
        if not self._verbatim:
            return True
        if self._ignore_case:
            # Some non-ASCII letters equal an ASCII letter: the Kelvin sign is a k.
            if not raw.isascii() or self._verbatim in raw.lower():
                return True
        elif self._verbatim in raw:
            return True
        return b"\\" in raw and _OTHER_ESCAPE.search(raw) is not None


def _longest_verbatim(text: str, ignore_case: bool) -> bytes:
    """Return the longest part of a string that JSON never escapes, in lower case if case is ignored."""
    parts: list[str] = (_VERBATIM_ASCII if ignore_case else _VERBATIM).findall(text)
    longest = max(parts, key=len, default="").encode()
    return longest.lower() if ignore_case else longest
