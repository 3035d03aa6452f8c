"""The notation of go-cty. Numbers are what Go's `%#v` prints for big.Float and float64."""

from __future__ import annotations

import pytest

from statefmt.model.cty import DYNAMIC, NUMBER, STRING, ObjectType, Type, parse_type
from statefmt.model.cty.data import Bound, CtyValue, Data, MarkedData, Refinements, UnknownData
from statefmt.model.cty.number import Number, parse_number
from tests.lifecycle.opentofu.go_notation import go_notation, go_type_notation

INFINITY = Number(False, 0, infinite=True)


@pytest.mark.parametrize(
    ("text", "notation"),
    [
        ("0", "cty.NumberIntVal(0)"),
        ("-12", "cty.NumberIntVal(-12)"),
        ("999999", "cty.NumberIntVal(999999)"),
        ("1000000", "cty.NumberIntVal(1e+06)"),
        ("1234567", "cty.NumberIntVal(1.234567e+06)"),
        ("0.5", "cty.NumberFloatVal(0.5)"),
        ("1234567.5", "cty.NumberFloatVal(1.2345675e+06)"),
        ("0.1", 'cty.MustParseNumberVal("0.1")'),
        ("inf", "cty.NumberFloatVal(+Inf)"),
    ],
)
def test_numbers(text: str, notation: str) -> None:
    assert go_notation(CtyValue(NUMBER, parse_number(text))) == notation


@pytest.mark.parametrize(
    ("of", "data", "notation"),
    [
        (STRING, None, "cty.NullVal(cty.String)"),
        (DYNAMIC, UnknownData(), "cty.DynamicVal"),
        (STRING, MarkedData(frozenset({"sensitive"}), "a\n"), 'cty.StringVal("a\\n").Mark(marks.Sensitive)'),
        (
            STRING,
            MarkedData(frozenset({"ephemeral", "sensitive"}), "a"),
            'cty.StringVal("a").WithMarks(cty.NewValueMarks(marks.Ephemeral, marks.Sensitive))',
        ),
        (STRING, UnknownData(Refinements(not_null=True)), "cty.UnknownVal(cty.String).RefineNotNull()"),
        (
            STRING,
            UnknownData(Refinements(not_null=True, prefix="a-")),
            'cty.UnknownVal(cty.String).Refine().NotNull().StringPrefixFull("a-").NewValue()',
        ),
        (
            NUMBER,
            UnknownData(Refinements(low=Bound(Number(False, 1), False), high=Bound(INFINITY))),
            "cty.UnknownVal(cty.Number).Refine().NumberLowerBound(cty.NumberIntVal(1), false).NewValue()",
        ),
        (ObjectType({}), {}, "cty.EmptyObjectVal"),
    ],
)
def test_values(of: Type, data: Data, notation: str) -> None:
    assert go_notation(CtyValue(of, data)) == notation


def test_types() -> None:
    of = parse_type(
        b'["object",{"b":["set","bool"],"a":["tuple",["dynamic",["map","number"]]],"c":["object",{}]},["b"]]'
    )
    assert go_type_notation(of) == (
        'cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a":cty.Tuple([]cty.Type{cty.DynamicPseudoType, '
        'cty.Map(cty.Number)}), "b":cty.Set(cty.Bool), "c":cty.EmptyObject}, []string{"b"})'
    )
    assert go_type_notation(parse_type(b'["tuple",[]]')) == "cty.EmptyTuple"
