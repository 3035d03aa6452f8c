"""Finds the editing mistake that makes a state invalid JSON: a comma, a quote, a bracket, a comment.

First tries one small change, then several of the same kind. A change counts only if it makes the whole text a state
of format version 4 in which every object is complete. Never completes the end of a file: a truncated file also lacks
brackets, and its lost content is unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from statefmt.formats.raw_json import locate
from statefmt.formats.raw_json._tokens import (
    STRING,
    Expected,
    Stopped,
    has_known_members,
    has_right_types,
    is_aligned,
    place_in,
    stop_in,
)
from statefmt.text import pattern

_RANKS: Final = 5
# In bytes: the text outside strings that may follow a string.
_LONGEST_TAIL: Final = 64
# Of one kind. Each costs a few passes over the text.
_MOST_SLIPS: Final = 12
# In bytes; larger files are rarely edited by hand, and the search needs some thirty passes.
_LARGEST: Final = 1 << 28
_CLOSERS: Final = (b"}", b"]")
_OPENERS: Final = {b"}": b"{", b"]": b"["}
_WORDS: Final = {
    "true": b"true", "false": b"false", "none": b"null", "null": b"null", "nil": b"null", "undefined": b"null",
}  # fmt: skip
_SINGLE: Final = rb"(?:'|`|\xc2\xb4|\xc2\xab|\xc2\xbb|\xe2\x80[\x98-\x9f]|\xe2\x80[\xb2\xb3\xb9\xba]|\xef\xbc\x82)"
_QUOTE: Final = pattern(_SINGLE)
# The first or last characters of an unquoted string, as in 5' 3" and the users'.
_APOSTROPHES: Final = frozenset(one.encode() for one in ("'", "\u2019", "\u2032", "\u2033"))
_LAST_QUOTE: Final = pattern(rb"[^\r\n]*(" + _SINGLE + rb")")
_WORD: Final = pattern(rb"[A-Za-z_$][\w.$/@-]*+")
_BARE: Final = pattern(rb'[^\s,"{}\[\]]++')
_STRAY: Final = pattern(rb'[^\s,:"{}\[\]\x00]{1,40}+')
_BLANK: Final = rb"\xc2\xa0|\xe2\x80[\x80-\x8f\xa8\xa9\xaf]|\xe2\x81\xa0|\xe3\x80\x80|\xef\xbb\xbf"
# Limits the length of a comment, because the search for the end of an unclosed comment would take quadratic time.
_COMMENT: Final = rb"//[^\r\n]*+|#[^\r\n]*+|/\*(?:(?!\*/)[\s\S]){0,500}+\*/|<!--(?:(?!-->)[\s\S]){0,500}+-->"
_MARKER: Final = rb"(?m:^(?:<{7}|\|{7}|={7}|>{7})(?: [^\r\n]*)?\r?$)"
_BAD_ESCAPE: Final = pattern(rb'\\(?!["\\/bfnrt]|u[0-9a-fA-F]{4})')
_ESCAPES: Final = pattern(rb'(?:[^"\\\x00-\x1f]|\\[^\x00-\x1f])*+"')
_TAIL: Final = pattern(rb"(?:[\s,:{}\[\]]|true|false|null|-?\d[\d.eE+-]*+)*+\Z")
_BEHIND: Final = pattern(rb"[ \t]*+[,:}\]]")
_BETWEEN: Final = pattern(rb"[\s,:{}\[\]]*+")
_COLON: Final = pattern(rb"(?:=>?|:=|->|;|,)")
_SPACE: Final = pattern(rb"[ \t\r\n]*+")
_LINE: Final = pattern(rb"[^\r\n]*+")
_STARTS: Final = (Expected.VALUE, Expected.FIRST_VALUE, Expected.NAME, Expected.FIRST_NAME)


class Slip(NamedTuple):
    """A mistake: its description ("1 comma too many"), its offset in bytes, and its 1-based line and column."""

    what: str
    offset: int
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.what} at line {self.line}, column {self.column}"


class Mended(Struct, frozen=True):
    """A text with its mistakes corrected; they are all of one kind, in the order of the text."""

    text: bytes
    slips: tuple[Slip, ...]


class _Edit(NamedTuple):
    """A small change: a span of bytes and its replacement."""

    start: int
    end: int
    put: bytes = b""


class _Change(NamedTuple):
    """A correction of a mistake; among corrections of the same rank, only one may be possible."""

    rank: int
    what: str
    edits: tuple[_Edit, ...]
    # The bracket that is added, removed or replaced: this moves values to other containers, which must know them.
    bracket: bytes = b""


def mended(text: bytes) -> Mended | None:
    """Return a state with the mistakes in its JSON corrected; None if it is JSON, or has other damage.

    `text` is UTF-8. Takes time linear in its length.
    """
    if b"\0" in text or len(text) > _LARGEST:
        return None
    try:
        return _mended(text)
    except RecursionError:
        return None


def _mended(text: bytes) -> Mended | None:
    stop = stop_in(text)
    if stop is None:
        return None
    changes = list(_changes(text, stop))
    plain = [one for one in changes if not one.bracket]
    brackets = [one for one in changes if one.bracket]
    attempts: list[tuple[Sequence[_Change], Callable[[bytes, _Change], bool]]] = [
        ([one for one in plain if one.rank == 0], _is_complete),
        (brackets, lambda result, one: _is_complete(result, one) and is_aligned(result)),
        *(([one for one in plain if one.rank == rank], _is_complete) for rank in range(1, _RANKS)),
        (brackets, _has_known_members),
    ]
    for candidates, is_right in attempts:
        found: dict[bytes, _Change] = {}
        for change in candidates:
            result = _applied(text, change.edits)
            if is_right(result, change):
                found.setdefault(result, change)
        if found and is_right is _has_known_members and any(_is_ambiguous(*one) for one in found.items()):
            return None
        if found:
            return _only(text, found)
    # A missing or extra quote swaps strings and the text between them, so several such mistakes have too many
    # possible positions.
    return _several(text, [one for one in plain if one.what not in ("1 quote missing", "1 quote too many")])


def _only(text: bytes, found: dict[bytes, _Change]) -> Mended | None:
    """Return the only valid text; None if several are valid, and differ in content."""
    results = iter(found)
    first = next(results)
    if len(found) > 1:
        value = json.loads(first)
        if any(json.loads(other) != value for other in results):
            return None
    return Mended(first, tuple(_slip(text, found[first].what, edit.start) for edit in found[first].edits[:1]))


def _several(text: bytes, changes: Sequence[_Change]) -> Mended | None:
    for what in dict.fromkeys(one.what for one in changes):
        slips: list[Slip] = []
        current, shift = text, 0
        while len(slips) < _MOST_SLIPS and (stop := stop_in(current)) is not None:
            best: tuple[int, bytes, _Change] | None = None
            for change in _changes(current, stop):
                if change.what == what:
                    result = _applied(current, change.edits)
                    following = stop_in(result)
                    after = len(result) + 1 if following is None else following.position
                    if after > max(stop.position, best[0] if best else -1):
                        best = after, result, change
            if best is None:
                break
            first = best[2].edits[0].start
            slips.append(_slip(text, what, max(first - shift, 0)))
            shift += len(best[1]) - len(current)
            current = best[1]
            if _is_complete(current, best[2]):
                return Mended(current, tuple(slips))
    return None


def _slip(text: bytes, what: str, offset: int) -> Slip:
    place = locate(text, offset, what)
    return Slip(what, offset, place.line, place.column)


def _applied(text: bytes, edits: Iterable[_Edit]) -> bytes:
    pieces: list[bytes] = []
    position = 0
    for edit in edits:
        pieces += [text[position : edit.start], edit.put]
        position = edit.end
    return b"".join([*pieces, text[position:]])


def _is_complete(text: bytes, change: _Change) -> bool:
    """Return whether a text is a state of format version 4 in which every resource and object has its parts."""
    try:
        state = msgspec.json.decode(text, type=_State)
        text.decode()
    except (ValueError, RecursionError):
        return False
    is_plain = all(_OBJECT_MARKS & one.keys() for resource in state.resources for one in resource.instances)
    if state.version != 4 or not is_plain:
        return False
    return not change.bracket or has_right_types(text)


_OBJECT_MARKS: Final = frozenset({"schema_version", "attributes", "attributes_flat"})


class _Resource(Struct):
    mode: str
    type: str
    name: str
    instances: list[dict[str, msgspec.Raw]]


class _State(Struct):
    version: int
    serial: int
    lineage: str
    resources: list[_Resource]
    outputs: dict[str, dict[str, msgspec.Raw]] = {}


def _has_known_members(text: bytes, change: _Change) -> bool:
    """Return whether all members of a state are in a valid place after a bracket was added or removed."""
    return _is_complete(text, change) and has_known_members(text)


def _is_ambiguous(text: bytes, change: _Change) -> bool:
    """Return whether a closing bracket may belong to a position other than the changed one.

    If it belongs inside a value that closes directly before, the bracket of that value closes its container, and so
    on, up to the added bracket; the reverse if a bracket was removed.
    """
    (edit,) = change.edits
    if change.bracket[:1] not in _CLOSERS or (edit.start < edit.end and edit.put):
        return False
    if not edit.put and text[: edit.start].rstrip()[-1:] != change.bracket:
        return True
    fewest = 1 if edit.put else 2
    for frame in place_in(text, edit.start).closed:
        if frame.closer != change.bracket[:1]:
            return False
        if frame.parts >= fewest and frame.role not in _FIXED:
            return True
    return False


# Containers with known members: a misplaced member is noticed.
_FIXED: Final = ("state", "resources", "resource", "instances", "object", "output")


def _changes(text: bytes, stop: Stopped) -> Iterator[_Change]:
    yield from _brackets_before(text, stop)
    if stop.position == len(text):
        # The end of a file is never completed.
        return
    byte = text[stop.position : stop.position + 1]
    for changes in (_commas, _colons, _comments, _words, _quotes, _brackets, _strays):
        yield from changes(text, stop, byte)


def _commas(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    at, expected, last = stop.position, stop.expected, stop.tokens[-1:]
    if byte == b"," and (expected in _STARTS or expected is Expected.END):
        yield _Change(0, "1 comma too many", (_Edit(at, at + 1),))
    if byte in _CLOSERS and last and last[0].kind == b",":
        yield _Change(0, "1 comma too many", (_Edit(last[0].start, last[0].end),))
    if expected is Expected.COMMA:
        if byte in (b";", b".", b"|", b":", b"=") or text.startswith(b"\xef\xbc\x8c", at):
            end = at + (3 if byte == b"\xef" else 1)
            yield _Change(1, "1 other character in place of a comma", (_Edit(at, end, b","),))
        if byte not in (*_CLOSERS, b",", b":") and last:
            yield _Change(0, "1 comma missing", (_Edit(last[0].end, last[0].end, b","),))
    if expected is Expected.END and byte == b";":
        yield _Change(1, "1 semicolon too many", (_Edit(at, at + 1),))


def _colons(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    at = stop.position
    if stop.expected is Expected.COLON:
        other = _COLON.match(text, at)
        if other is not None:
            yield _Change(0, "1 other character in place of a colon", (_Edit(at, other.end(), b":"),))
        elif byte not in _CLOSERS:
            end = stop.tokens[-1].end
            yield _Change(0, "1 colon missing", (_Edit(end, end, b":"),))
    if byte == b":" and stop.expected in _STARTS:
        yield _Change(0, "1 colon too many", (_Edit(at, at + 1),))


def _comments(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    """Yield changes of all places at once: comments, markers, and white space that JSON does not allow."""
    for what, expression, put in (
        ("comment", _COMMENT, b""),
        ("conflict marker", _MARKER, b""),
        ("blank that JSON does not allow", _BLANK, b" "),
    ):
        if re.compile(expression).match(text, stop.position) is None:
            continue
        edits = tuple(_everywhere(text, expression, lambda _, put=put: put))  # type: ignore[misc]
        yield _Change(0, f"{len(edits)} {what}{'s' if len(edits) > 1 else ''}", edits)


def _everywhere(text: bytes, expression: bytes, put: Callable[[re.Match[bytes]], bytes]) -> Iterator[_Edit]:
    """Yield an edit for each match outside strings; one string may be unclosed."""
    for found in re.compile(STRING + rb"?|(" + expression + rb")").finditer(text):
        if found[1] is not None:
            yield _Edit(found.start(), found.end(), put(found))


def _words(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    word = _WORD.match(text, stop.position)
    if word is None:
        return
    if stop.expected in (Expected.VALUE, Expected.FIRST_VALUE):
        literal = _WORDS.get(word[0].decode().lower())
        if literal is not None:
            spelling = rb"\b(?:" + re.escape(word[0]) + rb"|True|False|None)\b"
            edits = tuple(_everywhere(text, spelling, lambda one: _WORDS[one[0].decode().lower()]))
            yield _Change(0, f"{word[0].decode()} in place of {literal.decode()}", edits)
        else:
            bare = _BARE.match(text, stop.position)
            assert bare is not None
            edit = _Edit(bare.start(), bare.end(), b'"' + bare[0] + b'"')
            yield _Change(3, "1 string without quotes", (edit,))
    elif stop.expected in (Expected.NAME, Expected.FIRST_NAME):
        edit = _Edit(word.start(), word.end(), b'"' + word[0] + b'"')
        yield _Change(2, "1 name without quotes", (edit,))


def _quotes(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    at, expected = stop.position, stop.expected
    may_be_string = expected in _STARTS
    if may_be_string and _QUOTE.match(text, at) is not None:
        edits = tuple(_everywhere(text, _QUOTED_TEXT, lambda one: b'"' + _inner(one[1]) + b'"'))
        what = "1 string in other quotes" if len(edits) == 1 else f"{len(edits)} strings in other quotes"
        yield _Change(0, what, edits)
    yield from _unknown_quotes(text, at, may_be_string)
    if byte == b'"' and may_be_string:
        yield from _open_string(text, at)
    elif may_be_string:
        closing = _ESCAPES.match(text, at)
        yield _missing_quote(text, at, at, closing.end() if closing else at)
    for token in stop.tokens:
        if token.kind == b'"':
            yield from _ends(text, token.start + 1, token.end - 1)
        else:
            yield _missing_quote(text, token.start, token.start, token.start)
        if token.end - token.start == 2:
            yield _Change(0, "1 quote too many", (_Edit(token.start, token.start + 1),))
    last = stop.tokens[-1] if stop.tokens else None
    if byte == b'"' and (expected is Expected.COMMA or (last is not None and last.kind == b'"')):
        yield _Change(0, "1 quote too many", (_Edit(at, at + 1),))
        if stop.frames:
            value = stop.frames[-1].value_at
            yield _missing_quote(text, value, value, value)
    if last is not None and last.kind == b'"':
        yield from _inner_quotes(text, last.start, last.end)


def _ends(text: bytes, start: int, end: int) -> Iterator[_Change]:
    """Yield the changes that end a string before a possible following token."""
    window = range(max(end - _LONGEST_TAIL, start), end)
    # Not `search`, which takes a time that is quadratic in a longer text.
    tail = next((place for place in window if _TAIL.match(text, place, end)), end)
    for place in range(tail, end):
        if _BEHIND.match(text, place, end) is not None:
            yield _missing_quote(text, place, start, start + len(text[start:place].rstrip()))


def _missing_quote(text: bytes, place: int, start: int, end: int) -> _Change:
    """Return the change that adds a quote to a string.

    Next to a quote character that JSON does not know, that character was more likely typed instead of the quote,
    unless it may belong to the string: it is an apostrophe, or the string contains another one.
    """
    quotes = list(_QUOTE.finditer(text, start, end))
    is_other = len(quotes) == 1 and quotes[0][0] not in _APOSTROPHES
    is_beside = is_other and (place == quotes[0].start() or end == quotes[0].end())
    return _Change(1 if is_beside else 0, "1 quote missing", (_Edit(place, place, b'"'),))


def _unknown_quotes(text: bytes, at: int, may_be_string: bool) -> Iterator[_Change]:
    """Yield all readings of a text with one string whose first or last quote, or both, JSON does not know.

    An unknown first quote is itself the syntax error. After an unknown last quote, strings and the text between them
    are swapped up to the syntax error, and no other such quote follows: it is the last one of the line before the
    error, or before the end of the line if an unclosed string begins there.
    """
    line = _LINE.match(text, at)
    end = line.end() if line else len(text)
    begin = max(text.rfind(b"\n", 0, at), text.rfind(b"\r", 0, at)) + 1
    spans = [
        last.span(1)
        for start, stop in ((begin, at), (at, end if text[at : at + 1] == b'"' else at))
        if (last := _LAST_QUOTE.match(text, start, stop)) is not None
    ]
    first = _QUOTE.match(text, at) if may_be_string else None
    if first is not None:
        spans.append(first.span())
        closing = _ESCAPES.match(text, first.end())
        quotes = [_Edit(*one.span(), b'"') for one in _QUOTE.finditer(text, at, closing.end() if closing else end)]
        if len(quotes) > 1:
            # Quotes between the first and the last belong to other strings, or to the value.
            yield _Change(0, "1 string in other quotes", tuple(quotes))
            yield _Change(0, "1 string in other quotes", (quotes[0], quotes[-1]))
    for span in spans:
        yield _Change(0, "1 quote that JSON does not know", (_Edit(*span, b'"'),))


_QUOTED_TEXT: Final = (
    rb"'[^'\"\\\x00-\x1f]*+'|`[^`\"\\\x00-\x1f]*+`"
    rb'|\xe2\x80[\x98-\x9f](?:(?!\xe2\x80[\x98-\x9f])[^"\\\x00-\x1f])*+(?:\xe2\x80[\x98-\x9f]|")'
)


def _inner(quoted: bytes) -> bytes:
    first, last = _QUOTE.match(quoted), list(_QUOTE.finditer(quoted))[-1]
    assert first is not None
    end = last.start() if last.end() == len(quoted) and last.start() > 0 else len(quoted) - 1
    return quoted[first.end() : end]


def _open_string(text: bytes, start: int) -> Iterator[_Change]:
    """Yield changes of an invalid string: it does not end on its line, or has a bad escape."""
    line = _LINE.match(text, start)
    end = line.end() if line else len(text)
    rest = text[start + 1 : end]
    if b'"' in rest:
        closing = _ESCAPES.match(text, start + 1)
        stop = closing.end() if closing else end
        bad = [_Edit(one.start(), one.start(), b"\\") for one in _BAD_ESCAPE.finditer(text, start + 1, stop)]
        if bad:
            yield _Change(0, "1 backslash that is not escaped", tuple(bad))
        if b"\t" in rest:
            tabs = [_Edit(one, one + 1, b"\\t") for one in range(start + 1, end) if text[one] == 9]
            yield _Change(0, "1 tab in a string", tuple(tabs))
    yield from _ends(text, start + 1, end)
    yield _missing_quote(text, end, start + 1, end)
    # Two quotes in a row, as in "a"", leave a string that begins at the second one.
    yield _Change(0, "1 quote too many", (_Edit(start, start + 1),))
    following = text.find(b'"', end)
    if following >= 0 and b'"' not in rest:
        breaks = [one for one in range(end, following) if text[one] in b"\r\n"]
        edits = tuple(_Edit(one, one + 1, b"\\r" if text[one] == 13 else b"\\n") for one in breaks)
        yield _Change(4, "1 line break in a string", edits)


def _inner_quotes(text: bytes, start: int, end: int) -> Iterator[_Change]:
    """Yield the change of a string whose inner quotes are not escaped, up to the last quote of its line."""
    line = _LINE.match(text, end)
    last = text.rfind(b'"', end, line.end() if line else len(text))
    if last < 0 or not _BETWEEN.fullmatch(text[last + 1 : line.end() if line else len(text)]):
        return
    inner = [one for one in range(end - 1, last) if text[one] == 34 and text[one - 1] != 92]
    if len(inner) <= 2 * _MOST_SLIPS:
        yield _Change(3, "1 string with quotes that are not escaped", tuple(_Edit(one, one, b"\\") for one in inner))


def _brackets_before(text: bytes, stop: Stopped) -> Iterator[_Change]:
    # Brackets that are suspect because of the indentation or the names.
    for position, missing in stop.suspects:
        if missing in _CLOSERS:
            yield _missing(text, missing, position)
        elif missing:
            yield _opened(text, missing, position)
        else:
            yield _surplus(text, position)
    top = stop.frames[-1] if stop.frames else None
    is_outdented = top is not None and top.inner is not None and stop.indent is not None and stop.indent < top.inner
    if top is not None and is_outdented and stop.expected is Expected.COMMA and stop.position < len(text):
        # A line with a bracket and a comma is missing.
        end = stop.tokens[-1].end
        line = b"\r\n" if text[end : end + 2] == b"\r\n" else b"\n"
        yield _missing(text, line + b" " * (top.indent or 0) + top.closer + b",", end)


def _brackets(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    at, expected, tokens = stop.position, stop.expected, stop.tokens
    top = stop.frames[-1] if stop.frames else None
    last = tokens[-1] if tokens else None
    if byte in _CLOSERS:
        yield _surplus(text, at)
        if top is not None and byte != top.closer:
            what = f"{byte.decode()} in place of {top.closer.decode()}"
            yield _Change(1, what, (_Edit(at, at + 1, top.closer),), top.closer)
            if top.value_at >= 0:
                yield _opened(text, _OPENERS[byte], top.value_at)
        if expected in (Expected.VALUE, Expected.FIRST_VALUE, Expected.COLON):
            yield _opened(text, _OPENERS[byte], at)
    if top is not None and last is not None:
        yield _missing(text, top.closer, last.end)
        if last.kind == b"," and len(tokens) > 1:
            yield _missing(text, top.closer, tokens[-2].end)
        if byte in (b"{", b"[") and last.kind in (b"{", b"["):
            yield _surplus(text, at)
        if top.is_object and top.value_at >= 0 and expected in (Expected.NAME, Expected.COLON):
            yield _opened(text, b"[", top.value_at)
            if text[top.value_at : top.value_at + 1] == b"[":
                inside = _SPACE.match(text, top.value_at + 1)
                yield _opened(text, b"[", inside.end() if inside else top.value_at + 1)
        if last.kind == b"," and len(tokens) > 1 and tokens[-2].kind in _CLOSERS:
            yield _surplus(text, tokens[-2].start)
        if not top.is_object and top.parts and text[top.start + 1 : top.start + 2] == b"[":
            yield _surplus(text, top.start)
    if byte == b":" and last is not None and last.kind == b'"':
        yield _opened(text, b"{", last.start)
        if len(tokens) > 2 and tokens[-2].kind == b",":
            if top is not None:
                yield _missing(text, top.closer, tokens[-3].end)
            if tokens[-3].kind in _CLOSERS:
                yield _surplus(text, tokens[-3].start)
    if expected is Expected.END and tokens and tokens[-1].kind in _CLOSERS and byte == b",":
        yield _surplus(text, tokens[-1].start)


def _missing(text: bytes, closer: bytes, position: int) -> _Change:
    space = _SPACE.match(text, position)
    end = space.end() if space else position
    is_before_comma = text[end : end + 1] == b"," and b"\n" in text[position:end]
    where = end if is_before_comma else _end_of_blank_line(text, position, end) or position
    bracket = closer.strip(b", \r\n").decode()
    return _Change(1, f"1 {bracket} missing", (_Edit(where, where, closer),), closer)


def _surplus(text: bytes, position: int) -> _Change:
    bracket = text[position : position + 1]
    return _Change(1, f"1 {bracket.decode()} too many", (_Edit(position, position + 1),), bracket)


def _opened(text: bytes, opener: bytes, position: int) -> _Change:
    begin = position
    while begin and text[begin - 1] in b" \t\r\n":
        begin -= 1
    where = _end_of_blank_line(text, begin, position) or position
    if begin < where == position and text[begin - 1 : begin] == b":":
        where = begin + (text[begin : begin + 1] == b" ")
    return _Change(1, f"1 {opener.decode()} missing", (_Edit(where, where, opener),), opener)


def _end_of_blank_line(text: bytes, begin: int, end: int) -> int | None:
    """Return the end of the first blank line between two tokens: a bracket was alone on it."""
    line = text.find(b"\n", begin, end)
    following = text.find(b"\n", line + 1, end) if line >= 0 else -1
    return None if following < 0 else following - (text[following - 1 : following] == b"\r")


def _strays(text: bytes, stop: Stopped, byte: bytes) -> Iterator[_Change]:
    if stop.expected in (Expected.VALUE, Expected.FIRST_VALUE):
        mark = re.compile(rb"[+*>|-](?=[\s\"{\[\d])").match(text, stop.position)
        if mark is not None:
            yield _Change(2, "1 stray character", (_Edit(mark.start(), mark.end()),))
        return
    stray = _STRAY.match(text, stop.position)
    last = stop.tokens[-1] if stop.tokens else None
    is_behind_number = last is not None and last.end == stop.position and last.kind not in b'"{}[],:'
    if stray is not None and not is_behind_number:
        yield _Change(4, "stray text", (_Edit(stray.start(), stray.end()),))
