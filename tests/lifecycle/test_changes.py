"""Proposed, unknown and normalized objects beyond the recorded cases: laws, odd and large values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from cProfile import Profile
from random import Random

import pytest

from statefmt.lifecycle.schema import NestedAttributes, NestedBlock, SchemaAttribute, SchemaBlock, implied_type
from statefmt.lifecycle.stored import conformance
from statefmt.model.cty import STRING, CtyValueError, ListType, ObjectType
from statefmt.model.cty.data import CtyValue, Data, MarkedData, UnknownData
from statefmt.model.cty.parts import is_null, is_wholly_known
from tests.lifecycle.mutations import mutated
from tests.lifecycle.opentofu.parts import null, same
from tests.lifecycle.opentofu.phases import ObjectPhases, follow_lifecycle
from tests.lifecycle.opentofu.plan_valid import plan_valid
from tests.lifecycle.opentofu.proposed_new import normalize_legacy, planned_unknown, proposed_new
from tests.lifecycle.recorded import cases
from tests.lifecycle.values import decode, schema_of

_NAMES = ("prior", "config", "planned", "config_final", "planned_final", "applied", "value", "actual")
_TEXT = SchemaAttribute(type=STRING, optional=True)
_COMPUTED = SchemaAttribute(type=STRING, optional=True, computed=True)


def _recorded(function: str) -> Iterator[tuple[SchemaBlock, dict[str, CtyValue]]]:
    """Yield schema and values of each recorded case whose values are of the right type."""
    for case in cases("objchange"):
        if case["fn"] == function:
            schema = schema_of(case)
            of = implied_type(schema)
            values = {name: decode(case[name]) or null(of) for name in _NAMES if name in case}
            if not any(conformance(value.type, of) for value in values.values()):
                yield schema, values


def test_what_is_proposed_may_be_planned() -> None:
    count = 0
    for schema, given in _recorded("proposed_new"):
        # For an unknown block, OpenTofu proposes the prior one, which no provider may plan.
        if not is_null(given["config"]) and is_wholly_known(given["config"]):
            proposed = proposed_new(schema, given["prior"], given["config"])
            assert plan_valid(schema, given["prior"], given["config"], proposed) == ()
            count += 1
    assert count > 500


def test_proposing_again_changes_nothing() -> None:
    for schema, given in _recorded("proposed_new"):
        once = proposed_new(schema, given["prior"], given["config"])
        if not is_null(given["config"]):
            assert same(proposed_new(schema, once, given["config"]), once)


def test_normalizing_again_changes_nothing() -> None:
    for schema, given in _recorded("normalize_legacy"):
        with suppress(CtyValueError):
            once = normalize_legacy(schema, given["value"])
            assert same(normalize_legacy(schema, once), once)


def test_every_value_has_an_answer_or_is_refused() -> None:
    random = Random(21)
    for schema, given in [each for name in ("proposed_new", "lifecycle") for each in _recorded(name)][::3]:
        values = list(given.values())

        def pick(values: list[CtyValue] = values) -> CtyValue:
            return mutated(random.choice(values), random)

        with suppress(CtyValueError):
            proposed_new(schema, pick(), pick())
        with suppress(CtyValueError):
            planned_unknown(schema, pick())
        with suppress(CtyValueError):
            normalize_legacy(schema, pick())
        with suppress(CtyValueError):
            follow_lifecycle(schema, ObjectPhases(pick(), pick(), pick(), pick(), pick(), pick()))


def _set_of_blocks(elements: list[dict[str, Data]]) -> tuple[SchemaBlock, CtyValue]:
    schema = SchemaBlock({}, {"rule": NestedBlock(SchemaBlock({"name": _TEXT, "id": _COMPUTED}), "set")})
    return schema, CtyValue(implied_type(schema), {"rule": tuple(elements)})


def test_an_element_of_a_set_keeps_what_was_computed() -> None:
    schema, prior = _set_of_blocks([{"name": "a", "id": "1"}, {"name": "b", "id": "2"}])
    _, config = _set_of_blocks([{"name": "b", "id": None}, {"name": "c", "id": None}])
    expected = ({"name": "b", "id": "2"}, {"name": "c", "id": None})
    found = proposed_new(schema, prior, config).data
    assert isinstance(found, dict)
    rules = found["rule"]
    assert isinstance(rules, tuple)
    assert sorted(map(str, rules)) == sorted(str(dict(sorted(each.items()))) for each in expected)


def test_each_element_of_a_prior_set_is_used_once() -> None:
    schema, prior = _set_of_blocks([{"name": "a", "id": "1"}, {"name": "a", "id": "2"}])
    _, config = _set_of_blocks([{"name": "a", "id": None}, {"name": "a", "id": UnknownData()}])
    found = proposed_new(schema, prior, config).data
    assert isinstance(found, dict)
    assert found["rule"] == ({"id": "1", "name": "a"}, {"id": UnknownData(), "name": "a"})


def test_large_sets_take_linear_time() -> None:
    def calls(count: int) -> int:
        names = [f"{index:06}" for index in range(count)]
        schema, prior = _set_of_blocks([{"name": name, "id": name} for name in names])
        _, config = _set_of_blocks([{"name": name, "id": None} for name in reversed(names)])
        profile = Profile()
        profile.runcall(proposed_new, schema, prior, config)
        return sum(entry.callcount for entry in profile.getstats())

    assert calls(400) < 5 * calls(100)


def test_a_mark_stays_where_it_was() -> None:
    schema = SchemaBlock({"name": _TEXT}, {"rule": NestedBlock(SchemaBlock({"name": _TEXT}), "list")})
    secret = MarkedData(frozenset({"sensitive"}), "x")
    value = CtyValue(implied_type(schema), {"name": secret, "rule": ({"name": secret},)})
    assert same(normalize_legacy(schema, value), value)


def _nested(depth: int) -> tuple[SchemaBlock, CtyValue]:
    schema, of = SchemaBlock({"name": _TEXT}), ObjectType({"name": STRING})
    data: dict[str, Data] = {"name": "x"}
    for _ in range(depth):
        schema = SchemaBlock({}, {"rule": NestedBlock(schema, "list")})
        data, of = {"rule": (data,)}, ObjectType({"rule": ListType(of)})
    return schema, CtyValue(of, data)


_FUNCTIONS: tuple[Callable[[SchemaBlock, CtyValue], object], ...] = (
    lambda schema, value: proposed_new(schema, value, value),
    planned_unknown,
    normalize_legacy,
    lambda schema, value: follow_lifecycle(schema, ObjectPhases(value, value, value, value, value, value)),
)


@pytest.mark.parametrize("function", _FUNCTIONS)
def test_nesting_without_end_is_refused(function: Callable[[SchemaBlock, CtyValue], object]) -> None:
    function(*_nested(30))
    schema, value = _nested(900)
    with pytest.raises(CtyValueError, match="nested too deeply"):
        function(schema, value)


def test_null_elements_of_nested_attributes_stay() -> None:
    nested = NestedAttributes({"name": _TEXT, "id": _COMPUTED}, "list")
    schema = SchemaBlock({"rules": SchemaAttribute(nested=nested, optional=True)})
    value = CtyValue(implied_type(schema), {"rules": (None, {"name": "a", "id": None})})
    assert same(proposed_new(schema, value, value), value)
