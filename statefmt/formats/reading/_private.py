"""Reads the `private` member: bytes of the provider, stored as base64.

Source: Go's `encoding/json` for a byte slice: standard alphabet with padding, line breaks ignored; an array of
byte values is accepted too.
"""

from __future__ import annotations

from functools import lru_cache

from statefmt.text.pattern import pattern

# Base64 that decodes and encodes to itself, if its length is a multiple of four.
_EXACT = pattern(r"[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?")
_CANONICAL = pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def canonical_private(value: str | list[int] | None) -> str:
    """Return the canonical base64 of a `private` member ("" if it is missing or empty).

    Raises ValueError if it is neither base64 nor a list of byte values.
    """
    if not value:
        return ""
    if isinstance(value, list):
        # Imported late, as below: hardly any state needs them.
        import base64

        return base64.b64encode(bytes(value)).decode()
    return _canonical_text(value)


@lru_cache(maxsize=4096)
def _canonical_text(value: str) -> str:
    """Return the canonical form of base64. Objects with the same text share one string."""
    if len(value) % 4 == 0 and _EXACT.fullmatch(value):
        return value
    import base64
    import binascii

    text = value.replace("\r", "").replace("\n", "")
    if not text.isascii() or not _CANONICAL.fullmatch(text):
        raise ValueError("not base64 with the standard alphabet and padding")
    if not text.endswith("="):
        return text
    # The file may set the unused bits before the padding; decoding drops them.
    try:
        return base64.b64encode(binascii.a2b_base64(text)).decode()
    except binascii.Error as error:
        raise ValueError(str(error)) from error
