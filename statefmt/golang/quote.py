"""How Go's %q verb writes a string, which diagnostics and cty's set order depend on."""

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
    # str.isprintable has the definition of Go's strconv.IsPrint: letters, marks, numbers, punctuation,
    # symbols and the ASCII space; only the Unicode release may differ (Go 1.26 has 15.0).
    if char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quote(text: str) -> str:
    """Give `text` in double quotes as Go's `fmt.Sprintf("%q", text)` does. Never fails."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(map(_quoted, text)) + '"'
