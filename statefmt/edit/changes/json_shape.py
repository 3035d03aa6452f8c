"""Whether a JSON value may stand where another one does, as far as that can be told without a provider's schema."""

from __future__ import annotations

from statefmt.golang import JSONValue, Members, kind_name


def same_shape(old: JSONValue, new: JSONValue) -> bool:
    """Whether `new` is of the type of `old`, for all one can tell.

    Null may be of any type. An element of an array must be like one of the old ones. A member must be like the old one
    of its name, or, since the object may be a map, like any; a member less is one that is null.
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
    """What a value is, for messages: `a number`, `an array of strings`, `null`."""
    kind = kind_name(value)
    if value is None:
        return kind
    if isinstance(value, list) and value and not isinstance(value[0], (list, Members)) and value[0] is not None:
        return f"an array of {kind_name(value[0])}s"
    return f"{'an' if kind[0] in 'ao' else 'a'} {kind}"


def may_be_map(value: JSONValue) -> bool:
    """Whether an object may be a map: its values are all of one kind."""
    if not isinstance(value, Members):
        return False
    return len({kind_name(item) for _, item in value if item is not None}) < 2


def _like_any(values: list[JSONValue], new: JSONValue) -> bool:
    return not values or any(same_shape(value, new) for value in values)
