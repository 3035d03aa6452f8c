"""Finds what a repair leaves out of a state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from statefmt.edit.repairs.loose_state import INSTANCES, RESOURCES, LooseState
from statefmt.edit.repairs.shown_id import shown_id
from statefmt.formats.raw_json import utf8_problem
from statefmt.formats.writing.changes import JsonPath

_NOT_ASCII: Final = bytes(range(0x80, 0x100))


def forgotten(before: bytes, after: bytes, *, show_sensitive: bool = False) -> tuple[str, ...]:
    """Return the objects and outputs that only the content before a repair has, in file order.

    An object is named by its address, and by its id if it has one; `show_sensitive` shows ids that are marked as
    sensitive. An object that got another address is not forgotten. Only format version 4 is compared.
    """
    if before == after:
        return ()
    old = LooseState(before, show_sensitive=show_sensitive)
    new = LooseState(after)
    # Bytes that are not UTF-8 change everywhere.
    ignored = b"" if utf8_problem(before) is None else _NOT_ASCII
    left = Counter(text for one in _objects(new) for text in _attributes(new, one, ignored))
    found: list[str] = []
    for one in _objects(old):
        kept = [text for text in _attributes(old, one, ignored) if left[text]]
        if not kept:
            found.append(_named(old, one))
        left.subtract(kept)
    outputs = set(new.names(("outputs",)))
    return (*found, *(f"output.{name}" for name in dict.fromkeys(old.names(("outputs",))) if name not in outputs))


def _objects(state: LooseState) -> Iterator[JsonPath]:
    for resource in state.parts((RESOURCES,)):
        yield from state.parts((*resource, INSTANCES))


def _attributes(state: LooseState, instance: JsonPath, ignored: bytes) -> list[bytes]:
    """Return both forms of an object's attributes, one of which may be removed; an object without them has one."""
    forms = [state.raw((*instance, name)) for name in ("attributes", "attributes_flat")]
    return [text.translate(None, ignored) for text in forms if text is not None and text != b"null"] or [b""]


def _named(state: LooseState, instance: JsonPath) -> str:
    named = shown_id(state, instance)
    return state.instance_address(instance) + (f" (id {named})" if named else "")
