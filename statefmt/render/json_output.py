"""Prints JSON: indented, with its format version, and safe for terminals; numbers keep their digits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from statefmt.golang import indent
from statefmt.redaction.partial import Partial, exact_text
from statefmt.text import pattern

if TYPE_CHECKING:
    # Imported late: most commands print text.
    import orjson

FORMAT_VERSION: Final = "1.0"
# In UTF-8: U+007F and C1 controls, bidirectional controls, line separators and noncharacters. JSON does not escape
# them, but terminals interpret them.
_UNSAFE: Final = pattern(
    rb"\x7f|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]"
)


def document(**members: object) -> bytes:
    """Write a document with `format_version` and the given members, ending in a newline."""
    return json_text({"format_version": FORMAT_VERSION, **members}, is_indented=True, ends_line=True)


def with_items(
    above: Mapping[str, object],
    name: str,
    items: Iterable[object],
    members: Callable[[], Mapping[str, object]] = dict,
    depth: int = 1,
) -> Iterator[bytes]:
    """Write indented JSON with items in an array `name`, which is empty in `above`, at a depth of objects and arrays.

    Does not keep the items. `members` returns further members of the whole, which follow the others; it is called at
    the end.
    """
    space = b"\n" + b"  " * depth
    # A JSON string has no line breaks, so this is the member itself.
    place = b'%b"%b": []' % (space, name.encode())
    before, _, after = json_text(above, is_indented=True, ends_line=True).partition(place)
    yield before + place[:-1]
    inside = space + b"  "
    is_first = True
    for item in items:
        yield (inside if is_first else b"," + inside) + json_text(item, is_indented=True).replace(b"\n", inside)
        is_first = False
    yield b"]" if is_first else space + b"]"
    more = members()
    yield after if not more else b"," + json_text(more, is_indented=True, ends_line=True)[1:]


def json_text(value: object, *, is_indented: bool = False, ends_line: bool = False) -> bytes:
    r"""Write JSON with `\u` escapes for all characters that terminals could interpret.

    A byte of a file name that is not UTF-8 is written as text, since JSON has no bytes: `\udcff` for the byte ff.
    """
    import orjson

    layout = orjson.OPT_INDENT_2 * is_indented | orjson.OPT_APPEND_NEWLINE * ends_line
    try:
        text = orjson.dumps(value, option=layout)
    except orjson.JSONEncodeError:
        text = orjson.dumps(_as_text(value), option=layout)
    return safe_json(text)


def safe_json(text: bytes) -> bytes:
    r"""Replace all characters that terminals could interpret by `\u` escapes: in JSON, they occur only in strings."""
    return text if text.isascii() and b"\x7f" not in text else _UNSAFE.sub(_escaped, text)


def _escaped(match: re.Match[bytes]) -> bytes:
    return b"\\u%04x" % ord(match[0].decode())


def _as_text(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_as_text(name): _as_text(member) for name, member in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(item) for item in value]
    return value


def exact_document(**members: object) -> bytes:
    """Write a document like `json_output.document`, which may contain values of a state as fragments."""
    text = json_text({"format_version": FORMAT_VERSION, **members})
    try:
        return indent(text) + b"\n"
    except ValueError:
        # Nested too deeply to indent.
        return text + b"\n"


def raw_fragment(text: bytes) -> orjson.Fragment:
    """Return JSON text as a fragment."""
    import orjson

    return orjson.Fragment(text)


def fragment(value: Partial) -> orjson.Fragment:
    """Return a value as a fragment, for `exact_document`.

    Raises ValueError if a decoded value is nested deeper than Python can follow; JSON text may be.
    """
    return raw_fragment(exact_text(value))
