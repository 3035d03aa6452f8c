"""Functions that state what a value will be: they return it if that is so, also if the value is not known yet.

Source: OpenTofu 1.13 `internal/lang/funcs/assume.go`. Terraform does not have them.
"""

from __future__ import annotations

from statefmt.hcl.functions.registry import FunctionError, Parameter, function, is_null, text_of, whole_of
from statefmt.hcl.operations import ConversionError, convert, equal
from statefmt.hcl.value import Part, Unknown, children, first_unknown
from statefmt.model.cty import DYNAMIC, NUMBER, STRING, ListType, MapType, SetType, Type, collection_name, type_name


def _value(of: Type) -> Parameter:
    return Parameter("value", of, null=True, parts=True, unknown=True)


def _not_upheld() -> FunctionError:
    return FunctionError("assumption was not upheld", 0)


@function(
    Parameter("actual_value", null=True, parts=True, marks=True, unknown=True),
    Parameter("expected_value", null=True, parts=True, marks=True, unknown=True),
    own_marks=True,
)
def assumeequal(actual: Part, expected: Part) -> Part:
    try:
        converted = convert(actual, expected.type)
    except ConversionError:
        given, wanted = type_name(actual.type), type_name(expected.type)
        raise FunctionError(f"actual value type {given} does not match assumed value type {wanted}", 0) from None
    if equal(converted, expected) is False:
        raise FunctionError("the actual value does not match the assumed value", 0)
    # The actual value does not make the result sensitive: the author knows what it is.
    return expected


@function(_value(DYNAMIC))
def assumenotnull(value: Part) -> Part:
    if value.type == DYNAMIC:
        advice = 'consider using the \\"convert\\" function to specify a type to assume'
        raise FunctionError(f"given value must have a known type; {advice}", 0)
    if is_null(value):
        raise _not_upheld()
    return value


@function(_value(STRING), Parameter("prefix", STRING), returns=STRING)
def assumestringprefix(value: Part, prefix: Part) -> Part:
    # go-cty compares a shorter value with the beginning of the prefix.
    if not isinstance(value, Unknown) and not is_null(value):
        given, wanted = text_of(value), text_of(prefix)
        if not given.startswith(wanted) and not wanted.startswith(given):
            raise _not_upheld()
    return value


def _between(value: Part, least: Part, most: Part) -> Part:
    return _of_length(value, _bound(least, 1), _bound(most, 2))


def _at_least(value: Part, least: Part) -> Part:
    return _of_length(value, least=_bound(least, 0))


def _at_most(value: Part, most: Part) -> Part:
    return _of_length(value, most=_bound(most, 0))


def _bound(number: Part, argument: int) -> int:
    try:
        return whole_of(number)
    except FunctionError:
        raise FunctionError(f"must be a whole number between 0 and {2**63 - 1}", argument) from None


def _of_length(value: Part, least: int = 0, most: int = 2**63) -> Part:
    if not 0 <= least <= most:
        raise _not_upheld()
    # Unknown elements of a set may be equal.
    if isinstance(value, Unknown) or (isinstance(value.type, SetType) and first_unknown((value,)) is not None):
        return value
    if is_null(value) or not least <= len(children(value)) <= most:
        raise _not_upheld()
    return value


for _of in (ListType(DYNAMIC), SetType(DYNAMIC), MapType(DYNAMIC)):
    _name = f"assume{collection_name(_of)}length"
    _least, _most = Parameter("min_length", NUMBER), Parameter("max_length", NUMBER)
    function(_value(_of), _least, _most, returns=_of, name=_name)(_between)
    function(_value(_of), _least, returns=_of, name=f"{_name}min")(_at_least)
    function(_value(_of), _most, returns=_of, name=f"{_name}max")(_at_most)
