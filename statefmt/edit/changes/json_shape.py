"""Compares the types of JSON values, as far as that is possible without a provider's schema."""

from __future__ import annotations

from statefmt.golang import JSONValue, Members, kind_name


def same_shape(old: JSONValue, new: JSONValue) -> bool:
    """Return whether `new` may have the type of `old`.

    Null has any type. An array element must be like one of the old elements. A member must be like the old member of
    that name or, if new, like any old member, because the object may be a map. A missing member is null.
    """
    if old is None or new is None:
        return True
    if kind_name(old) != kind_name(new):
        return False
    if isinstance(old, Members) and isinstance(new, Members):
        before = dict(old)
        return all(
            same_shape(before[name], value) if name in before else _like_any(list(before.values()), value)
            for name, value in new
        )
    if isinstance(old, list) and isinstance(new, list):
        return all(_like_any(old, value) for value in new)
    return True


def shape_name(value: JSONValue) -> str:
    """The type of a value for messages: `a number`, `an array of strings`, `null`."""
    kind = kind_name(value)
    if value is None:
        return kind
    if isinstance(value, list) and value and not isinstance(value[0], (list, Members)) and value[0] is not None:
        return f"an array of {kind_name(value[0])}s"
    return f"{'an' if kind[0] in 'ao' else 'a'} {kind}"


def may_be_map(value: JSONValue) -> bool:
    """Return whether an object may be a map: its values all have the same kind."""
    if not isinstance(value, Members):
        return False
    return len({kind_name(item) for _, item in value if item is not None}) < 2


def _like_any(values: list[JSONValue], new: JSONValue) -> bool:
    return not values or any(same_shape(value, new) for value in values)
