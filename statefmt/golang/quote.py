"""Quotes strings as Go's %q verb does; diagnostics and the order of cty sets depend on it."""

from __future__ import annotations

_NAMED = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}


def _quoted(char: str) -> str:
    if char in _NAMED:
        return _NAMED[char]
    # str.isprintable has the same definition as Go's strconv.IsPrint: letters, marks, numbers, punctuation,
    # symbols and the ASCII space. Only the Unicode version may differ (Go 1.26 has 15.0).
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quote(text: str) -> str:
    """Return `text` in double quotes as Go's `fmt.Sprintf("%q", text)` does. Never raises."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_quoted, text)) + '"'
