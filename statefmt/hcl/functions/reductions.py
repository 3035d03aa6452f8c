"""Functions that reduce many values to one, such as `coalesce`, `one`, `alltrue` and `sum`; and `range`.

Sources: go-cty `stdlib/collection.go`, `sequence.go`; OpenTofu `internal/lang/funcs/collection.go`.
"""

from __future__ import annotations

from statefmt.hcl.functions.registry import FunctionError, Parameter, function
from statefmt.hcl.functions.shapes import is_null, is_sequence, number_of
from statefmt.hcl.value import Part, Unknown, Value
from statefmt.hcl.values.construct import FALSE, TRUE, children, first_unknown, list_of, number, retyped, truth
from statefmt.hcl.values.conversion import ConversionError, convert
from statefmt.model.cty import BOOL, DYNAMIC, NUMBER, STRING, ListType, Number, SetType, TupleType
from statefmt.model.cty.arithmetic import add
from statefmt.model.cty.number import counted, from_float
from statefmt.model.cty.unify import unify

_ONE = "must be a list, set, or tuple value with either zero or one elements"


@function(rest=Parameter("vals", null=True, parts=True, unknown=True))
def coalesce(*parts: Part) -> Part:
    common = unify([part.type for part in parts])
    if common is None:
        if any(first_unknown((part,)) is not None for part in parts):
            common = DYNAMIC
        else:
            raise FunctionError("all arguments must have the same type")
    for part in parts:
        found = convert(part, common)
        if isinstance(found, Unknown):
            return retyped(found, common)
        if found.data is not None and not (common == STRING and found.data == ""):
            return found
    raise FunctionError("no non-null, non-empty-string arguments")


@function(rest=Parameter("vals", null=True, parts=True, unknown=True))
def coalescelist(*parts: Part) -> Part:
    if not parts:
        raise FunctionError("at least one argument is required")
    for part in parts:
        if isinstance(part, Unknown):
            return retyped(part, DYNAMIC)
        if not isinstance(part.type, (ListType, TupleType)):
            raise FunctionError("coalescelist arguments must be lists or tuples")
    for part in parts:
        if children(part):
            return part
    raise FunctionError("no non-null arguments")


@function(Parameter("list", parts=True))
def one(sequence: Part) -> Part:
    items = children(sequence)
    if not is_sequence(sequence) or len(items) > 1:
        raise FunctionError(_ONE, 0)
    empty = sequence.type.element if isinstance(sequence.type, (ListType, SetType)) else DYNAMIC
    return items[0] if items else Value(empty, None)


@function(Parameter("list", ListType(BOOL), parts=True), returns=BOOL)
def alltrue(sequence: Part) -> Part:
    for item in children(sequence):
        if isinstance(item, Unknown):
            return item
        if item.data is not True:
            return FALSE
    return TRUE


@function(Parameter("list", ListType(BOOL), parts=True), returns=BOOL)
def anytrue(sequence: Part) -> Part:
    items = children(sequence)
    if any(isinstance(item, Value) and item.data is True for item in items):
        return TRUE
    unknown = first_unknown(items)
    return truth(False) if unknown is None else retyped(unknown, BOOL)


@function(Parameter("list"), returns=NUMBER)
def sum_(sequence: Part) -> Part:
    detail = "argument must be list, set, or tuple of number values"
    if not is_sequence(sequence):
        raise FunctionError(detail, 0)
    if not children(sequence):
        raise FunctionError("cannot sum an empty list", 0)
    total: Number | None = None
    for item in children(sequence):
        if is_null(item):
            raise FunctionError(detail, 0)
        try:
            found = number_of(convert(item, NUMBER))
        except ConversionError:
            raise FunctionError(detail, 0) from None
        total = found if total is None else add(total, found)
        if total is None:
            raise FunctionError("can't compute sum of opposing infinities")
    assert total is not None
    return number(total)


@function(rest=Parameter("params", NUMBER), returns=ListType(NUMBER), name="range")
def range_(*bounds: Part) -> Part:
    numbers = [number_of(bound) for bound in bounds]
    if not 1 <= len(numbers) <= 3:
        raise FunctionError("must have one, two, or three arguments")
    # In Go this zero is a float, whose precision shows in quotients of the results.
    start, end = (from_float(0.0), numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
    step = numbers[2] if len(numbers) == 3 else counted(-1 if end < start else 1)
    down = step.negative and step.mantissa != 0
    if end < start if not down else start < end:
        detail = "end must be greater than start when step is positive, and less when it is negative"
        raise FunctionError(detail, 1)
    found: list[Part] = []
    at = start
    while (end < at) if down else (at < end):
        if len(found) >= 1024:
            raise FunctionError("more than 1024 values were generated")
        found.append(number(at))
        at = add(at, step) or end
    return list_of(NUMBER, found)
