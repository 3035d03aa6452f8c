"""Every value of the recorded states survives: it is what `json` says of the text in the file."""

from __future__ import annotations

from typing import Any, Final

import statefmt
from statefmt.library.values import Attributes, json_text
from statefmt.model.snapshot import ResourceInstanceObject
from tests.formats.recorded import CASES, input_of
from tests.library.values.values import as_texts, by_json, kinds

_TYPES: Final = {"string", "number", "bool", "dynamic"}
_KINDS: Final = {"list", "set", "map", "object", "tuple"}


def _objects() -> list[tuple[str, bytes, ResourceInstanceObject]]:
    """All objects that have attributes, in states of format 4, each with the name of its case and the file."""
    found = []
    for case in CASES:
        data = input_of(case)
        inspection = statefmt.inspect(data)
        if inspection.snapshot is not None and inspection.version == 4:
            found += [
                (str(case["id"]), data, obj)
                for resource in inspection.snapshot.resources
                for obj in resource.objects
                if obj.attributes is not None
            ]
    return found


def _unwrapped(value: Any) -> Any:
    """Remove the types that values of dynamic type are stored with: go-cty, `cty/json/marshal.go`."""
    if isinstance(value, tuple):
        return tuple(_unwrapped(item) for item in value)
    if not isinstance(value, dict):
        return value
    if list(value) == ["value", "type"] and (
        value["type"] in _TYPES if isinstance(value["type"], str) else value["type"] and value["type"][0] in _KINDS
    ):
        return _unwrapped(value["value"])
    return {name: _unwrapped(item) for name, item in value.items()}


def test_every_value_survives() -> None:
    objects = _objects()
    for name, data, obj in objects:
        found = Attributes(obj, "x")
        # Where the file has no attributes, or null, these are what OpenTofu reads.
        assert found.raw in data or found.raw == b"{}", name
        text = found.raw.decode("utf-8", "surrogateescape")
        told = by_json(text)
        if not isinstance(told, dict):
            assert dict(found) == {}
            continue
        # The root is no wrapped value.
        told = {member: _unwrapped(value) for member, value in told.items()}
        assert as_texts(dict(found)) == told, name
        assert kinds(as_texts(dict(found))) == kinds(told), name
    assert len(objects) > 500


def test_what_is_written_is_read_again() -> None:
    for name, _, obj in _objects():
        found = Attributes(obj, "x")
        if not found.sensitive:
            assert by_json(json_text(found).decode()) == as_texts(dict(found)), name
