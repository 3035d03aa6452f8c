"""Conversion of values with unknown parts and marks. Expected: go-cty's source, `convert`."""

from __future__ import annotations

from contextlib import suppress
from random import Random

import pytest

from statefmt.hcl.operations import ConversionError, convert
from statefmt.hcl.value import Unknown, from_plain, to_plain
from statefmt.model.cty import (
    BOOL,
    DYNAMIC,
    NUMBER,
    STRING,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    object_type,
)
from statefmt.model.cty.data import (
    CtyValue,
    Data,
    GetAttr,
    MarkedData,
    Path,
    PathIndex,
    Refinements,
    UnknownData,
    make_set,
)
from statefmt.model.cty.number import parse_number
from statefmt.model.cty.unify import can_convert, unify
from tests.lifecycle.opentofu.convert import CtyConversionError, convert_value
from tests.tables import each_row

_PAIR = TupleType((STRING, NUMBER))
_NOT_NULL = UnknownData(Refinements(not_null=True))
_SECRET = frozenset({"sensitive"})


def _length(least: int, most: int | None) -> UnknownData:
    return UnknownData(Refinements(not_null=True, min_length=least, max_length=most))


@each_row(
    ("given", "wanted", "expected"),
    [
        # An unknown tuple that is not null becomes a list of that many unknown elements.
        (CtyValue(_PAIR, _NOT_NULL), ListType(STRING), (UnknownData(), UnknownData())),
        (CtyValue(_PAIR, UnknownData()), ListType(STRING), UnknownData(Refinements(min_length=2, max_length=2))),
        # Its elements may turn out to be equal in a set, but one is left.
        (CtyValue(_PAIR, _NOT_NULL), SetType(STRING), _length(1, 2)),
        (CtyValue(TupleType((STRING,)), _NOT_NULL), SetType(STRING), (UnknownData(),)),
        (CtyValue(TupleType(()), _NOT_NULL), SetType(STRING), ()),
        (CtyValue(ObjectType({"a": STRING}), _NOT_NULL), MapType(STRING), _length(1, 1)),
        (CtyValue(ListType(NUMBER), _length(3, 9)), SetType(STRING), _length(1, 9)),
        (CtyValue(SetType(NUMBER), _length(3, 9)), ListType(STRING), _length(3, 9)),
        (CtyValue(STRING, UnknownData(Refinements(not_null=True, prefix="1"))), NUMBER, _NOT_NULL),
        # A set with unknown elements has no known length, so that the list is unknown.
        (CtyValue(SetType(STRING), ("a", UnknownData())), ListType(STRING), UnknownData()),
        (CtyValue(SetType(STRING), (UnknownData(),)), ListType(STRING), (UnknownData(),)),
        # Marks stay; those of elements of a set become marks of the set; nulls within lose theirs.
        (CtyValue(NUMBER, MarkedData(_SECRET, parse_number("1"))), STRING, MarkedData(_SECRET, "1")),
        (CtyValue(ListType(STRING), (MarkedData(_SECRET, "a"),)), SetType(STRING), MarkedData(_SECRET, ("a",))),
        (CtyValue(SetType(BOOL), (True,)), ListType(STRING), ("true",)),
        (CtyValue(ListType(BOOL), (MarkedData(_SECRET, None),)), ListType(STRING), (None,)),
    ],
)
def test_unknown_and_marked_values(given: CtyValue, wanted: Type, expected: Data) -> None:
    found = convert_value(given, wanted)
    assert (found.type, found.data) == (wanted, expected)


def test_dynamic_parts_get_the_types_of_the_value() -> None:
    nothing = convert_value(CtyValue(ListType(STRING), None), SetType(DYNAMIC))
    assert nothing == CtyValue(SetType(STRING), None)
    unknown = convert_value(CtyValue(ObjectType({"a": BOOL}), UnknownData()), MapType(DYNAMIC))
    assert unknown.type == MapType(BOOL)
    mixed = convert_value(CtyValue(_PAIR, ("a", parse_number("1"))), ListType(DYNAMIC))
    assert mixed == CtyValue(ListType(STRING), ("a", "1"))


