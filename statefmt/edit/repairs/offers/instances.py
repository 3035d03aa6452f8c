"""Offers choices for single objects: mode, status, deposed key, sensitive paths (ADR003, INS…)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.new_keys import DEPOSED_KEY, new_deposed_key
from statefmt.edit.repairs.offers._parts import json_value, removal, replacement
from statefmt.formats.raw_json import container_at
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import Members, encode_string, loads_exact
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.findings import Finding

_FORGET: Final = "forget the object; the real one continues to exist"


def mode_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Say what the resource is, or forget it."""
    # A block that is null, or without a type, is no resource of any mode.
    if state.string((*path[:-1], "type")):
        yield replacement(path, b'"managed"', "managed", "it is a resource")
        yield replacement(path, b'"data"', "data", "it is a data source")
    yield removal(path[:-1], "forget the resource; the real objects continue to exist", "forget")


def status_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Replace the object with the next apply, or take it for whole."""
    yield replacement(path, b'"tainted"', "tainted", "tainted: the next apply replaces it")
    yield removal(path, "the object is whole", "ready")


def damaged_value_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Offer nothing: only a backup has the values."""
    yield from ()


def deposed_key_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Write another deposed key, or forget the object."""
    # From its content, so that the same input gives the same bytes.
    new = hashlib.sha256(state.raw(path[:-1]) or b"").hexdigest()[:DEPOSED_KEY]
    yield replacement(path, encode_string(new), "new-key", f"the deposed key {new}")
    one = path[:-1]
    text = f"this deposed key, of {DEPOSED_KEY} characters"
    yield Choice("key", text, lambda given: new_deposed_key(state, one, given), "KEY")
    yield removal(path[:-1], _FORGET, "forget")


def sensitive_paths_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep the paths that can be read, or convert names of attributes to paths."""
    text = state.raw(path) or b""
    names = _names(text)
    attributes = state.raw((*path[:-1], "attributes")) or b"null"
    known = loads_exact(attributes, replace_invalid=True)
    if names and isinstance(known, Members) and all(name in dict(known) for name in names):
        steps = b",".join(b'[{"type":"get_attr","value":%s}]' % encode_string(name) for name in names)
        listed = ", ".join(names)
        yield replacement(path, b"[" + steps + b"]", "convert", f"mark these attributes as sensitive: {listed}")
    yield json_value(path, "these paths, as a JSON array")
    if text.startswith(b"["):
        dropped = {
            (*path, str(number)): None
            for number, item in enumerate(container_at(text).items)
            if canonical_paths(b"[" + text[item.value.start : item.value.end] + b"]")[1]
        }
        yield Choice(
            "drop-invalid", "drop the paths that cannot be read; their values may then be shown", lambda _: dropped
        )
    yield removal(path, "drop all paths; OpenTofu then shows the values unless the schema hides them")


def missing_path_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Drop a path that leads nowhere, or write another one."""
    yield removal(path, "drop the path, which hides nothing")
    yield json_value(path, "this path, as a JSON array of steps")


def both_forms_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Keep one of the two forms of attributes."""
    yield removal(path, 'keep "attributes", which counts', "typed")
    yield removal((*path[:-1], "attributes"), 'keep "attributes_flat"', "flat")


def _names(text: bytes) -> list[str]:
    """Return the names if the paths are a list of names, else nothing."""
    given = loads_exact(text, replace_invalid=True)
    if not isinstance(given, list):
        return []
    return [name for name in given if isinstance(name, str)] if all(type(name) is str for name in given) else []
