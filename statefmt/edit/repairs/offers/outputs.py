"""Offers choices for outputs that do not fit their type (OUT001, OUT002)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import LooseState
from statefmt.edit.repairs.offers._parts import json_value, removal
from statefmt.formats.writing.changes import JsonPath
from statefmt.golang import JSONValue, Members, NumberText, encode_string, loads_exact
from statefmt.model.cty import CtyEncodeError, CtyTypeError, CtyValueError
from statefmt.model.cty.values import canonical_output
from statefmt.model.findings import Finding

# In characters; a longer type does not help to choose.
_LONGEST: Final = 80


def output_choices(state: LooseState, path: JsonPath, finding: Finding) -> Iterator[Choice]:
    """Take the type that the value implies, write another value or type, or remove the output."""
    whole = path[:-1]
    value = state.raw((*whole, "value"))
    implied = _implied(None if value is None else loads_exact(value, replace_invalid=True))
    if not state.names(whole):
        # It is null.
        yield removal(whole, "remove the output; the next apply writes it again")
        return
    if value is not None and _fits(value, implied):
        shown = f": {implied.decode()}" if len(implied) <= _LONGEST else ""
        yield Choice("implied", f"the type that the value has{shown}", lambda _: {(*whole, "type"): implied})
    yield json_value((*whole, "value"), "this JSON value")
    kind = json_value((*whole, "type"))
    yield Choice("type", "this type, as JSON", kind.changes, "JSON")
    yield removal(whole, "remove the output; the next apply writes it again")


def _implied(value: JSONValue) -> bytes:
    """Return the type of a JSON value, as cty implies it: arrays are tuples, objects are objects."""
    if isinstance(value, bool):
        return b'"bool"'
    if isinstance(value, NumberText):
        return b'"number"'
    if isinstance(value, str):
        return b'"string"'
    if isinstance(value, list):
        return b'["tuple",[' + b",".join(map(_implied, value)) + b"]]"
    if isinstance(value, Members):
        members = [encode_string(name) + b":" + _implied(part) for name, part in dict(value).items()]
        return b'["object",{' + b",".join(members) + b"}]"
    return b'"dynamic"'


def _fits(value: bytes, kind: bytes) -> bool:
    try:
        canonical_output(value, kind)
    except (CtyTypeError, CtyEncodeError, CtyValueError):
        return False
    return True
