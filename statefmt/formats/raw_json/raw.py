"""Compares raw JSON values with text, and groups them into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Raw

# Bytes of a batch: enough to make calls cheap, few enough for the processor's cache.
_BATCH: Final = 1 << 17


def starts_with(raw: Raw | bytes, text: bytes) -> bool:
    """Return whether a raw value starts with `text`, without copying the value."""
    return bytes(memoryview(raw)[: len(text)]) == text


def equals(raw: Raw | bytes, text: bytes) -> bool:
    """Return whether a raw value is exactly `text`."""
    return len(raw) == len(text) and bytes(raw) == text


def in_batches(values: Iterable[Raw | bytes]) -> Iterator[list[Raw | bytes]]:
    """Yield values in order, in batches of few bytes; only a long value makes a large batch."""
    batch: list[Raw | bytes] = []
    size = 0
    for value in values:
        batch.append(value)
        size += len(value)
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
