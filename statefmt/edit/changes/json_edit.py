"""Replaces or removes one value inside a JSON text and keeps all other bytes.

Attributes of dynamic type are wrapped as `{"value": …, "type": …}`. Paths skip the wrapping, as `show` does when it
prints such values, and a new value in it must have that type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from statefmt.formats.raw_json import Container, RawItem, container_at, value_at
from statefmt.golang import nfc
from statefmt.model.cty import CtyError, CtyTypeError, Type, parse_type
from statefmt.model.cty.values import read_value
from statefmt.model.errors import SurgeryError

# Returns the new text of a value, or None to remove it from its object or map.
JsonChange: TypeAlias = Callable[[bytes], bytes | None]
_WRAPPING: Final = ["value", "type"]


def json_edited(text: bytes, steps: Sequence[str | int], change: JsonChange, *, whole_wrapping: bool = False) -> bytes:
    """Change the value that the steps lead to; of repeated members, the last one.

    With `whole_wrapping`, the value includes its wrapping, if any. Raises SurgeryError if the path does not exist, if
    an array element would be removed, or if a value does not have its type.
    """
    new = _edited(text, steps, change, whole_wrapping)
    if new is None:
        raise SurgeryError("the attributes cannot be removed as a whole")
    return new


def is_wrapping(text: bytes) -> bool:
    """Return whether a text is a wrapped value of dynamic type."""
    span = value_at(text)
    return text[span.start : span.start + 1] == b"{" and _wrapped_type(text, container_at(text)) is not None


def _edited(text: bytes, steps: Sequence[str | int], change: JsonChange, whole_wrapping: bool) -> bytes | None:
    if text[:1] not in (b"{", b"["):
        return _leaf(text, steps, change)
    container = container_at(text)
    of = _wrapped_type(text, container)
    if of is not None and (steps or not whole_wrapping):
        item = container.items[0]
        inner = _edited(text[item.value.start : item.value.end], steps, change, whole_wrapping)
        return None if inner is None else _put(text, item, _of_type(inner, of))
    if not steps:
        return change(text)
    item = _item(text, container, steps[0])
    new = _edited(text[item.value.start : item.value.end], steps[1:], change, whole_wrapping)
    if new is not None:
        return _put(text, item, new)
    if text[:1] == b"[":
        raise SurgeryError("cannot remove a single element of a list or set; set the whole list or set")
    return _without(text, container, item.name)


def _leaf(text: bytes, steps: Sequence[str | int], change: JsonChange) -> bytes | None:
    if steps:
        raise SurgeryError("the path does not exist")
    return change(text)


def _item(text: bytes, container: Container, step: str | int) -> RawItem:
    if text[:1] == b"[":
        found = container.items[step : step + 1] if isinstance(step, int) and step >= 0 else ()
    else:
        # A map key may look like the number of an element.
        found = tuple(item for item in container.items if nfc(item.name) == str(step))
    if not found:
        raise SurgeryError("the path does not exist")
    return found[-1]


def _put(text: bytes, item: RawItem, value: bytes) -> bytes:
    return text[: item.value.start] + value + text[item.value.end :]


def _without(text: bytes, container: Container, name: str) -> bytes:
    """Remove a member of an object, with all its repetitions: an earlier one would take effect otherwise."""
    kept = [item for item in container.items if item.name != name]
    if not kept:
        return b"{}"
    lead = container.items[0].before
    parts = [text[: lead.end], text[kept[0].whole.start : kept[0].whole.end]]
    parts += [text[item.before.start : item.whole.end] for item in kept[1:]]
    return b"".join((*parts, text[container.after.start :]))


def _wrapped_type(text: bytes, container: Container) -> Type | None:
    """Return the type that a wrapping contains; None if the text is not a wrapping."""
    if text[container.span.start : container.span.start + 1] != b"{":
        return None
    if [item.name for item in container.items] != _WRAPPING:
        return None
    span = container.items[1].value
    try:
        return parse_type(text[span.start : span.end])
    except CtyTypeError:
        return None


def _of_type(value: bytes, of: Type) -> bytes:
    try:
        read_value(value, of)
    except CtyError as error:
        raise SurgeryError(
            "the value does not have the type that the state records for it; give both as "
            f'{{"value": …, "type": …}} ({error.detail})'
        ) from error
    return value
