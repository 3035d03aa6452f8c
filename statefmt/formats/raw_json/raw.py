"""Looking at raw JSON without copying it."""

from __future__ import annotations

from msgspec import Raw


def starts_with(raw: Raw | bytes, text: bytes) -> bool:
    """Whether a raw value starts with some text."""
    return bytes(memoryview(raw)[: len(text)]) == text


def equals(raw: Raw | bytes, text: bytes) -> bool:
    """Whether a raw value is exactly some text."""
    return len(raw) == len(text) and bytes(raw) == text
