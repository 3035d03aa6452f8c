"""The JSON form of plans, beyond the recorded cases."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from statefmt.lifecycle.plan_files._shown_values import encode_replace_paths
from statefmt.lifecycle.schema import implied_type
from statefmt.model.cty import NUMBER, STRING, CtyEncodeError, CtyValueError, ListType, ObjectType, Type
from statefmt.model.cty.data import CtyValue, Data, MarkedData, PathIndex, UnknownData
from statefmt.model.cty.number import Number
from tests.lifecycle.mutations import mutated
from tests.lifecycle.opentofu.parts import null
from tests.lifecycle.opentofu.plan_json import plan_change, plan_json_value
from tests.lifecycle.recorded import cases
from tests.lifecycle.values import decode, schema_of

_SENSITIVE = frozenset({"sensitive"})


def test_a_part_may_be_unknown_and_sensitive() -> None:
    of = ObjectType({"a": STRING, "b": ListType(STRING)})
    value = CtyValue(of, {"a": MarkedData(_SENSITIVE, UnknownData()), "b": (MarkedData(_SENSITIVE, "x"), "y")})
    shown = plan_json_value(value)
    assert shown.json == b'{"b":["x","y"]}'
    assert shown.unknown == {"a": True, "b": [False, False]}
    assert shown.sensitive == {"a": True, "b": [True, False]}


def test_infinity_has_no_json() -> None:
    infinity = CtyValue(NUMBER, Number(False, 0, infinite=True))
    with pytest.raises(CtyEncodeError, match="infinity"):
        plan_json_value(infinity)
    with pytest.raises(CtyEncodeError, match="infinity"):
        encode_replace_paths([(PathIndex(infinity),)])


def test_values_nested_too_deeply_are_refused() -> None:
    of: Type = STRING
    data: Data = UnknownData()
    for _ in range(5000):
        of, data = ListType(of), (data,)
    with pytest.raises(CtyValueError, match="nested too deeply"):
        plan_json_value(CtyValue(of, data))


def test_mutated_values_raise_nothing_else() -> None:
    random = Random(3)
    for case in cases("planjson"):
        if case["fn"] == "plan_change":
            schema = schema_of(case)
            for _ in range(3):
                before, after = (
                    mutated(decode(case[name]) or null(implied_type(schema)), random) for name in ("before", "after")
                )
                with suppress(CtyValueError):
                    plan_change(schema, before, after)
        elif case["fn"] == "plan_json_value":
            value = decode(case["value"])
            assert value is not None
            plan_json_value(mutated(value, random))
