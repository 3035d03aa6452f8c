"""Keys as HCL writes them, by the rules of its specification."""

from __future__ import annotations


def hcl_quoted(text: str) -> str:
    """A key as HCL writes it."""
    for plain, escaped in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
        ("${", "$${"),
        ("%{", "%%{"),
    ):
        text = text.replace(plain, escaped)
    return f'"{"".join(char if char.isprintable() else _escape(ord(char)) for char in text)}"'


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
