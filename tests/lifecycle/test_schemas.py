"""What schemas say of values, beyond the recorded cases: odd, large and deep values, unsound schemas."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from cProfile import Profile
from random import Random

import pytest

from statefmt.lifecycle.plan_files._shown_values import sensitive_json
from statefmt.lifecycle.schema import NestedBlock, SchemaAttribute, SchemaBlock, implied_type, parse_block
from statefmt.lifecycle.schema_marks import contains_sensitive, value_marks
from statefmt.lifecycle.stored import conformance
from statefmt.model.cty import STRING, CtyValueError, ListType, MapType, ObjectType, SetType
from statefmt.model.cty.data import CtyValue, Data, GetAttr, MarkedData, UnknownData
from statefmt.model.cty.parts import PathMarks, split_marks, with_path_marks
from tests.lifecycle.mutations import mutated
from tests.lifecycle.opentofu.parts import null, same
from tests.lifecycle.opentofu.proposed_new import empty_value, unknown_value
from tests.lifecycle.opentofu.schemas import coerce_value, internal_validate
from tests.lifecycle.opentofu.write_only import write_only_values
from tests.lifecycle.recorded import cases
from tests.lifecycle.values import decode, schema_of

_SECRET = SchemaAttribute(type=STRING, optional=True, sensitive=True, write_only=True)
_SENSITIVE = frozenset({"sensitive"})


def test_every_value_has_an_answer_or_is_refused() -> None:
    random = Random(21)
    for case in cases("schema"):
        if case["fn"] in ("coerce_value", "value_marks", "write_only_paths"):
            schema = schema_of(case)
            value = mutated(decode(case["value"]) or null(implied_type(schema)), random)
            with suppress(CtyValueError):
                coerce_value(schema, value)
            with suppress(CtyValueError):
                found = value_marks(schema, value, deprecations=True)
                sensitive_json(value, [each.path for each in found])
                write_only_values(schema, value)
            conformance(value.type, implied_type(schema))


def test_marks_come_back_to_where_they_were() -> None:
    random, marked = Random(22), 0
    for case in cases("schema"):
        if case["fn"] == "value_marks" and case["value"] is not None:
            value = decode(case["value"])
            assert value is not None
            value = mutated(value, random)
            plain, found = split_marks(value)
            assert same(with_path_marks(plain, found), value)
            marked += bool(found)
    assert marked > 10


def test_marks_within_elements_of_a_set_become_marks_of_the_set() -> None:
    element = ObjectType({"a": STRING})
    value = CtyValue(SetType(element), ({"a": "x"}, {"a": "y"}))
    schema = SchemaBlock({}, {"rule": NestedBlock(SchemaBlock({"a": _SECRET}), "set")})
    whole = CtyValue(ObjectType({"rule": SetType(element)}), {"rule": value.data})
    found = value_marks(schema, whole)
    assert len(found) == 2
    assert with_path_marks(whole, found[:1]).data == {"rule": MarkedData(_SENSITIVE, value.data)}
    assert sensitive_json(whole, [found[0].path]) == {"rule": [{"a": True}, {}]}


def test_paths_that_lead_nowhere_are_passed_over() -> None:
    value = CtyValue(MapType(STRING), {"a": "x"})
    assert with_path_marks(value, [PathMarks((GetAttr("b"),), _SENSITIVE)]) == value


def test_write_only_values_in_unknown_elements_count() -> None:
    schema = SchemaBlock({"id": SchemaAttribute(type=STRING, computed=True), "a": _SECRET})
    schema = SchemaBlock({}, {"rule": NestedBlock(schema, "set")})
    known: Data = {"a": None, "id": "1"}
    value = CtyValue(implied_type(schema), {"rule": (known, {"a": None, "id": UnknownData()})})
    assert len(write_only_values(schema, value)) == 1


def test_large_sets_take_linear_time() -> None:
    schema = SchemaBlock({}, {"rule": NestedBlock(SchemaBlock({"a": _SECRET}), "set")})

    def calls(count: int) -> int:
        value = CtyValue(implied_type(schema), {"rule": tuple({"a": f"{index:06}"} for index in range(count))})
        profile = Profile()
        found = profile.runcall(value_marks, schema, value)
        profile.runcall(with_path_marks, value, found)
        profile.runcall(sensitive_json, value, [each.path for each in found])
        profile.runcall(write_only_values, schema, value)
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(400) < 5 * calls(100)


def test_blocks_without_a_mode_or_with_the_name_of_an_attribute_have_no_values() -> None:
    schema = parse_block(
        b'{"attributes": {"a": {"type": "string", "optional": true}},'
        b' "block_types": {"a": {"nesting_mode": "list"}, "b": {}}}'
    )
    assert implied_type(schema) == ObjectType({"a": STRING})
    for value in (empty_value(schema), unknown_value(schema)):
        assert coerce_value(schema, value) == value
        assert value_marks(schema, value) == ()
    assert internal_validate(schema) == (
        "a: name defined as both attribute and child block type",
        "b: invalid nesting mode nestingModeInvalid",
    )


def _nested(depth: int) -> tuple[SchemaBlock, CtyValue]:
    schema, of = SchemaBlock({"a": _SECRET}), ObjectType({"a": STRING})
    data: dict[str, Data] = {"a": "x"}
    for _ in range(depth):
        schema = SchemaBlock({}, {"rule": NestedBlock(schema, "list")})
        data, of = {"rule": (data,)}, ObjectType({"rule": ListType(of)})
    return schema, CtyValue(of, data)


_FUNCTIONS: tuple[Callable[[SchemaBlock, CtyValue], object], ...] = (
    coerce_value,
    value_marks,
    write_only_values,
    lambda schema, value: conformance(value.type, ListType(value.type)),
    lambda schema, value: contains_sensitive(SchemaBlock({}, {"rule": NestedBlock(schema, "list")})),
    lambda schema, value: empty_value(SchemaBlock({}, {"rule": NestedBlock(schema, "group")})),
    lambda schema, value: implied_type(schema),
    lambda schema, value: internal_validate(schema),
    lambda schema, value: sensitive_json(value),
    lambda schema, value: unknown_value(schema),
)


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_nesting_without_end_is_refused(function: Callable[[SchemaBlock, CtyValue], object]) -> None:
    function(*_nested(30))
    for depth in (300, 900, 3000):
        with suppress(CtyValueError):
            function(*_nested(depth))
