"""Writes paths as `replace_paths` of the JSON form of plans."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.golang import encode_string
from statefmt.model.cty import CtyValue, GetAttr, Path, PathIndex, write_value


def encode_replace_paths(paths: Iterable[Path]) -> bytes:
    """Encode paths as compact JSON: `[["triggers","name",0]]`. Attributes and keys of maps look alike.

    Raises CtyEncodeError for a key that JSON cannot represent. Source: OpenTofu `jsonplan.encodePaths`.
    """
    return b"[%b]" % b",".join(b"[%b]" % b",".join(map(_step, path)) for path in paths)


def _step(step: GetAttr | PathIndex) -> bytes:
    key = step.name if isinstance(step, GetAttr) else step.key
    if isinstance(key, CtyValue):
        return write_value(key)
    return encode_string(key) if isinstance(key, str) else b"%d" % key
