"""Finds the encoding of a damaged file, and gives its text as UTF-8 without a byte order mark."""

from __future__ import annotations

import codecs
import html
from typing import Final, NamedTuple

from statefmt.formats.reading.wrapped import unwrapped
from statefmt.text.pattern import pattern

_UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
ENTITIES: Final = "HTML entities"
_SAMPLE: Final = 4096
_QUOTE: Final = rb"&(?:quot|#34|#x22);"
# A state in the text of a web page has neither quotes nor tags. Text in a state is behind a member with quotes.
_ESCAPED_STATE: Final = pattern(
    rb"\{\s*" + _QUOTE + rb"(?:version|serial|lineage)" + _QUOTE + rb'[^"<]*+'
)  # fmt: skip
_MEMBER: Final = pattern(rb'[{,]\s*"\w++"\s*:')
# What colors text on a terminal. No JSON has the first byte of it.
_COLOR: Final = pattern(rb"\x1b\[[0-9;]*+[mK]")


class DecodedText(NamedTuple):
    """The text in UTF-8, and what was undone for it (such as "UTF-16").

    `is_cut` if it was taken out of a file that lacks its end; `advice` says what else to know of such a file.
    """

    text: bytes
    undone: tuple[str, ...] = ()
    is_cut: bool = False
    advice: tuple[str, ...] = ()


def decoded(data: bytes) -> DecodedText:
    """Return the text of a file. Halves of characters stay invalid UTF-8, so that nothing passes for whole."""
    data, layers = unwrapped(data)
    undone = tuple(layer.what for layer in layers)
    if data.startswith(codecs.BOM_UTF8):
        data, undone = data[len(codecs.BOM_UTF8) :], (*undone, "a byte order mark")
    elif encoding := _utf16(data):
        text = data[: len(data) // 2 * 2].decode(encoding, "surrogatepass").removeprefix("\ufeff")
        data, undone = text.encode("utf-8", "surrogatepass"), (*undone, "UTF-16")
    if b"\x1b[" in data:
        plain = _COLOR.sub(b"", data)
        data, undone = plain, (*undone, "terminal colors")
    escaped = _ESCAPED_STATE.search(data)
    if escaped is not None and _MEMBER.search(data, 0, escaped.start()) is None:
        unescaped = html.unescape(escaped[0].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        data = data[: escaped.start()] + unescaped + data[escaped.end() :]
        undone = (*undone, ENTITIES)
    advice = tuple(layer.advice for layer in layers if layer.advice)
    return DecodedText(data, undone, any(layer.is_cut for layer in layers), advice)


def _utf16(data: bytes) -> str:
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            return encoding
    sample = data.rstrip(b"\0")[:_SAMPLE]
    if len(sample) < 4 or (sample[0] and sample[1]):
        return ""
    # JSON is mostly ASCII: every other byte is zero, and no other.
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.8 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.8 and odd < half * 0.1 else ""
