"""Runs a block that selects instances: the request of its command, and the part of a state that it concerns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from statefmt.analysis.selection.criteria import Criteria
from statefmt.edit.arguments.assignment import assignment
from statefmt.edit.arguments.key_map import WHOLE_NUMBER, KeyMap, parse_key_map
from statefmt.edit.changes.edit import Edit
from statefmt.edit.operations_file._model import (
    ForgetBlock,
    ForgetDeposedBlock,
    RebindBlock,
    RekeyBlock,
    SelectingBlock,
    SetBlock,
    TaintBlock,
    UnsetBlock,
    UntaintBlock,
)
from statefmt.edit.operations_file._parts import PartOfState, forgotten, rebound, rekeyed, selected
from statefmt.edit.operations_file._working_state import WorkingState
from statefmt.edit.requests.choose import Note
from statefmt.edit.requests.forget_deposed import forget_deposed_request
from statefmt.edit.requests.known_providers import KnownProviders
from statefmt.edit.requests.rebind import rebind_request
from statefmt.edit.requests.rekey import rekey_request
from statefmt.edit.requests.rm import rm_request
from statefmt.edit.requests.set import set_request
from statefmt.edit.requests.taint import taint_request, untaint_request
from statefmt.edit.requests.unset import unset_request
from statefmt.model.addrs import StringKey
from statefmt.model.errors import SurgeryError
from statefmt.model.snapshot import Snapshot

_PartOf: TypeAlias = Callable[[Sequence[str], WorkingState], PartOfState]


class Selecting(NamedTuple):
    """How an operation edits a state in which it selects instances, and which part of the state it concerns."""

    edit: Callable[[Criteria, Snapshot], Edit]
    part: _PartOf = selected


def selecting(block: SelectingBlock, note: Note) -> Selecting:
    """Return what a block does. Raises SurgeryError if its arguments do not fit together."""
    match block:
        case ForgetBlock():
            return Selecting(
                lambda chosen, state: rm_request(state, chosen, keep_dangling=block.keep_dangling, note=note), forgotten
            )
        case RekeyBlock():
            if (block.keys is None) == (block.by is None):
                raise SurgeryError("rekey: give either keys or by")
            keys = _keys(block.keys)
            return Selecting(
                lambda chosen, state: rekey_request(
                    state, chosen, keys=keys, by=block.by, count=block.count, note=note
                ),
                rekeyed,
            )
        case RebindBlock():
            keys, known = _keys(block.keys), known_providers(new_provider=block.new_provider)
            return Selecting(
                lambda chosen, state: rebind_request(
                    state,
                    chosen,
                    block.provider,
                    mapping=keys,
                    whole_resource=block.whole_resource,
                    known=known,
                    note=note,
                ),
                rebound,
            )
        case TaintBlock():
            return Selecting(lambda chosen, state: taint_request(state, chosen, note=note))
        case UntaintBlock():
            return Selecting(lambda chosen, state: untaint_request(state, chosen, note=note))
        case ForgetDeposedBlock():
            return Selecting(
                lambda chosen, state: forget_deposed_request(state, chosen, block.key, note=note), forgotten
            )
        case SetBlock():
            given = [assignment(path, _json(value)) for path, value in block.values.items()]
            return Selecting(
                lambda chosen, state: set_request(state, chosen, (), given, force_type=block.force_type, note=note)
            )
        case UnsetBlock():
            paths = (block.paths,) if isinstance(block.paths, str) else block.paths
            return Selecting(lambda chosen, state: unset_request(state, chosen, paths, note=note))


def known_providers(*, new_provider: bool) -> KnownProviders | None:
    """Return the providers that a block may bind to: those of the state, or with `new_provider` all."""
    return None if new_provider else KnownProviders("write new_provider = true")


def _keys(keys: Mapping[str, str | int | None] | None) -> KeyMap | None:
    """Return the keys as the command line takes them: a whole number is a `count` key, and "" or null is no key."""
    if keys is None:
        return None
    return parse_key_map([f"{_key(old, is_old=True)}={_key(new)}" for old, new in keys.items()])


def _key(key: str | int | None, *, is_old: bool = False) -> str:
    # The names of an object are strings, whatever was written.
    if not key or isinstance(key, int) or (is_old and WHOLE_NUMBER.fullmatch(key)):
        return "" if key in (None, "") else str(key)
    return str(StringKey(key))[1:-1]


def _json(value: object) -> str:
    return msgspec.json.Encoder(decimal_format="number").encode(value).decode()
