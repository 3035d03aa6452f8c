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


def touches(mask: Decoded, path: PathSteps) -> bool:
    """Return whether the mask is true for a part, for something around it or for something in it."""
    for step in path:
        if mask is True:
            return True
        inner = _inner(mask, step)
        if inner is None:
            # Elements of a set may have another position in the state: be careful and take them all together.
            return isinstance(mask, list) and next(true_paths(mask), None) is not None
        mask = inner
    return next(true_paths(mask), None) is not None


def _inner(mask: Decoded, step: str | int) -> Decoded:
    if isinstance(mask, dict):
        return mask.get(str(step))
    if isinstance(mask, list) and isinstance(step, int) and step < len(mask):
        return mask[step]
    return None


def overlaps(one: PathSteps, other: PathSteps) -> bool:
    """Return whether two paths are the same, or one leads to something around the other."""
    return all(a == b for a, b in zip(one, other, strict=False))
