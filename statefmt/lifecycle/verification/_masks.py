"""Looks up masks: JSON with the shape of a value that is true where the value is sensitive."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Raw

from statefmt.lifecycle.verification._decoding import decoded
from statefmt.lifecycle.verification._difference import Decoded, PathSteps


def mask_of(raw: Raw | None) -> Decoded:
    """Return a decoded mask; False if nothing in it is true."""
    return False if raw is None or b"true" not in bytes(raw) else decoded(raw)


def true_paths(mask: Decoded, path: PathSteps = ()) -> Iterator[PathSteps]:
    """Yield the path of each part for which the mask is true."""
    if mask is True:
        yield path
    elif isinstance(mask, dict):
        for name, part in mask.items():
            yield from true_paths(part, (*path, name))
    elif isinstance(mask, list):
        for place, part in enumerate(mask):
            yield from true_paths(part, (*path, place))
