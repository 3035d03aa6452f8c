"""Compares values without what is known of their unknown parts."""

from __future__ import annotations

from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData


def same_unrefined(left: CtyValue, right: CtyValue) -> bool:
    """Compare what is known, and where something is unknown; not what is known of the unknown."""
    return left.type == right.type and _same_data(left.data, right.data)


def _same_data(left: Data, right: Data) -> bool:
    if left == right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_same_data, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same_data(left[name], right[name]) for name in left)
    if isinstance(left, MarkedData) and isinstance(right, MarkedData) and left.marks == right.marks:
        return _same_data(left.data, right.data)
    # OpenTofu drops the marks of unknown values here.
    return _is_unknown(left) and _is_unknown(right)


def _is_unknown(data: Data) -> bool:
    return isinstance(data.data if isinstance(data, MarkedData) else data, UnknownData)
