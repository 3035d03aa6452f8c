"""Offers choices for several addresses of one real object (ADR008)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence

from msgspec import Raw

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import INSTANCES, RESOURCES, LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.errors import SurgeryError
from statefmt.model.findings import Finding
from statefmt.redaction.object_value import id_scope


def shared_object_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep one of the addresses and forget the others, in one choice: no decision forgets all of them."""
    addresses = {one: state.instance_address(one) for one in same_object(state, path)}

    def keep(given: str) -> dict[JsonPath, bytes | None]:
        if given not in addresses.values():
            raise SurgeryError(f"{given!r} is none of the addresses: {', '.join(addresses.values())}")
        return {one: None for one, address in addresses.items() if address != given}

    forgotten = "the other address" if len(addresses) == 2 else f"the {len(addresses) - 1} other addresses"
    text = f"keep this address and forget {forgotten}; the real object continues to exist"
    yield Choice("keep", text, keep, "ADDRESS", alone=True)


def same_object(state: LooseState, path: JsonPath) -> Sequence[JsonPath]:
    """Return the objects that are the same real object as one of them, in file order."""
    return state.once(_by_real_object).get(_real_object(state, path), (path,))


def _by_real_object(state: LooseState, _: JsonPath) -> Mapping[Hashable, Sequence[JsonPath]]:
    found: dict[Hashable, list[JsonPath]] = {}
    for block in state.parts((RESOURCES,)):
        for one in state.parts((*block, INSTANCES)):
            if state.object_id(one) and not state.string((*one, "deposed")):
                found.setdefault(_real_object(state, one), []).append(one)
    return found


def _real_object(state: LooseState, one: JsonPath) -> Hashable:
    """Return what distinguishes the real object from all others."""
    raw = state.raw((*one, "attributes"))
    provider = state.object(one).provider
    kind = state.string((*one[:2], "mode")), state.string((*one[:2], "type"))
    return kind, provider, state.object_id(one), id_scope(None if raw is None else Raw(raw), None)