def test_missing_optional_attributes_become_null() -> None:
    wanted = ObjectType({"a": STRING, "b": ListType(STRING)}, frozenset({"b"}))
    found = convert_value(CtyValue(MapType(NUMBER), {"a": parse_number("1"), "c": None}), wanted)
    assert found == CtyValue(ObjectType({"a": STRING, "b": ListType(STRING)}), {"a": "1", "b": None})


@pytest.mark.parametrize(
    ("given", "wanted", "path", "detail"),
    [
        (CtyValue(ListType(STRING), ("1", "x")), ListType(NUMBER), (PathIndex(1),), "a number is required"),
        (
            CtyValue(ObjectType({"a": TupleType((STRING,))}), {"a": ("TRUE",)}),
            ObjectType({"a": SetType(BOOL)}),
            (GetAttr("a"), PathIndex(0)),
            'a bool is required; to convert from string, use lowercase "true"',
        ),
        (CtyValue(MapType(STRING), {}), ObjectType({"a": STRING}), (), 'map has no element for required attribute "a"'),
        (CtyValue(_PAIR, None), MapType(STRING), (), "map of string required"),
        (CtyValue(STRING, "a"), SetType(DYNAMIC), (), "set of dynamic required, but have string"),
        (CtyValue(SetType(BOOL), ()), ListType(NUMBER), (),
         "incorrect list element type: number required, but have bool"),
        (CtyValue(object_type({}), {}), object_type({"a": BOOL, "b": BOOL, "c": BOOL}), (),
         'attributes "a", "b", and "c" are required'),
    ],
)  # fmt: skip
def test_refusals(given: CtyValue, wanted: Type, path: Path, detail: str) -> None:
    with pytest.raises(CtyConversionError) as caught:
        convert_value(given, wanted)
    assert (caught.value.path, caught.value.detail) == (path, detail)


def test_conversions_that_never_fail_are_told_from_others() -> None:
    assert can_convert(NUMBER, STRING, unsafe=False)
    assert can_convert(STRING, NUMBER) and not can_convert(STRING, NUMBER, unsafe=False)
    assert not can_convert(ListType(STRING), SetType(STRING), unsafe=False)
    assert not can_convert(MapType(STRING), ObjectType({"a": STRING}), unsafe=False)
    assert unify([BOOL, NUMBER], unsafe=False) is None


def test_expressions_convert_known_values_alike() -> None:
    """The evaluator of expressions has values of its own, since it says why a value is unknown."""
    random = Random(5)
    converted = 0
    for _ in range(4000):
        of = _type(random, 3, wanted=False)
        given, wanted = CtyValue(of, _data(random, of)), _type(random, 3, wanted=True)
        found: CtyValue | None = None
        with suppress(CtyConversionError):
            found = convert_value(given, wanted)
        try:
            part = convert(from_plain(of, given.data), wanted)
        except ConversionError:
            assert found is None
            continue
        assert not isinstance(part, Unknown)
        assert found == CtyValue(part.type, to_plain(part))
        converted += 1
    assert converted > 800


def _type(random: Random, depth: int, wanted: bool) -> Type:
    kind = random.randrange(9 if depth else 3)
    if kind < 3:
        return (STRING, NUMBER, BOOL)[kind]
    if kind == 3 and wanted:
        return DYNAMIC
    if kind < 7:
        return (ListType, ListType, SetType, MapType)[kind - 3](_type(random, depth - 1, wanted))
    inner = [_type(random, depth - 1, wanted) for _ in range(random.randrange(3))]
    if kind == 7:
        return TupleType(tuple(inner))
    attributes = dict(zip("abc", inner, strict=False))
    return object_type(attributes, frozenset(name for name in attributes if wanted and random.random() < 0.4))


def _data(random: Random, of: Type) -> Data:
    if random.random() < 0.1:
        return None
    match of:
        case ListType(element):
            return tuple(_data(random, element) for _ in range(random.randrange(3)))
        case SetType(element):
            return make_set(element, [_data(random, element) for _ in range(random.randrange(3))])
        case MapType(element):
            return {name: _data(random, element) for name in "abd"[: random.randrange(4)]}
        case TupleType(elements):
            return tuple(_data(random, element) for element in elements)
        case ObjectType(attributes):
            return {name: _data(random, attribute) for name, attribute in attributes.items()}
    if of == BOOL:
        return random.random() < 0.5
    return random.choice(["a", "1", "true", "TRUE"]) if of == STRING else parse_number("2.5")
