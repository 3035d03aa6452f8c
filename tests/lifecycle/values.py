"""Reads and writes values, types, paths and schemas in the encoding of the recorded cases."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Final

from statefmt.lifecycle.schema import SchemaBlock, parse_block
from statefmt.lifecycle.stored import ValueProblem
from statefmt.model.cty import ListType, MapType, ObjectType, SetType, TupleType, Type, encode_type, parse_type
from statefmt.model.cty.data import (
    Bound,
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
from statefmt.model.cty.number import Number, format_shortest, parse_number
from tests.lifecycle.opentofu.members import problem_text

# JSON with numbers as int or Decimal.
Plain = Any

_INFINITE: Final = {"+Inf": Number(False, 0, infinite=True), "-Inf": Number(True, 0, infinite=True)}


def decode(encoded: Plain) -> CtyValue | None:
    """Decode `{"type": T, "value": V}`; None stays None: there was no value."""
    if encoded is None:
        return None
    of = type_of(encoded["type"])
    return CtyValue(of, _data(encoded["value"], of))


def type_of(encoded: Plain) -> Type:
    return parse_type(dump(encoded))


def schema_of(case: Plain) -> SchemaBlock:
    return parse_block(dump(case["schema"]), ephemeral=case.get("ephemeral_block", False))


def path_of(steps: Plain) -> Path:
    return tuple(map(_step, steps))


def encode(value: CtyValue) -> Plain:
    return {"type": json.loads(encode_type(value.type)), "value": _encoded(value.data, value.type)}


def encode_path(path: Path) -> Plain:
    return [_encoded_step(step) for step in path]


def encode_problem(problem: ValueProblem) -> Plain:
    return {"path": encode_path(problem.path), "template": problem.template, "message": problem.message}


def encode_type_problem(problem: ValueProblem) -> Plain:
    """Encode a problem with a type or a conversion, which has no template in the data."""
    return {"path": encode_path(problem.path), "message": problem.message, "text": problem_text(problem)}


def dump(plain: Plain) -> bytes:
    """Encode JSON with Decimals, digit for digit."""
    return _dump(plain).encode("utf-8")


def _dump(plain: Plain) -> str:
    if isinstance(plain, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_dump(item)}" for name, item in plain.items()) + "}"
    if isinstance(plain, list):
        return "[" + ",".join(map(_dump, plain)) + "]"
    return str(plain) if isinstance(plain, Decimal) else json.dumps(plain)


def _data(value: Plain, of: Type) -> Data:
    if isinstance(value, dict) and "$" in value:
        match value["$"]:
            case "unknown":
                return UnknownData(_refinements(value.get("refinements", {})))
            case "marked":
                return MarkedData(frozenset(value["marks"]), _data(value["value"], of))
            case "number":
                return _INFINITE[value["value"]]
            case "map":
                value = dict(value["entries"])
    match of:
        case ListType(element) if value is not None:
            return tuple(_data(item, element) for item in value)
        case SetType(element) if value is not None:
            return make_set(element, [_data(item, element) for item in value])
        case TupleType(elements) if value is not None:
            return tuple(_data(item, element) for item, element in zip(value, elements, strict=True))
        case MapType(element) if value is not None:
            return {name: _data(value[name], element) for name in sorted(value)}
        case ObjectType(attributes) if value is not None:
            return {name: _data(value[name], attributes[name]) for name in attributes}
    return _number(value) if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else value


def _number(value: int | Decimal) -> Number:
    number = parse_number(str(value))
    assert number is not None
    return number


def _refinements(known: Plain) -> Refinements:
    low, high = known.get("number_min"), known.get("number_max")
    return Refinements(
        not_null=known.get("not_null", False),
        prefix=known.get("string_prefix", ""),
        low=None if low is None else Bound(_bound(low), known["number_min_inclusive"]),
        high=None if high is None else Bound(_bound(high), known["number_max_inclusive"]),
        min_length=known.get("min_length", 0),
        max_length=known.get("max_length"),
    )


def _bound(encoded: Plain) -> Number:
    return _INFINITE[encoded["value"]] if isinstance(encoded, dict) else _number(encoded)


def _step(step: Plain) -> GetAttr | PathIndex:
    ((kind, key),) = step.items()
    if kind == "attr":
        return GetAttr(key)
    if kind == "element":
        element = decode(key)
        assert element is not None
        return PathIndex(element)
    if isinstance(key, Decimal):
        return PathIndex(CtyValue(parse_type(b'"number"'), _number(key)))
    return PathIndex(key)


def _encoded_step(step: GetAttr | PathIndex) -> Plain:
    if isinstance(step, GetAttr):
        return {"attr": step.name}
    key = step.key
    if isinstance(key, CtyValue):
        if isinstance(key.data, str):
            return {"key": key.data}
        return {"index": _encoded_number(key.data)} if isinstance(key.data, Number) else {"element": encode(key)}
    return {"key": key} if isinstance(key, str) else {"index": key}


def _encoded(data: Data, of: Type) -> Plain:
    match data:
        case UnknownData(refinements):
            known = _encoded_refinements(refinements)
            return {"$": "unknown", **({"refinements": known} if known else {})}
        case MarkedData(marks, inner):
            return {"$": "marked", "marks": sorted(marks), "value": _encoded(inner, of)}
        case Number():
            return _encoded_number(data)
        case tuple():
            if isinstance(of, TupleType):
                return [_encoded(item, each) for item, each in zip(data, of.elements, strict=True)]
            assert isinstance(of, (ListType, SetType))
            items = [_encoded(item, of.element) for item in data]
            return sorted(items, key=_dump) if isinstance(of, SetType) else items
        case dict():
            assert isinstance(of, (MapType, ObjectType)), of
            types = of.attributes if isinstance(of, ObjectType) else dict.fromkeys(data, of.element)
            entries = [[name, _encoded(data[name], types[name])] for name in sorted(data)]
            return {"$": "map", "entries": entries} if "$" in data else dict(entries)
    return data


def _encoded_number(number: Number) -> Plain:
    if number.infinite:
        return {"$": "number", "value": "-Inf" if number.negative else "+Inf"}
    text = format_shortest(number)
    return Decimal(text) if "." in text else int(text)


def _encoded_refinements(known: Refinements) -> dict[str, Plain]:
    found: dict[str, Plain] = {"not_null": True} if known.not_null else {}
    if known.prefix:
        found["string_prefix"] = known.prefix
    for name, bound in (("number_min", known.low), ("number_max", known.high)):
        if bound is not None:
            found[name] = _encoded_number(bound.number)
            found[name + "_inclusive"] = bound.inclusive
    if known.min_length:
        found["min_length"] = known.min_length
    if known.max_length is not None:
        found["max_length"] = known.max_length
    return found
