"""Stored attributes of any shape decode or are refused, and what OpenTofu asks and saves."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st
from msgspec import Raw

from statefmt.lifecycle.stored import decode_state, strip_removed
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.cty import (
    DYNAMIC,
    NUMBER,
    STRING,
    CtyValueError,
    ListType,
    MapType,
    SetType,
    TupleType,
    Type,
    object_type,
)
from statefmt.model.cty.data import CtyPathError, CtyValue, GetAttr, PathIndex, UnknownData
from statefmt.model.cty.parts import unknown
from statefmt.model.snapshot import ResourceInstanceObject
from tests.lifecycle.opentofu.upgrade_state import StateUpgradeError, UpgradeRequest, UpgradeTarget, upgrade_state

_OF = object_type({"id": STRING, "rules": ListType(object_type({"port": NUMBER})), "any": DYNAMIC})
_JSON = st.recursive(
    st.sampled_from([None, True, 1, 1.5, "1", "x", "", "é"]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["a", "b", "type", "value", "é"]), inner, max_size=3),
    ),
    max_leaves=8,
)
_TYPES = st.recursive(
    st.sampled_from([STRING, NUMBER, DYNAMIC]),
    lambda inner: st.one_of(
        inner.map(ListType),
        inner.map(SetType),
        inner.map(MapType),
        st.lists(inner, max_size=2).map(lambda elements: TupleType(tuple(elements))),
        st.dictionaries(st.sampled_from("ab"), inner, max_size=2).map(object_type),
    ),
    max_leaves=6,
)


@settings(max_examples=400)
@given(_JSON, _TYPES)
def test_all_json_decodes_or_is_refused(value: object, of: Type) -> None:
    attributes = json.dumps(value).encode()
    again = strip_removed(attributes, of)
    assert strip_removed(again, of) == again
    try:
        decode_state(attributes, of)
    except CtyValueError as error:
        assert error.detail


@pytest.mark.parametrize(("attributes", "stripped"), [
    (b'{"id": "a", "old": 1}', b'{"id":"a"}'),
    (b'{"rules": [{"port": 9007199254740993, "old": {}}]}', b'{"rules":[{"port":9007199254740992}]}'),
    (b'{"rules": [{"port": 9007199254740993}]}', b'{"rules": [{"port": 9007199254740993}]}'),
    (b'{"id": "a", "old": 1e999}', b'{"id": "a", "old": 1e999}'),
    (b'{"id": "a", "id": "b", "old": 1}', b'{"id":"b"}'),
    (b'{"any": {"type": "string", "value": "x", "old": 1}}', b'{"any": {"type": "string", "value": "x", "old": 1}}'),
    (b'["old"]', b'["old"]'),
    (b"{", b"{"),
])  # fmt: skip
def test_removed_attributes(attributes: bytes, stripped: bytes) -> None:
    assert strip_removed(attributes, _OF) == stripped


def test_errors_have_the_path_to_the_part() -> None:
    with pytest.raises(CtyPathError, match="a number is required") as error:
        decode_state(b'{"rules": [{"port": 1}, {"port": "http"}]}', _OF)
    assert error.value.path == (GetAttr("rules"), PathIndex(1), GetAttr("port"))
    with pytest.raises(CtyPathError) as error:
        decode_state(b'{"any": {"type": ["map", "number"], "value": {"k": []}}}', _OF)
    assert error.value.path == (GetAttr("any"), PathIndex("k"))


def test_deep_values_are_refused() -> None:
    of: Type = NUMBER
    for _ in range(800):
        of = ListType(of)
    for depth in (800, 900, 100_000):
        attributes = b"[" * depth + b'"x"' + b"]" * depth
        assert strip_removed(attributes, of) == attributes
        with pytest.raises(CtyValueError):
            decode_state(attributes, of)


def test_nothing_is_asked_for_data_resources() -> None:
    obj = ResourceInstanceObject(schema_version=7)
    assert upgrade_state(obj, _target("data.test_thing.x"), _refuse) is obj


def test_unknown_parts_of_the_answer_are_saved_as_null() -> None:
    answer = CtyValue(_OF, {"any": UnknownData(), "id": "a", "rules": ({"port": UnknownData()},)})
    new = upgrade_state(ResourceInstanceObject(attributes_flat={"id": "a"}), _target(), lambda request: answer)
    assert new.attributes == Raw(b'{"any":null,"id":"a","rules":[{"port":null}]}')
    assert new.attributes_flat is None
    assert new.schema_version == 1


@pytest.mark.parametrize("typed", [True, False])
def test_deep_answers_are_refused(typed: bool) -> None:
    deep = unknown(STRING)
    for _ in range(3000):
        deep = CtyValue(ListType(deep.type), (deep.data,))
    target = UpgradeTarget(_target().addr, _target().provider, object_type({"a": deep.type if typed else DYNAMIC}), 1)
    # An equal type, but not the same one.
    answer = CtyValue(object_type({"a": ListType(deep.type.element)}), {"a": deep.data})  # type: ignore[union-attr]
    with pytest.raises(StateUpgradeError, match="nested too deeply"):
        upgrade_state(ResourceInstanceObject(), target, lambda request: answer)


def _target(addr: str = "test_thing.x") -> UpgradeTarget:
    return UpgradeTarget(parse_abs_resource_instance(addr), parse_provider_source("hashicorp/test"), _OF, 1)


def _refuse(request: UpgradeRequest) -> CtyValue:
    raise AssertionError(request)
