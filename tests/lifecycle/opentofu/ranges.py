"""Says what an unknown value may turn out to be. Source: go-cty `ValueRange.Includes`."""

from __future__ import annotations

from statefmt.lifecycle.plan_valid import lengths
from statefmt.model.cty import NUMBER, STRING, DynamicType, ListType, MapType, SetType
from statefmt.model.cty.data import NOTHING_KNOWN, Bound, CtyValue, Refinements, UnknownData
from statefmt.model.cty.number import Number


def excludes(placeholder: CtyValue, value: CtyValue) -> bool:
    """Return whether what is known of `placeholder`, an unknown value, rules out that it becomes `value`.

    `value` has a type that conforms to that of `placeholder`, and may be unknown, too; neither has marks of its own.
    False also means that nobody can tell yet.
    """
    assert isinstance(placeholder.data, UnknownData)
    known = placeholder.data.refinements
    if value.data is None:
        return known.not_null
    # An unknown value about which nothing was said differs from a number that was only said not to be null: the
    # latter excludes negative and positive infinity.
    if known == NOTHING_KNOWN or isinstance(value.type, DynamicType):
        return False
    if placeholder.type == STRING:
        return isinstance(value.data, str) and not value.data.startswith(known.prefix)
    if placeholder.type == NUMBER:
        return _excludes_number(known, value)
    if isinstance(placeholder.type, (ListType, SetType, MapType)):
        shortest, longest = lengths(value)
        return longest < known.min_length or (known.max_length is not None and shortest > known.max_length)
    return False


def _excludes_number(known: Refinements, value: CtyValue) -> bool:
    low, high = known.low, known.high
    if isinstance(value.data, Number):
        return _below(value.data, low) or _above(value.data, high)
    assert isinstance(value.data, UnknownData)
    other = value.data.refinements
    return (low is not None and other.high is not None and other.high.number < low.number) or (
        high is not None and other.low is not None and high.number < other.low.number
    )


def _below(number: Number, low: Bound | None) -> bool:
    if low is None:
        return number.infinite and number.negative
    return number < low.number or (not low.inclusive and number == low.number)


def _above(number: Number, high: Bound | None) -> bool:
    if high is None:
        return number.infinite and not number.negative
    return high.number < number or (not high.inclusive and number == high.number)
