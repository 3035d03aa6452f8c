"""Scans text for whole JSON values, strictly and in one pass, and goes on behind what is not JSON.

A value is whole if every byte of it is there and valid by RFC 8259. Nothing is ever completed or corrected. Where the
text stops being JSON, the open objects and arrays are recorded as broken, with the parts of them that are whole, and
scanning resumes at the next place that looks like the beginning of an object.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from statefmt.formats.salvage._breaks import Break, kind_of_break
from statefmt.formats.salvage._grammar import GAP, LOOSE, MEMBER, SCALAR
from statefmt.formats.salvage._skip import Skipper
from statefmt.text.pattern import pattern

_START: Final = pattern(rb'\{[ \t\r\n]*+(?:"|\})')
# The first member of a state or of a resource, in the order in which every release writes them.
_ANCHOR: Final = pattern(rb'\{[ \t\r\n]*+"(?:version|module|mode)"[ \t\r\n]*+:')
# The parts that are kept; values of attributes are passed over.
_ATTRIBUTES: Final = frozenset({"attributes", "attributes_flat"})
_PART: Final = frozenset({"instances", *_ATTRIBUTES})
_CONTAINERS: Final = frozenset({"resources", "instances", "outputs", *_ATTRIBUTES})
# The members by which a state, a resource and an object of one are known.
_OWN: Final = frozenset({"version", "serial", "lineage", "mode", "schema_version", *_CONTAINERS})


class ScannedValue(NamedTuple):
    """A value: its bytes from `start` to `end`, where it stands and what it contains.

    `name` is the name of the member, "" for an element. `children` are kept only for the parts that a state is made of,
    `names` are those of all members. `repeats` says that an object in it has two members of one name.
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
        """Return the last member of that name."""
        for child in reversed(self.children):
            if child.name == name:
                return child
        return None

    def whole(self, name: str) -> ScannedValue | None:
        """Return the last member of that name if it is whole."""
        child = self.child(name)
        return child if child is not None and child.is_whole else None


class Scan(NamedTuple):
    """The outermost values in order, and the places where they break."""

    nodes: tuple[ScannedValue, ...]
    breaks: tuple[Break, ...]


class _Frame:
    """An object or array that is open."""

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
        # What breaks may be no part of a state, such as the line of a log, and hold a state.
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
    """Return where the parts of a broken value end that are known to be whole."""
    while node.children and not node.children[-1].is_whole:
        node = node.children[-1]
    return node.children[-1].end if node.children else node.start + 1


def _value(text: bytes, start: int, skipper: Skipper, *, is_again: bool) -> tuple[ScannedValue, int]:
    """Scan the object at `start`. Return it, whole or broken, and where it ends or breaks."""
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
                        frame.children.append(
                            ScannedValue(
                                name=name,
                                start=here,
                                end=end,
                                kind=byte.decode(),
                                is_whole=True,
                                repeats=skipper.repeats,
                            )
                        )
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
            frame.children.append(
                ScannedValue(name=name, start=here, end=position, kind='"' if byte == b'"' else "0", is_whole=True)
            )
        is_fresh, expects = False, False
    raise AssertionError("unreachable")


def _keeps(parent: _Frame, name: str, byte: bytes) -> bool:
    """Return whether the parts of a value count: of the state, its resources, their instances, and outputs."""
    if not parent.keeps or parent.name in _ATTRIBUTES:
        return False
    if name:
        return name in _CONTAINERS or parent.name == "outputs"
    return byte == b"{"


def _node(frame: _Frame, end: int, *, is_whole: bool, rescanned: bool) -> ScannedValue:
    kind = "{" if frame.is_object else "["
    names = frozenset(frame.names) if frame.keeps else frozenset[str]()
    return ScannedValue(
        name=frame.name,
        start=frame.start,
        end=end,
        kind=kind,
        is_whole=is_whole,
        children=tuple(frame.children),
        names=names,
        repeats=frame.repeats,
        rescanned=rescanned,
    )


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
    from statefmt.golang import loads_exact

    return str(loads_exact(literal, replace_invalid=True))
