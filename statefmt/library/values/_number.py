"""Decodes numbers without loss: `str()` of every number is its text in the state."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any, Final

from statefmt.text.pattern import pattern

# Longer ones may be refused by int(), depending on how Python is started.
_MOST_DIGITS: Final = 640
# Enough for every text that repr() gives of a float.
_LONGEST_FLOAT: Final = 32
_WHOLE: Final = pattern(r"-?[0-9]+")


class ExactDecimal(Decimal):
    """A Decimal that is written as in the state: `str(ExactDecimal("1e3"))` is `1e3`, `1.50` keeps its zero.

    Computing and comparing are Decimal's, and give a Decimal. A number whose exponent is out of Decimal's range
    counts as 0 or as infinite; its text is still exact.
    """

    __slots__ = ("_text",)
    _text: str

    def __new__(cls, text: str) -> ExactDecimal:
        try:
            number = super().__new__(cls, text)
            in_range = number.is_finite()
        except InvalidOperation:
            in_range = False
        if not in_range:
            number = super().__new__(cls, _limit(text))
        # Not the subclass of str that the parser gives.
        number._text = str(text)
        return number

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Decimal('{self._text}')"

    def __format__(self, spec: str, /, *context: Any) -> str:
        return super().__format__(spec, *context) if spec else self._text

    def __copy__(self) -> ExactDecimal:
        return self

    def __deepcopy__(self, memo: object, /) -> ExactDecimal:
        return self

    def __reduce__(self) -> tuple[type[ExactDecimal], tuple[str]]:
        return type(self), (self._text,)


def number(text: str) -> int | float | ExactDecimal:
    """Decode the text of a JSON number: an int or a float if Python writes that text for it, else an ExactDecimal."""
    if _WHOLE.fullmatch(text):
        return int(text) if len(text) <= _MOST_DIGITS and text != "-0" else ExactDecimal(text)
    if len(text) <= _LONGEST_FLOAT and repr(value := float(text)) == text:
        return value
    return ExactDecimal(text)


def _limit(text: str) -> str:
    """Return what a number with an exponent out of range counts as. Raises InvalidOperation if it is not a number."""
    mantissa, _, exponent = text.lower().partition("e")
    sign = "-" if text.startswith("-") else ""
    is_zero = exponent.startswith("-") or not Decimal(mantissa)
    return f"{sign}{0 if is_zero else 'Infinity'}"
