"""Defines the read-only form of JSON objects."""

from __future__ import annotations

from typing import Any, NoReturn


class ObjectValue(dict[str, Any]):
    """An object or a map of a state: a dict that cannot be changed. `dict(value)` and `.copy()` give one that can."""

    __slots__ = ()

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("the values of a state are read-only; copy() gives a dict that can be changed")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __copy__(self) -> ObjectValue:
        return self

    def __reduce__(self) -> tuple[type[ObjectValue], tuple[dict[str, Any]]]:
        return type(self), (dict(self),)
