"""Reads text as JSON tokens up to the first syntax error, and records brackets that look wrong.

A missing or extra bracket is often far before the syntax error. The indentation, and the names of a state's members,
show where. This module also checks the names and types of those members.
"""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Final, NamedTuple

from statefmt.text import pattern

STRING: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER: Final = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_TOKEN: Final = pattern(rb"[ \t\r\n]*+([{}\[\]:,]|" + STRING + rb"|(?:true|false|null|" + _NUMBER + rb")(?![\w.+-]))")
_SPACE: Final = pattern(rb"[ \t\r\n]*+")
_COLON: Final = pattern(rb"[ \t\r\n]*+:")
_ARRAY_OR_NULL: Final = pattern(rb"[ \t\r\n]*+:[ \t\r\n]*+(?:\[|null)")

STATE: Final = frozenset(
    {"version", "terraform_version", "serial", "lineage", "outputs", "resources", "check_results"}
)  # fmt: skip
RESOURCE: Final = frozenset({"module", "mode", "type", "name", "each", "provider", "instances"})
OBJECT: Final = frozenset({
    "index_key", "status", "deposed", "schema_version", "attributes", "attributes_flat", "sensitive_attributes",
    "identity_schema_version", "identity", "private", "dependencies", "depends_on",
    "create_before_destroy", "skip_destroy", "provider",
})  # fmt: skip
OUTPUT: Final = frozenset({"value", "type", "sensitive", "deprecated"})
# Members that follow the attributes in an object of a resource; no attribute has one of these names.
BEHIND_ATTRIBUTES: Final = frozenset({"sensitive_attributes", "identity_schema_version", "create_before_destroy"})
_KNOWN: Final = {"state": STATE, "resource": RESOURCE, "object": OBJECT, "output": OUTPUT}
# The role of a value in a state, by the role of its container and its name.
_ROLES: Final = {
    ("", ""): "state", ("state", "resources"): "resources", ("resources", ""): "resource",
    ("resource", "instances"): "instances", ("instances", ""): "object", ("object", "attributes"): "attributes",
    ("state", "outputs"): "outputs",
}  # fmt: skip
_MOST_SUSPECTS: Final = 8
# After an error in a quote, the contents of strings may be read as tokens up to the syntax error.
_KEPT_TOKENS: Final = 16


class Expected(Enum):
    """The expected token; `FIRST_…` directly after an opening bracket."""

    VALUE = "value"
    FIRST_VALUE = "first value"
    NAME = "name"
    FIRST_NAME = "first name"
    COLON = "colon"
    COMMA = "comma"
    END = "end"


class JsonToken(NamedTuple):
    """A token: its first byte, and its position."""

    kind: bytes
    start: int
    end: int


class Frame:
    """An open object or array: its start, the start of its last value, and the indentation of line and parts."""

    __slots__ = ("indent", "inner", "is_object", "parts", "role", "start", "value_at")

    def __init__(self, start: int, is_object: bool, role: str, indent: int | None) -> None:
        self.start, self.is_object, self.role, self.indent = start, is_object, role, indent
        self.inner: int | None = None
        self.value_at, self.parts = -1, 0

    @property
    def closer(self) -> bytes:
        """The closing bracket."""
        return b"}" if self.is_object else b"]"


class Suspect(NamedTuple):
    """A position where a bracket seems to be missing, or superfluous (b"")."""

    position: int
    missing: bytes


class Stopped(NamedTuple):
    """The first syntax error in a text: the expected token, the last tokens before it, and the open brackets.

    `indent` is the indentation of the position if it begins a line.
    """

    position: int
    expected: Expected
    tokens: tuple[JsonToken, ...]
    frames: tuple[Frame, ...]
    suspects: tuple[Suspect, ...]
    indent: int | None


def stop_in(text: bytes) -> Stopped | None:
    """Return the first syntax error of a text, None if the text is JSON. Takes linear time."""
    return _Reader(text).stop()


def is_aligned(text: bytes) -> bool:
    """Return whether each part of a JSON text is on its own line, indented like its neighbours as in releases.

    Then no bracket is misplaced: the indentation of the values that it moved would differ.
    """
    reader = _Reader(text)
    return reader.stop() is None and reader.is_aligned


class Surroundings(NamedTuple):
    """The context of a position: the open brackets, and the closing brackets directly before it in reverse order."""

    frames: tuple[Frame, ...]
    closed: tuple[Frame, ...]


