"""Scans text for whole JSON values, strictly and in one pass, and continues after syntax errors.

A value is whole if it is complete and valid by RFC 8259. Never completes or corrects values. At a syntax error, the
open objects and arrays are recorded as broken, with their whole parts, and scanning resumes at the next position that
looks like the beginning of an object.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from json import JSONDecoder
from typing import Final, NamedTuple, NoReturn

from statefmt.golang import loads_exact
from statefmt.text import pattern

SPACE: Final = rb"[ \t\r\n]*+"
STRING: Final = rb'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER: Final = rb"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
MEMBER: Final = pattern(SPACE + b"(" + STRING + b")" + SPACE + b":" + SPACE)
# A number ends only before another character: at the end of the text, digits may be missing.
SCALAR: Final = pattern(STRING + rb"|(?:true|false|null|" + _NUMBER + rb")(?=[ \t\r\n]*+[,\]}])")
GAP: Final = pattern(SPACE)
# Text between the parts of a state whose brackets are lost: values that are not used, and brackets.
LOOSE: Final = pattern(rb"(?:[ \t\r\n,:\[\]}]++|" + STRING + rb"|true|false|null|" + _NUMBER + rb")*+")


_START: Final = pattern(rb'\{[ \t\r\n]*+(?:"|\})')
# The first member of a state or of a resource, in the order in which every release writes them.
_ANCHOR: Final = pattern(rb'\{[ \t\r\n]*+"(?:version|module|mode)"[ \t\r\n]*+:')
# The parts that are kept; values of attributes are skipped.
_ATTRIBUTES: Final = frozenset({"attributes", "attributes_flat"})
_PART: Final = frozenset({"instances", *_ATTRIBUTES})
_CONTAINERS: Final = frozenset({"resources", "instances", "outputs", *_ATTRIBUTES})
# The members that identify a state, a resource and an object.
_OWN: Final = frozenset({"version", "serial", "lineage", "mode", "schema_version", *_CONTAINERS})


class ScannedValue(NamedTuple):
    """A value: its bytes from `start` to `end`, its position and its parts.

    `name` is the name of the member, "" for an element. `children` are kept only for the parts of a state, `names`
    has all member names. `repeats` if an object in it has two members with the same name.
    """

    name: str
    start: int
    end: int
    kind: str
    is_whole: bool
    children: tuple[ScannedValue, ...] = ()
    names: frozenset[str] = frozenset()
    repeats: bool = False
    rescanned: bool = False

    def child(self, name: str) -> ScannedValue | None:
        return next((child for child in reversed(self.children) if child.name == name), None)

    def whole(self, name: str) -> ScannedValue | None:
        child = self.child(name)
        return child if child is not None and child.is_whole else None


class Scan(NamedTuple):
    """The outermost values in order, and the offsets where they break."""

    nodes: tuple[ScannedValue, ...]
    breaks: tuple[Break, ...]


class _Frame:
    """An open object or array."""

    __slots__ = ("children", "is_object", "keeps", "name", "names", "repeats", "start")

    def __init__(self, name: str, start: int, is_object: bool, keeps: bool) -> None:
        self.name, self.start, self.is_object, self.keeps = name, start, is_object, keeps
        self.children: list[ScannedValue] = []
        self.names: set[str] = set()
        self.repeats = False


def scan(text: bytes) -> Scan:
    """Return the values in a text, in time linear in its length."""
    nodes: list[ScannedValue] = []
    breaks: list[Break] = []
    position = rescanned = 0
    skipper = Skipper(text)
    while True:
        start = _START.search(text, position)
        if start is None:
            return Scan(tuple(nodes), tuple(breaks))
        node, position = _value(text, start.start(), skipper, is_again=start.start() < rescanned)
        nodes.append(node)
        if node.is_whole:
            if node.names & _PART and (loose := LOOSE.match(text, position)):
                position = loose.end()
            continue
        broken = position
        position = max(broken, start.start() + 1)
        if breaks and breaks[-1].position == broken:
            continue
        breaks.append(Break(broken, kind_of_break(text, broken), _element(node)))
        # A broken value may not belong to a state, such as a log line, and yet contain a state.
        is_foreign = not node.names & _OWN
        if breaks[-1].kind.is_seam or is_foreign:
            # Or it may have swallowed whole resources. No byte is scanned more than twice.
            begin = max(node.start + 1 if is_foreign else _innermost_end(node), rescanned)
            anchor = _ANCHOR.search(text, begin, broken) if begin < broken else None
            if anchor is not None:
                position, rescanned = anchor.start(), broken


def _element(node: ScannedValue) -> int:
    start = node.start
    while node.children and not node.children[-1].is_whole:
        node = node.children[-1]
        start = start if node.name else node.start
    return start


def _innermost_end(node: ScannedValue) -> int:
    """Return the end of the parts of a broken value that are known to be whole."""
    while node.children and not node.children[-1].is_whole:
        node = node.children[-1]
    return node.children[-1].end if node.children else node.start + 1


def _value(text: bytes, start: int, skipper: Skipper, *, is_again: bool) -> tuple[ScannedValue, int]:
    """Scan the object at `start`. Return it, whole or broken, and the offset where it ends or breaks."""
    stack = [_Frame("", start, True, True)]
    member, scalar, gap = MEMBER.match, SCALAR.match, GAP.match
    position, name = start + 1, ""
    # After a bracket that opens, anything may follow; after a comma, only a value.
    is_fresh, expects = True, True
    while stack:
        frame = stack[-1]
        found = gap(text, position)
        here = found.end() if found else position
        byte = text[here : here + 1]
        if byte == (b"}" if frame.is_object else b"]") and (is_fresh or not expects):
            stack.pop()
            position = here + 1
            node = _node(frame, position, is_whole=True, rescanned=is_again and not stack)
            if not stack:
                return node, position
            parent = stack[-1]
            parent.repeats |= frame.repeats
            if parent.keeps:
                parent.children.append(node)
            is_fresh, expects = False, False
            continue
        if not expects:
            if byte != b",":
                return _broken(stack, here, is_again), here
            position, expects, is_fresh = here + 1, True, False
            continue
        if frame.is_object:
            named = member(text, position)
            if named is None:
                return _broken(stack, here, is_again), here
            name = _name(named[1])
            if name in frame.names:
                frame.repeats = True
            frame.names.add(name)
            here = named.end()
            byte = text[here : here + 1]
        else:
            name = ""
        if byte in (b"{", b"["):
            keeps = _keeps(frame, name, byte)
            if not keeps or name in _ATTRIBUTES:
                end = skipper.end_of(here)
                if end is not None:
                    frame.repeats |= skipper.repeats
                    if frame.keeps:
                        kind, repeats = byte.decode(), skipper.repeats
                        frame.children.append(ScannedValue(name, here, end, kind, is_whole=True, repeats=repeats))
                    position, is_fresh, expects = end, False, False
                    continue
            stack.append(_Frame(name, here, byte == b"{", keeps))
            position, is_fresh, expects = here + 1, True, True
            continue
        value = scalar(text, here)
        if value is None:
            return _broken(stack, here, is_again), here
        position = value.end()
        if frame.keeps and (name == "id" or frame.name not in _ATTRIBUTES):
            frame.children.append(ScannedValue(name, here, position, '"' if byte == b'"' else "0", is_whole=True))
        is_fresh, expects = False, False
    raise AssertionError("unreachable")


def _keeps(parent: _Frame, name: str, byte: bytes) -> bool:
    """Return whether the parts of a value are kept: of the state, its resources, their instances, and outputs."""
    if not parent.keeps or parent.name in _ATTRIBUTES:
        return False
    if name:
        return name in _CONTAINERS or parent.name == "outputs"
    return byte == b"{"


def _node(frame: _Frame, end: int, *, is_whole: bool, rescanned: bool) -> ScannedValue:
    kind, children = "{" if frame.is_object else "[", tuple(frame.children)
    names = frozenset(frame.names) if frame.keeps else frozenset[str]()
    node = ScannedValue(frame.name, frame.start, end, kind, is_whole=is_whole, children=children, names=names)
    return node._replace(repeats=frame.repeats, rescanned=rescanned)


def _broken(stack: list[_Frame], end: int, is_again: bool) -> ScannedValue:
    node: ScannedValue | None = None
    for frame in reversed(stack):
        if node is not None:
            frame.children.append(node)
            frame.repeats |= node.repeats
        node = _node(frame, end, is_whole=False, rescanned=is_again and frame is stack[0])
    assert node is not None
    return node


def _name(literal: bytes) -> str:
    if b"\\" not in literal:
        return literal[1:-1].decode("utf-8", "replace")
    return str(loads_exact(literal, replace_invalid=True))


# Each failure costs time linear in the text before it.
_MOST_FAILURES: Final = 100


class Skipper:
    """Finds the ends of objects and arrays in a text. Reads no byte in vain more than once.

    `repeats` is whether an object in the last value has two members with the same name.
    """

    def __init__(self, text: bytes) -> None:
        self.repeats = False
        self._bytes = text
        # One character for each byte, so that offsets are the same.
        self._text = text.decode("latin-1")
        self._failed_until = self._failures = 0
        self._decode = JSONDecoder(
            object_pairs_hook=self._object, parse_int=len, parse_float=len, parse_constant=_refuse
        ).raw_decode

    def end_of(self, start: int) -> int | None:
        """Return the end of the whole object or array at an offset; None if it breaks, or needs the slow reader."""
        if start < self._failed_until:
            return None
        self.repeats = False
        try:
            end = self._decode(self._text, start)[1]
        except (ValueError, RecursionError) as error:
            self._failures += 1
            is_last = isinstance(error, RecursionError) or self._failures >= _MOST_FAILURES
            self._failed_until = len(self._text) if is_last else max(start, getattr(error, "pos", start)) + 1
            return None
        value = self._bytes[start:end]
        # Two spellings of one name can differ only if one has an escape.
        return None if b"\\u" in value and not value.isascii() else end

    def _object(self, members: list[tuple[str, object]]) -> None:
        if len(dict(members)) != len(members):
            self.repeats = True


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def string(text: bytes, node: ScannedValue | None) -> str | None:
    """Return the value of a whole string of valid Unicode; None for any other value."""
    if node is None or not node.is_whole or node.kind != '"':
        return None
    return string_in(text[node.start : node.end])


def string_in(raw: bytes) -> str | None:
    """Return the value of a string literal of valid Unicode; None for any other text."""
    value = str(loads_exact(raw, replace_invalid=True)) if b"\\" in raw else raw[1:-1].decode("utf-8", "replace")
    return None if "\ufffd" in value else value


def integer(text: bytes, node: ScannedValue | None) -> int | None:
    """Return the value of a whole number without sign, fraction or exponent, of at most 20 digits."""
    raw = text[node.start : node.end] if node is not None and node.is_whole and node.kind == "0" else b""
    return int(raw) if raw.isdigit() and len(raw) <= 20 else None


def is_utf8(text: bytes, node: ScannedValue) -> bool:
    """Return whether the bytes of a value are valid UTF-8."""
    raw = text[node.start : node.end]
    if raw.isascii():
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


# Resources are in the state and its array.
RESOURCE_LEVEL: Final = 2
# Every string is closed; the question mark keeps the search linear in any text.
_STRING: Final = pattern(STRING + b"?")


def levels(text: bytes, nodes: Sequence[ScannedValue]) -> list[int | None]:
    """Return for each value how many brackets close after it up to the end of the state; None if that is lost.

    An object in the attributes of a torn resource may look like a resource: only its nesting shows the difference.
    """
    found: list[int | None] = []
    begin, level = len(text), 0 if ends_as_state(text) else None
    for node in reversed(nodes):
        mine = _level(text, node, begin, level) if node.is_whole and level is not None else None
        found.append(mine)
        # A value that is open at the break does not show its own nesting.
        begin, level = node.start, mine
    return found[::-1]


def _level(text: bytes, node: ScannedValue, end: int, level: int) -> int | None:
    between = text[node.end : end].rstrip(b"\0")
    loose = LOOSE.fullmatch(between)
    if loose is None:
        return None
    bare = _STRING.sub(b"", between)
    return level + bare.count(b"]") + bare.count(b"}") - bare.count(b"[")


# The end of a state, in either layout. A truncated state never ends so: an indented one has no other brace in the
# first column, a compact one no other line break.
_STATE_END: Final = pattern(rb"(?:\n|[^\s{])\}\s*\Z")
_LONGEST_END: Final = 64
_ANYTHING: Final = pattern(rb"[^\0 \r\n\t]")
# A token truncated by the end of the file or a zeroed block: a string, a word, a number, or a name without its value.
_CUT_OFF: Final = pattern(
    rb'(?:"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+(?:\\(?:u[0-9a-fA-F]{0,3})?|")?|[a-z0-9.+\-E]*+)'
    + SPACE
    + rb":?(?=\0|\Z)"
)


class BreakKind(Enum):
    """The cause of a break: the end of the file, zero bytes, other text, or the end of a state."""

    END = "end"
    ZEROS = "zeros"
    TEXT = "text"
    OLD_END = "old end"

    @property
    def is_seam(self) -> bool:
        """Whether two texts meet there, or before."""
        return self in (BreakKind.TEXT, BreakKind.OLD_END)


class Break(NamedTuple):
    """The offset where an open value stops being JSON; `element` is the start of the innermost open element."""

    position: int
    kind: BreakKind
    element: int


def kind_of_break(text: bytes, position: int) -> BreakKind:
    """Return the cause of the break at an offset."""
    cut = _CUT_OFF.match(text, position)
    if cut is None:
        return BreakKind.TEXT
    if _ANYTHING.search(text, cut.end()):
        return BreakKind.ZEROS
    return BreakKind.OLD_END if ends_as_state(text) else BreakKind.END


def ends_as_state(text: bytes) -> bool:
    """Return whether a text ends as a state does; zeros may follow."""
    end = (text if text[-1:] != b"\0" else text.rstrip(b"\0"))[-_LONGEST_END:]
    return end.endswith(b"\n") and _STATE_END.search(end) is not None
