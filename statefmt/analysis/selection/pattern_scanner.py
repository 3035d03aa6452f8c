"""The steps of a pattern of addresses: names and keys with wildcards, with dots between them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, NoReturn, TypeAlias

from statefmt.golang.normalize import nfc
from statefmt.model.addrs import (
    NO_KEY,
    InstanceKey,
    IntKey,
    StringKey,
)
from statefmt.model.addrs.literals import quoted_literal
from statefmt.model.errors import AddressError, AddressProblem
from statefmt.text.pattern import pattern
from statefmt.text.wildcards import TextTest, quoted_wildcard_test, wildcard_test

ANY_DEPTH: Final = "**"
KeyTest: TypeAlias = Callable[[InstanceKey], bool]

_SUMMARY: Final = "Invalid pattern"
_NAME: Final = pattern(r"(?:[A-Za-z0-9_*?-]|[^\x00-\x7f])+")
_KEY: Final = pattern(r'\[(?:"((?:[^"\\]|\\.)*+)"|(-?[0-9*?]+))\]', re.DOTALL)
_TEMPLATE: Final = pattern(r"(?<!\$)\$\{|(?<!%)%\{")


class PatternStep(NamedTuple):
    """One step: a name, and what stands in brackets after it ("" for nothing). Columns count from 1."""

    name: str
    key: str
    column: int
    key_column: int


def pattern_steps(text: str) -> list[PatternStep]:
    """The steps of a pattern, at least one. Raises AddressError with the column of what is wrong."""
    steps: list[PatternStep] = []
    pos = 0
    while True:
        name = _NAME.match(text, pos)
        if name is None:
            refuse(text, pos + 1, "A name is required here: letters, digits, _ and -, or wildcards.")
        key_column = name.end() + 1
        key = _KEY.match(text, name.end()) if text.startswith("[", name.end()) else None
        if key is None and text.startswith("[", name.end()):
            refuse(text, key_column, 'Brackets hold a number, a "quoted" text, or *, and end with "]".')
        steps.append(PatternStep(name[0], key[0] if key else "", pos + 1, key_column))
        pos = key.end() if key else name.end()
        if pos == len(text):
            return steps
        if text[pos] != ".":
            refuse(text, pos + 1, "A dot or the end of the pattern is required here.")
        pos += 1


def name_test(text: str, step: PatternStep) -> TextTest:
    """The test of a name. Raises AddressError for `**`, which stands for whole steps."""
    if ANY_DEPTH in step.name:
        refuse(text, step.column, "** stands alone between dots, for modules at any depth; * is any name.")
    return wildcard_test(step.name)


def key_test(text: str, step: PatternStep) -> KeyTest:
    """The test of an instance key: without brackets every key fits, and none, too. Raises AddressError."""
    match = _KEY.fullmatch(step.key)
    if match is None:
        return lambda key: True
    quoted, number = match.groups()
    if quoted is None:
        if number == "*":
            return lambda key: key is not NO_KEY
        fits_number = wildcard_test(number)
        return lambda key: isinstance(key, IntKey) and fits_number(str(key.value))
    fits = _quoted_test(text, step)
    return lambda key: isinstance(key, StringKey) and fits(key.value)


def _quoted_test(text: str, step: PatternStep) -> TextTest:
    """The test of what stands between brackets and quotes, as HCL escapes it. Raises AddressError."""
    problems: list[AddressProblem] = []
    first = step.key_column + 2
    inside = step.key[2:-2]

    def resolve(part: str, place: int) -> str:
        return nfc(quoted_literal(part, first + place, problems))

    if template := _TEMPLATE.search(inside):
        refuse(text, first + template.start(), "A literal ${ or %{ is written $${ or %%{, as in every address.")
    fits = quoted_wildcard_test(inside, resolve)
    if problems:
        raise AddressError(text, problems)
    return lambda value: fits(nfc(value))


def refuse(text: str, column: int, detail: str) -> NoReturn:
    """Raise AddressError for what stands at a column."""
    raise AddressError(text, [AddressProblem(column, _SUMMARY, detail)])
