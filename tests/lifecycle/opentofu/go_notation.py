"""Writes values and types in the notation of go-cty (`cty.StringVal("x")`), which OpenTofu's messages show.

Source: go-cty `GoString`, printed by Go's verb `%#v`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.golang import quote
from statefmt.model.cty import DynamicType, ListType, MapType, ObjectType, PrimitiveType, SetType, TupleType, Type
from statefmt.model.cty.data import Bound, CtyValue, Data, MarkedData, Refinements, UnknownData
from statefmt.model.cty.number import Number, format_digits, format_shortest, is_whole, with_precision

# The marks of OpenTofu by name; each is a constant of its package `marks`.
_MARKS: Final = {"sensitive": "marks.Sensitive", "ephemeral": "marks.Ephemeral", "deprecated": "marks.Deprecated"}

_FLOAT_BITS: Final = 53
_SMALLEST_FLOAT: Final = -1074
_LARGEST_FLOAT: Final = 1024


def go_notation(value: CtyValue) -> str:
    """Return a value as an expression of the Go library: `cty.ListVal([]cty.Value{cty.True})`.

    Several marks are sorted (in Go they are in no order). Raises CtyEncodeError for a number of more than 100,000
    digits, and RecursionError for a value nested too deeply.
    """
    return _value(value.data, value.type)


def go_type_notation(of: Type) -> str:
    """Return a type as an expression of the Go library: `cty.List(cty.String)`. Raises RecursionError."""
    match of:
        case PrimitiveType(name):
            return f"cty.{name.title()}"
        case DynamicType():
            return "cty.DynamicPseudoType"
        case ListType(element):
            return f"cty.List({go_type_notation(element)})"
        case SetType(element):
            return f"cty.Set({go_type_notation(element)})"
        case MapType(element):
            return f"cty.Map({go_type_notation(element)})"
        case TupleType(elements):
            items = ", ".join(map(go_type_notation, elements))
            return f"cty.Tuple([]cty.Type{{{items}}})" if elements else "cty.EmptyTuple"
        case ObjectType(attributes, optional):
            if not attributes:
                return "cty.EmptyObject"
            types = _map("cty.Type", ((name, go_type_notation(attributes[name])) for name in sorted(attributes)))
            if not optional:
                return f"cty.Object({types})"
            names = ", ".join(map(quote, sorted(optional)))
            return f"cty.ObjectWithOptionalAttrs({types}, []string{{{names}}})"


def _value(data: Data, of: Type) -> str:
    match data:
        case MarkedData(marks, inner):
            names = [_MARKS.get(mark) or quote(mark) for mark in sorted(marks)]
            call = f"Mark({names[0]})" if len(names) == 1 else f"WithMarks(cty.NewValueMarks({', '.join(names)}))"
            return f"{_value(inner, of)}.{call}"
        case None:
            return f"cty.NullVal({go_type_notation(of)})"
        case UnknownData(refinements):
            if isinstance(of, DynamicType):
                return "cty.DynamicVal"
            return f"cty.UnknownVal({go_type_notation(of)}){_refined(refinements)}"
        case bool():
            return "cty.True" if data else "cty.False"
        case str():
            return f"cty.StringVal({quote(data)})"
        case Number():
            return _number(data)
        case tuple():
            return _sequence(data, of)
        case dict():
            return _mapping(data, of)


def _sequence(data: tuple[Data, ...], of: Type) -> str:
    if isinstance(of, TupleType):
        items = ", ".join(map(_value, data, of.elements))
        return f"cty.TupleVal([]cty.Value{{{items}}})" if of.elements else "cty.EmptyTupleVal"
    assert isinstance(of, (ListType, SetType))
    kind = "List" if isinstance(of, ListType) else "Set"
    if not data:
        return f"cty.{kind}ValEmpty({go_type_notation(of.element)})"
    items = ", ".join(_value(item, of.element) for item in data)
    return f"cty.{kind}Val([]cty.Value{{{items}}})"


def _mapping(data: dict[str, Data], of: Type) -> str:
    if isinstance(of, ObjectType):
        if not of.attributes:
            return "cty.EmptyObjectVal"
        attributes = ((name, _value(data[name], of.attributes[name])) for name in sorted(data))
        return f"cty.ObjectVal({_map('cty.Value', attributes)})"
    assert isinstance(of, MapType)
    if not data:
        return f"cty.MapValEmpty({go_type_notation(of.element)})"
    return f"cty.MapVal({_map('cty.Value', ((name, _value(data[name], of.element)) for name in sorted(data)))})"


def _map(of: str, members: Iterable[tuple[str, str]]) -> str:
    return f"map[string]{of}{{{', '.join(f'{quote(name)}:{item}' for name, item in members)}}}"


def _number(number: Number) -> str:
    if is_whole(number):
        return f"cty.NumberIntVal({format_digits(number)})"
    if number.infinite:
        return f"cty.NumberFloatVal({format_digits(number)})"
    size = number.mantissa.bit_length()
    bits = min(_FLOAT_BITS, size + number.exponent - _SMALLEST_FLOAT)
    if size <= bits and size + number.exponent <= _LARGEST_FLOAT:
        return f"cty.NumberFloatVal({format_digits(with_precision(number, bits))})"
    return f"cty.MustParseNumberVal({quote(format_shortest(number))})"


def _refined(known: Refinements) -> str:
    calls = [".NotNull()"] if known.not_null else []
    if known.prefix:
        calls.append(f".StringPrefixFull({quote(known.prefix)})")
    if known.low is not None and not (known.low.number.infinite and known.low.number.negative):
        calls.append(f".NumberLowerBound({_bound(known.low)})")
    if known.high is not None and not (known.high.number.infinite and not known.high.number.negative):
        calls.append(f".NumberUpperBound({_bound(known.high)})")
    if known.min_length:
        calls.append(f".CollectionLengthLowerBound({known.min_length})")
    if known.max_length is not None:
        calls.append(f".CollectionLengthUpperBound({known.max_length})")
    if calls == [".NotNull()"]:
        return ".RefineNotNull()"
    return f".Refine(){''.join(calls)}.NewValue()" if calls else ""


def _bound(bound: Bound) -> str:
    return f"{_number(bound.number)}, {'true' if bound.inclusive else 'false'}"
