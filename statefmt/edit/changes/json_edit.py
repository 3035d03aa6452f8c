"""One value inside a JSON text changed or taken out, with every other byte as it is.

Attributes may hold values of any type, wrapped as `{"value": …, "type": …}`: paths lead through the wrapping, as
`show` prints such values, and what is put into one must be of the type that it says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from statefmt.formats.raw_json.spans import (
    Container,
    RawItem,
    container_at,
    value_at,
)
from statefmt.golang.normalize import nfc
from statefmt.model.cty import (
    CtyError,
    CtyTypeError,
    Type,
    parse_type,
    read_value,
)
from statefmt.model.errors import SurgeryError

# Gives the new text of a value; None takes it out of the object or map that it is in.
JsonChange: TypeAlias = Callable[[bytes], bytes | None]
_WRAPPING: Final = ["value", "type"]


def json_edited(text: bytes, steps: Sequence[str | int], change: JsonChange, *, whole_wrapping: bool = False) -> bytes:
    """The text with the value at the end of the steps changed; of members that repeat, the last one.

    With `whole_wrapping`, the value at the end is taken with its wrapping, if it has one. Raises SurgeryError where the
    steps lead nowhere, where an element of an array is to be taken out, and where a value is not of its type.
    """
    new = _edited(text, steps, change, whole_wrapping)
    if new is None:
        raise SurgeryError("the attributes as a whole cannot be taken away")
    return new


def is_wrapping(text: bytes) -> bool:
    """Whether a text is the wrapping of a value of any type."""
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
        raise SurgeryError("an element of a list or set cannot be taken out by itself; set all of it")
    return _without(text, container, item.name)


def _leaf(text: bytes, steps: Sequence[str | int], change: JsonChange) -> bytes | None:
    if steps:
        raise SurgeryError("the path leads nowhere")
    return change(text)


def _item(text: bytes, container: Container, step: str | int) -> RawItem:
    """The part that a step leads to."""
    if text[:1] == b"[":
        found = container.items[step : step + 1] if isinstance(step, int) and step >= 0 else ()
    else:
        # A map may have the number of an element, or what looks like one, as a key.
        found = tuple(item for item in container.items if nfc(item.name) == str(step))
    if not found:
        raise SurgeryError("the path leads nowhere")
    return found[-1]


def _put(text: bytes, item: RawItem, value: bytes) -> bytes:
    return text[: item.value.start] + value + text[item.value.end :]


def _without(text: bytes, container: Container, name: str) -> bytes:
    """An object without a member, and without those before it that have its name and would count then."""
    kept = [item for item in container.items if item.name != name]
    if not kept:
        return b"{}"
    lead = container.items[0].before
    parts = [text[: lead.end], text[kept[0].whole.start : kept[0].whole.end]]
    parts += [text[item.before.start : item.whole.end] for item in kept[1:]]
    return b"".join((*parts, text[container.after.start :]))


def _wrapped_type(text: bytes, container: Container) -> Type | None:
    """The type that a wrapping says; None for what is none."""
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
            "the value is not of the type that the state has written beside it; give both, as "
            f'{{"value": …, "type": …}} ({error.detail})'
        ) from error
    return value