def place_in(text: bytes, position: int) -> Surroundings:
    """Return the context of a position; the text before it must be valid JSON."""
    return _Reader(text).place(position)


class _Reader:
    def __init__(self, text: bytes) -> None:
        self._text = text
        self._frames: list[Frame] = []
        self._tokens: list[JsonToken] = []
        self._suspects: list[Suspect] = []
        self._expected, self._name = Expected.VALUE, ""
        # The indentation of the current line, and of the token if it begins the line.
        self._line: int | None = None
        self._indent: int | None = None
        # Whether the last closing bracket begins its line and is indented like its opening bracket.
        self._is_fitting = False
        self._closed: list[Frame] = []
        self.is_aligned = True

    def place(self, position: int) -> Surroundings:
        self._read(position)
        return Surroundings(tuple(self._frames), tuple(self._closed[::-1]))

    def stop(self) -> Stopped | None:
        text = self._text
        position = self._read(len(text))
        space = _SPACE.match(text, position)
        end = space.end() if space else position
        if end == len(text) and self._expected is Expected.END:
            return None
        self._begin(position, end)
        return Stopped(
            end, self._expected, tuple(self._tokens), tuple(self._frames), tuple(self._suspects), self._indent
        )

    def _read(self, until: int) -> int:
        """Read valid tokens that end at or before an offset; return the end of the last one."""
        match, text, position = _TOKEN.match, self._text, 0
        while (found := match(text, position)) is not None:
            start, end = found.span(1)
            if end > until:
                break
            self._begin(position, start)
            token = JsonToken(text[start : start + 1], start, end)
            if not self._take(token):
                break
            self._tokens.append(token)
            del self._tokens[:-_KEPT_TOKENS]
            position = end
        return position

    def _begin(self, position: int, start: int) -> None:
        newline = self._text.rfind(b"\n", position, start)
        self._indent = None
        if newline >= 0 or position == 0:
            self._line = self._indent = start - newline - 1 if newline >= 0 else start

    def _take(self, token: JsonToken) -> bool:
        top = self._frames[-1] if self._frames else None
        kind, expected = token.kind, self._expected
        if self._closed and kind not in (b"}", b"]"):
            self._closed.clear()
        self.is_aligned &= kind != b"," or self._indent is None
        if kind == b",":
            if expected is not Expected.COMMA or top is None:
                return False
            self._expected = Expected.NAME if top.is_object else Expected.VALUE
        elif kind == b":":
            if expected is not Expected.COLON:
                return False
            self._expected = Expected.VALUE
        elif kind in (b"}", b"]"):
            return self._close(token, top)
        elif expected in (Expected.NAME, Expected.FIRST_NAME):
            if kind != b'"' or top is None:
                return False
            self._name = self._text[token.start + 1 : token.end - 1].decode("utf-8", "replace")
            self._part(top, token)
            self._expected = Expected.COLON
        elif expected in (Expected.VALUE, Expected.FIRST_VALUE):
            self._value(token, top)
        else:
            return False
        return True

    def _close(self, token: JsonToken, top: Frame | None) -> bool:
        first = Expected.FIRST_NAME if token.kind == b"}" else Expected.FIRST_VALUE
        if top is None or token.kind != top.closer or self._expected not in (Expected.COMMA, first):
            return False
        if self._indent is not None and top.indent is not None and self._indent < top.indent:
            self._unclosed(self._tokens[-1].end, top)
        if self._indent is None and top.inner is not None and self._tokens[-1].end == token.start:
            self._suspect(token.start, b"")
        self._is_fitting = self._indent == (top.indent if top.parts else None)
        self.is_aligned &= self._is_fitting
        self._closed.append(self._frames.pop())
        self._expected = Expected.COMMA if self._frames else Expected.END
        return True

    def _value(self, token: JsonToken, top: Frame | None) -> None:
        if top is not None:
            if not top.is_object:
                self._name = ""
                self._part(top, token)
            elif self._indent is not None:
                self.is_aligned = False
            top.value_at = token.start
        if token.kind not in (b"{", b"["):
            self._expected = Expected.COMMA if top is not None else Expected.END
            return
        around = "" if top is None else top.role
        role = "output" if around == "outputs" else _ROLES.get((around, self._name if top is not None else ""), "-")
        self._frames.append(Frame(token.start, token.kind == b"{", role, self._line))
        self._expected = Expected.FIRST_NAME if token.kind == b"{" else Expected.FIRST_VALUE

    def _part(self, top: Frame, token: JsonToken) -> None:
        """Record brackets that the indentation and name of a part make suspect."""
        top.parts += 1
        fits = self._indent == top.inner if top.inner is not None else (self._indent or 0) > (top.indent or 0)
        self.is_aligned &= self._indent is not None and fits
        last = self._tokens[-2:]
        is_behind_comma = len(last) == 2 and last[1].kind == b","
        if self._indent is not None:
            if top.inner is None:
                top.inner = self._indent
            elif is_behind_comma and self._indent < top.inner and self._indent <= (top.indent or 0):
                self._unclosed(last[0].end, top)
            elif is_behind_comma and self._indent > top.inner:
                if last[0].kind in (b"}", b"]") and not self._is_fitting:
                    self._suspect(last[0].start, b"")
                elif not top.is_object:
                    is_member = token.kind == b'"' and _COLON.match(self._text, token.end) is not None
                    self._suspect(token.start, b"{" if is_member else b"[")
        if not top.is_object or not is_behind_comma:
            return
        name, role = self._name, top.role
        is_outer = (
            (role == "attributes" and name in BEHIND_ATTRIBUTES)
            or (role == "output" and name not in OUTPUT)
            or (role == "outputs" and name in STATE and _ARRAY_OR_NULL.match(self._text, token.end) is not None)
        )
        if is_outer:
            self._suspect(last[0].end, top.closer)
        elif role in _KNOWN and name not in _KNOWN[role] and last[0].kind in (b"}", b"]"):
            self._suspect(last[0].start, b"")

    def _unclosed(self, position: int, top: Frame) -> None:
        """Record a bracket that closes too late: the opening bracket is superfluous if it is next to another."""
        if not top.is_object and self._text[top.start + 1 : top.start + 2] == b"[":
            self._suspect(top.start, b"")
        else:
            self._suspect(position, top.closer)

    def _suspect(self, position: int, missing: bytes) -> None:
        suspect = Suspect(position, missing)
        if len(self._suspects) < _MOST_SUSPECTS and suspect not in self._suspects:
            self._suspects.append(suspect)


