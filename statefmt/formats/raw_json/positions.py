"""Finds the line and column that a JSON pointer points to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import SHORT_MEMBER, json_problem, member_at, skip_space, utf8_problem, value_end
from statefmt.golang import fold_name, loads_exact
from statefmt.model.findings import Code, Finding
from statefmt.text import pattern

# No state nests this deeply; longer pointers are only followed this far.
_DEEPEST: Final = 200
_ESCAPE: Final = pattern("~[01]")
_SEPARATOR: Final = pattern(rb"[ \t\r\n]*+(?:,[ \t\r\n]*+)?")


class Position(NamedTuple):
    """A position in a file: line and column, both 1-based, the column in characters."""

    line: int
    column: int


class _Wanted:
    """A node in the tree of the tokens of all pointers. `offset` is -1 until the node is found."""

    __slots__ = ("children", "exact", "offset", "parent")

    def __init__(self, parent: _Wanted | None = None) -> None:
        self.parent = parent
        # By name as Go matches it, then by name as wanted.
        self.children: dict[str, dict[str, _Wanted]] = _NOTHING_INSIDE
        self.offset = -1
        self.exact = False

    def child(self, name: str) -> _Wanted:
        """Return the node of a member or an element; create it if it is new."""
        children = self.children
        if not children:
            children = self.children = {}
        key = fold_name(name)
        named = children.get(key)
        if named is None:
            named = children[key] = {}
        node = named.get(name)
        if node is None:
            node = named[name] = _Wanted(self)
        return node

    def found(self, name: str, offset: int) -> Iterator[_Wanted]:
        """Record that a part was found at `offset`, and yield its nodes.

        The last of duplicate members counts. A name that differs in case matches unless there is an exact match.
        """
        for wanted, child in self.children.get(fold_name(name), _NOTHING).items():
            exact = wanted == name
            if exact or not child.exact:
                child.forget()
                child.offset, child.exact = offset, exact
                yield child

    def forget(self) -> None:
        """Discard the offsets here and below: they belong to a duplicate member that does not count."""
        if self.offset >= 0:
            self.offset, self.exact = -1, False
            for named in self.children.values():
                for child in named.values():
                    child.forget()

    def nearest(self) -> int:
        """Return the offset of the innermost part that was found on the way here."""
        node: _Wanted | None = self
        while node is not None:
            if node.offset >= 0:
                return node.offset
            node = node.parent
        return 0


_NOTHING: Final[dict[str, _Wanted]] = {}
_NOTHING_INSIDE: Final[dict[str, dict[str, _Wanted]]] = {}


def positions(data: bytes, pointers: Iterable[str]) -> dict[str, Position]:
    """Return the position of each pointer's target (RFC 6901): the name of a member, or the element itself.

    If the target does not exist, the position is that of its innermost existing part, so that a finding about a
    missing member points at the object without it. The last of duplicate members counts; names match exactly, else
    ignoring case.

    Takes one pass over the bytes, without decoding them, and enters only the parts that are needed. Never raises: text
    that is not JSON is followed as far as possible.
    """
    root = _Wanted()
    nodes = _nodes(root, pointers)
    if not nodes:
        return {}
    root.offset = skip_space(data, 0)
    # Many findings are about the whole file, whose start is known. A ValueError means that the text is not JSON from
    # the current offset on.
    if root.children:
        with suppress(ValueError):
            _walk(data, root.offset, root)
    offsets = {pointer: node.nearest() for pointer, node in nodes.items()}
    places = _places(data, offsets.values())
    return {pointer: places[offset] for pointer, offset in offsets.items()}


def finding_positions(data: bytes, findings: Iterable[Finding]) -> dict[str, Position]:
    """Return the position of each pointer in the findings about a file.

    Findings about the whole file (pointer "") get its start; but if the only one is that the file is not JSON or not
    UTF-8, it gets the position of the first invalid byte.
    """
    found = list(findings)
    places = positions(data, dict.fromkeys([finding.pointer for finding in found]))
    whole = {finding.code for finding in found if not finding.pointer}
    offset = None
    if whole == {Code.NOT_A_STATE}:
        offset = _syntax_offset(data)
    elif whole == {Code.NOT_UTF8}:
        problem = utf8_problem(data)
        offset = problem.offset if problem else None
    if offset is not None:
        places[""] = _places(data, (offset,))[offset]
    return places


def _nodes(root: _Wanted, pointers: Iterable[str]) -> dict[str, _Wanted]:
    nodes: dict[str, _Wanted] = {}
    # Most pointers lead to members of a few objects.
    parents: dict[str, _Wanted] = {}
    for pointer in pointers:
        above, slash, last = pointer.rpartition("/")
        if not slash or pointer.count("/") > _DEEPEST:
            nodes[pointer] = _descend(root, pointer)
            continue
        parent = parents.get(above)
        if parent is None:
            parent = parents[above] = _descend(root, above)
        nodes[pointer] = parent.child(_unescaped(last) if "~" in last else last)
    return nodes


def _descend(root: _Wanted, pointer: str) -> _Wanted:
    node = root
    for token in pointer.split("/")[1 : _DEEPEST + 1]:
        node = node.child(_unescaped(token) if "~" in token else token)
    return node


def _unescaped(token: str) -> str:
    return _ESCAPE.sub(lambda match: "~" if match[0] == "~0" else "/", token)


def _walk(data: bytes, start: int, wanted: _Wanted) -> int:
    """Find the wanted parts of the value that starts at `start`; return the end of the value."""
    opening = data[start : start + 1]
    if not wanted.children or opening not in (b"{", b"["):
        return value_end(data, start)
    is_object = opening == b"{"
    number = 0
    position = skip_space(data, start + 1)
    while data[position : position + 1] not in (b"}", b"]"):
        if is_object and (short := SHORT_MEMBER.match(data, position)):
            for _ in wanted.found(short[1].decode("ascii"), position):
                """Nothing is inside."""
            position = short.end()
            continue
        if is_object:
            name, value = member_at(data, position)
        else:
            name, value = str(number), position
        number += 1
        end = 0
        for child in wanted.found(name, position):
            end = _walk(data, value, child)
        position = end or value_end(data, value)
        separator = _SEPARATOR.match(data, position)
        position = separator.end() if separator else position
    return position + 1


def _places(data: bytes, offsets: Iterable[int]) -> dict[int, Position]:
    places = {}
    line, column, before = 1, 1, 0
    for offset in sorted(set(offsets)):
        newlines = data.count(b"\n", before, offset)
        if newlines:
            line, column = line + newlines, 1
            before = data.rindex(b"\n", before, offset) + 1
        column += len(data[before:offset].decode("utf-8", "replace"))
        before = offset
        places[offset] = Position(line, column)
    return places


def _syntax_offset(data: bytes) -> int | None:
    """Return the offset of the syntax error in a text; None if the text is JSON."""
    try:
        msgspec.json.decode(data, type=dict[str, Raw])
    except (msgspec.ValidationError, RecursionError):
        return None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            loads_exact(data, replace_invalid=True)
        except ValueError:
            # Imported late: most files are JSON.
            from statefmt.formats.raw_json.slips import mended

            fixed = mended(data)
            return json_problem(data, error).offset if fixed is None else fixed.slips[0].offset
    return None
