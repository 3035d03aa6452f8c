"""Compares raw JSON values with text."""

from __future__ import annotations

from msgspec import Raw


def starts_with(raw: Raw | bytes, text: bytes) -> bool:
    """Return whether a raw value starts with `text`, without copying the value."""
    return bytes(memoryview(raw)[: len(text)]) == text


def equals(raw: Raw | bytes, text: bytes) -> bool:
    """Return whether a raw value is exactly `text`."""
    return len(raw) == len(text) and bytes(raw) == text
