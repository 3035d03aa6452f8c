"""plan_action, beyond the recorded cases: paths, marks, write-only attributes, odd values."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from statefmt.lifecycle.schema import NestedBlock, SchemaAttribute, SchemaBlock, implied_type
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    CtyValueError,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
)
from statefmt.model.cty.data import CtyValue, Data, GetAttr, MarkedData, Path, PathIndex, UnknownData
from statefmt.model.cty.number import parse_number
from statefmt.model.cty.parts import unknown
from tests.lifecycle.mutations import mutated
from tests.lifecycle.opentofu.at_path import at_path
from tests.lifecycle.opentofu.parts import null
from tests.lifecycle.opentofu.plan_action import plan_action
from tests.lifecycle.recorded import cases
from tests.lifecycle.values import decode, path_of, schema_of
from tests.tables import each_row

_SENSITIVE = frozenset({"sensitive"})
_A = (GetAttr("a"),)
_SCHEMA = SchemaBlock({"a": SchemaAttribute(type=STRING, optional=True)})
_OBJECT = CtyValue(
    ObjectType({"list": ListType(STRING), "map": MapType(STRING), "pair": TupleType((STRING, BOOL))}),
    {"list": ("x", "y"), "map": {"0": "z"}, "pair": UnknownData()},
)


def _object(data: Data) -> CtyValue:
    return CtyValue(ObjectType({"a": STRING}), {"a": data})


def test_an_object_that_becomes_sensitive_is_updated() -> None:
    assert plan_action(_SCHEMA, _object("x"), _object("x")).actions == ("no-op",)
    assert plan_action(_SCHEMA, _object("x"), _object(MarkedData(_SENSITIVE, "x"))).actions == ("update",)
    other = _object(MarkedData(frozenset({"deprecated"}), "x"))
    assert plan_action(_SCHEMA, _object("x"), other).actions == ("no-op",)


def test_a_write_only_attribute_may_force_a_replacement() -> None:
    schema = SchemaBlock({"a": SchemaAttribute(type=STRING, optional=True, write_only=True)})
    chosen = plan_action(schema, _object(None), _object(None), requires_replace=[_A, _A])
    assert (chosen.actions, chosen.replace_paths) == (("delete", "create"), (_A,))
    assert plan_action(_SCHEMA, _object(None), _object(None), requires_replace=[_A]).actions == ("no-op",)


def test_a_write_only_attribute_in_a_block_may_force_a_replacement() -> None:
    inner = SchemaBlock({"a": SchemaAttribute(type=STRING, optional=True, write_only=True)})
    schema = SchemaBlock(blocks={"b": NestedBlock(inner, "list")})
    value = CtyValue(ObjectType({"b": ListType(ObjectType({"a": STRING}))}), {"b": ({"a": None},)})
    path = (GetAttr("b"), PathIndex(0), GetAttr("a"))
    assert plan_action(schema, value, value, requires_replace=[path]).replace_paths == (path,)


def test_paths_that_neither_object_has_are_named() -> None:
    path = (GetAttr("b"),)
    chosen = plan_action(_SCHEMA, _object("x"), _object("y"), requires_replace=[_A, path])
    assert (chosen.actions, chosen.missing_paths) == ((), (path,))
    assert plan_action(_SCHEMA, null(STRING), _object("y"), requires_replace=[path]).actions == ("create",)


@each_row(
    ("path", "found"),
    [
        ((), _OBJECT),
        ((GetAttr("list"), PathIndex(1)), CtyValue(STRING, "y")),
        ((GetAttr("list"), PathIndex("1")), CtyValue(STRING, "y")),
        ((GetAttr("list"), PathIndex(2)), None),
        ((GetAttr("list"), PathIndex(-1)), None),
        ((GetAttr("list"), PathIndex("x")), None),
        ((GetAttr("list"), PathIndex(CtyValue(NUMBER, parse_number("0.5")))), None),
        ((GetAttr("list"), PathIndex(CtyValue(NUMBER, parse_number("-0")))), CtyValue(STRING, "x")),
        ((GetAttr("list"), PathIndex(unknown(NUMBER))), unknown(STRING)),
        ((GetAttr("list"), PathIndex(null(NUMBER))), None),
        ((GetAttr("list"), GetAttr("x")), None),
        ((PathIndex("map"), PathIndex(0)), CtyValue(STRING, "z")),
        ((GetAttr("map"), GetAttr("0")), CtyValue(STRING, "z")),
        ((GetAttr("map"), GetAttr("1")), None),
        ((GetAttr("pair"), PathIndex(1)), unknown(BOOL)),
        ((GetAttr("pair"), PathIndex(2)), None),
        ((GetAttr("pair"), PathIndex(unknown(DYNAMIC))), unknown(DYNAMIC)),
        ((GetAttr("nowhere"),), None),
    ],
)
def test_paths_are_followed_as_in_expressions(path: Path, found: CtyValue | None) -> None:
    assert at_path(_OBJECT, path) == found


def test_elements_of_sets_have_no_path() -> None:
    value = CtyValue(SetType(STRING), ("a",))
    assert at_path(value, (PathIndex("a"),)) is None


def test_mutated_values_raise_nothing_else() -> None:
    random = Random(5)
    for case in cases("planjson"):
        if case["fn"] == "plan_action":
            schema = schema_of(case)
            of = implied_type(schema)
            for _ in range(2):
                values = [mutated(decode(case[name]) or null(of), random) for name in ("prior", "planned")]
                paths = [path_of(path) for path in case["requires_replace"] or ()]
                with suppress(CtyValueError):
                    plan_action(schema, values[0], values[1], requires_replace=paths)