def has_right_types(text: bytes) -> bool:
    """Return whether no member is repeated, and all members with a fixed type have that type."""
    try:
        state = json.loads(text, object_pairs_hook=_members)
    except _RepeatedError:
        return False
    checks = state.get("check_results") or []
    return (
        all(_is_type(one.get("type")) for one in (state.get("outputs") or {}).values())
        and all(_is_object(one) for resource in state["resources"] for one in resource["instances"])
        and all(isinstance(one, dict) and _are(one.get("objects"), dict) for one in checks)
        and all(_are(each.get("failure_messages"), str) for one in checks for each in one.get("objects") or [])
    )


def has_known_members(text: bytes) -> bool:
    """Return whether all members of a state are in a valid place."""
    state = json.loads(text)
    outputs = (state.get("outputs") or {}).values()
    if not state.keys() <= STATE or not all(one.keys() <= OUTPUT for one in outputs):
        return False
    for resource in state["resources"]:
        if not resource.keys() <= RESOURCE or not all(_is_known(one) for one in resource["instances"]):
            return False
    return True


def _is_known(one: dict[str, Any]) -> bool:
    """Return whether all members of an object are known, and none is among its attributes."""
    attributes = one.get("attributes") or {}
    if not one.keys() <= OBJECT or attributes.keys() & BEHIND_ATTRIBUTES:
        return False
    # Attributes may have the other names, too: only a name that the object lacks can be misplaced.
    return "sensitive_attributes" in one or not attributes.keys() & (OBJECT - one.keys())


class _RepeatedError(Exception):
    """An object has two members with the same name."""


def _members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _RepeatedError
    return members


def _is_object(one: dict[str, Any]) -> bool:
    attributes, paths = one.get("attributes"), one.get("sensitive_attributes")
    if not isinstance(attributes, dict | None) or not _are(one.get("dependencies"), str) or not _are(paths, list):
        return False
    return all(_are(path, dict) for path in paths or ())


def _is_type(one: object) -> bool:
    return one is None or isinstance(one, str) or (isinstance(one, list) and bool(one) and isinstance(one[0], str))


def _are(values: object, kind: type) -> bool:
    return values is None or (isinstance(values, list) and all(isinstance(one, kind) for one in values))
