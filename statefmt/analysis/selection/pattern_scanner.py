"""Splits address patterns into steps: names and keys with wildcards, separated by dots."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple, NoReturn, TypeAlias

from statefmt.golang.normalize import nfc
from statefmt.model.addrs import NO_KEY, InstanceKey, IntKey, StringKey
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
    """One step: a name, and its key with the brackets ("" for none). Columns count from 1."""

    name: str
    key: str
    column: int
    key_column: int


def pattern_steps(text: str) -> list[PatternStep]:
    """Split a pattern into its steps, at least one. Raises AddressError with the column of the error."""
    steps: list[PatternStep] = []
    pos = 0
    while True:
        name = _NAME.match(text, pos)
        if name is None:
            refuse(text, pos + 1, "Expected a name: letters, digits, _ and -, or wildcards.")
        key_column = name.end() + 1
        key = _KEY.match(text, name.end()) if text.startswith("[", name.end()) else None
        if key is None and text.startswith("[", name.end()):
            refuse(
                text, key_column, 'Expected [NUMBER], ["STRING"] or [*]; in a shell, put the address in single quotes.'
            )
        steps.append(PatternStep(name[0], key[0] if key else "", pos + 1, key_column))
        pos = key.end() if key else name.end()
        if pos == len(text):
            return steps
        if text[pos] != ".":
            refuse(text, pos + 1, "Expected a dot or the end of the pattern.")
        pos += 1


def name_test(text: str, step: PatternStep) -> TextTest:
    """Return the test of a name. Raises AddressError for `**`, which stands for whole steps."""
    if ANY_DEPTH in step.name:
        refuse(text, step.column, "** must stand alone between dots, for modules at any depth; * matches any name.")
    return wildcard_test(step.name)


def key_test(text: str, step: PatternStep) -> KeyTest:
    """Return the test of an instance key; without brackets, it accepts any key and none. Raises AddressError."""
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
    """Return the test of a quoted key with HCL escapes. Raises AddressError."""
    problems: list[AddressProblem] = []
    first = step.key_column + 2
    inside = step.key[2:-2]

    def resolve(part: str, place: int) -> str:
        return nfc(quoted_literal(part, first + place, problems))

    if template := _TEMPLATE.search(inside):
        refuse(text, first + template.start(), "Write a literal ${ or %{ as $${ or %%{, as in any address.")
    fits = quoted_wildcard_test(inside, resolve)
    if problems:
        raise AddressError(text, problems)
    return lambda value: fits(nfc(value))


def refuse(text: str, column: int, detail: str) -> NoReturn:
    """Raise AddressError for an error at a column."""
    raise AddressError(text, [AddressProblem(column, _SUMMARY, detail)])
