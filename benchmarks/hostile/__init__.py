"""States that try to make statetool work more than their bytes are worth.

A shape is a short function from a size to the text of a state of about that many bytes, and is listed in the `SHAPES`
of its module. Each has much of one thing.
"""

from __future__ import annotations

from typing import Final

from benchmarks.hostile import (
    _dependencies,
    _format_3,
    _invalid,
    _long,
    _members,
    _numerous,
    _providers,
    _sensitive,
    _unreadable,
    _values,
)
from benchmarks.hostile._parts import Hostile

_MODULES: Final = (
    _long,
    _sensitive,
    _providers,
    _members,
    _dependencies,
    _numerous,
    _values,
    _invalid,
    _format_3,
    _unreadable,
)

HOSTILE: Final[dict[str, Hostile]] = {
    shape.__name__.replace("_", "-"): shape for module in _MODULES for shape in module.SHAPES
}
