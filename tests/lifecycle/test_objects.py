"""plan_valid, object_compatible and value_compatible, beyond what the recorded templates say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from random import Random

import pytest

from statefmt.lifecycle.schema import NestedAttributes, NestedBlock, SchemaAttribute, SchemaBlock
from statefmt.model.cty import DYNAMIC, STRING, CtyValueError, ListType, ObjectType, SetType, Type
from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData
from statefmt.model.cty.parts import elements, unmarked_deep
from tests.lifecycle.mutations import mutated
from tests.lifecycle.opentofu.compatible import correlate, object_compatible, value_compatible, value_problems
from tests.lifecycle.opentofu.plan_valid import plan_valid
from tests.lifecycle.recorded import Case, answer, cases
from tests.lifecycle.values import decode, schema_of

_FUNCTIONS = ("plan_valid", "object_compatible", "value_compatible")


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_messages_are_those_of_opentofu(function: str) -> None:
    count = 0
    for case in cases("objchange"):
        if case["fn"] == function and "errors" in case["output"]:
            found = sorted((error["text"], error["message"]) for error in answer(case)["errors"])
            assert found == sorted((error["text"], error["message"]) for error in case["output"]["errors"]), case["id"]
            count += len(found)
    assert count > 100


def test_a_message_shows_no_marked_value() -> None:
    secret = MarkedData(frozenset({"sensitive"}), "hunter2")
    of = ObjectType({"a": STRING})
    (problem,) = value_compatible(CtyValue(of, {"a": "x"}), CtyValue(of, {"a": secret}))
    assert problem.message == "inconsistent values for sensitive attribute"


def test_a_message_about_a_plan_shows_no_marked_value() -> None:
    schema = SchemaBlock({"a": SchemaAttribute(type=STRING, optional=True)})
    config, planned = _object("x"), _object(MarkedData(frozenset({"sensitive"}), "hunter2"))
    (problem,) = plan_valid(schema, CtyValue(config.type, None), config, planned)
    assert problem.message == 'planned value (sensitive value) does not match config value cty.StringVal("x")'


def test_elements_of_sets_correspond_as_if_each_was_compared_with_each() -> None:
    random = Random(7)
    count = 0
    for planned, actual in _pairs_of_sets(random):
        before, now = ([part for _, part in elements(each)] for each in (planned, actual))
        matches = [[_fits(one, other) for other in now] for one in before]
        found = correlate(before, now, None, _fits)
        assert found == ([any(row) for row in matches], [any(row[i] for row in matches) for i in range(len(now))])
        count += any(map(any, matches)) and not all(map(all, matches))
    assert count > 50


def test_large_sets_take_linear_time() -> None:
    calls = 0

    def fits(one: CtyValue, other: CtyValue) -> bool:
        nonlocal calls
        calls += 1
        return _fits(one, other)

    of = ObjectType({"id": STRING, "name": STRING})
    before = [CtyValue(of, {"id": UnknownData(), "name": str(index)}) for index in range(10_000)]
    now = [CtyValue(of, {"id": "x", "name": str(index)}) for index in range(1, 10_001)]
    found = correlate(before, now, None, fits)
    assert [row.count(False) for row in found] == [1, 1]
    assert calls < 20_000


def test_large_sets_of_strings() -> None:
    texts = tuple(sorted(map(str, range(10_000))))
    planned, actual = CtyValue(SetType(STRING), texts), CtyValue(SetType(STRING), texts[1:])
    assert value_compatible(planned, planned) == ()
    assert len(value_compatible(planned, actual)) == 1


def test_values_nested_too_deeply_are_refused() -> None:
    value = _nested(5000)
    other = _nested(5000, "y")
    with pytest.raises(CtyValueError, match="nested too deeply"):
        value_compatible(value, other)
    schema = SchemaBlock({"a": SchemaAttribute(type=DYNAMIC, optional=True)})
    whole, changed = (CtyValue(ObjectType({"a": each.type}), {"a": each.data}) for each in (value, other))
    with pytest.raises(CtyValueError, match="nested too deeply"):
        object_compatible(schema, whole, changed)
    with pytest.raises(CtyValueError, match="nested too deeply"):
        plan_valid(schema, CtyValue(DYNAMIC, None), whole, changed)


def test_a_value_that_lacks_attributes_is_refused() -> None:
    schema = SchemaBlock(blocks={"rule": NestedBlock(SchemaBlock(), "list")})
    empty = CtyValue(ObjectType({}), {})
    with pytest.raises(CtyValueError, match='attribute "rule" is required'):
        object_compatible(schema, empty, empty)
    with pytest.raises(CtyValueError, match='attribute "rule" is required'):
        plan_valid(schema, empty, empty, empty)


def test_a_value_where_the_schema_has_a_collection_is_refused() -> None:
    nested = NestedAttributes({"b": SchemaAttribute(type=STRING, optional=True)}, "list")
    schema = SchemaBlock({"a": SchemaAttribute(nested=nested, optional=True)})
    config, planned = (CtyValue(ObjectType({"a": STRING}), {"a": text}) for text in ("x", "y"))
    with pytest.raises(CtyValueError, match="a collection is required"):
        plan_valid(schema, CtyValue(DYNAMIC, None), config, planned)


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_mutated_values_raise_nothing_else(function: str) -> None:
    random = Random(11)
    chosen = [case for case in cases("objchange") if case["fn"] == function]
    for case in random.sample(chosen, 150):
        for _ in range(4):
            with suppress(CtyValueError):
                _check(case, random)


def _check(case: Case, random: Random) -> None:
    names = ("prior", "config", "planned") if case["fn"] == "plan_valid" else ("planned", "actual")
    values = [mutated(decode(case[name]) or CtyValue(DYNAMIC, None), random) for name in names]
    random.shuffle(values)
    if case["fn"] == "value_compatible":
        value_compatible(values[0], values[1])
    elif case["fn"] == "object_compatible":
        object_compatible(schema_of(case), values[0], values[1])
    else:
        plan_valid(schema_of(case), values[0], values[1], values[2])


def _object(data: Data) -> CtyValue:
    return CtyValue(ObjectType({"a": STRING}), {"a": data})


def _fits(one: CtyValue, other: CtyValue) -> bool:
    return next(value_problems(one, other, ()), None) is None


def _pairs_of_sets(random: Random) -> Iterator[tuple[CtyValue, CtyValue]]:
    for case in cases("objchange"):
        planned = decode(case.get("planned"))
        if planned is not None:
            for each in _sets(unmarked_deep(planned)):
                other = mutated(each, random, marks=False)
                if isinstance(other.data, tuple):
                    yield each, other


def _sets(value: CtyValue) -> Iterator[CtyValue]:
    if isinstance(value.data, (tuple, dict)):
        if isinstance(value.type, SetType) and value.data:
            yield value
        for _, part in elements(value):
            yield from _sets(part)


def _nested(depth: int, leaf: str = "x") -> CtyValue:
    of: Type = STRING
    data: Data = leaf
    for _ in range(depth):
        of, data = ListType(of), (data,)
    return CtyValue(of, data)
