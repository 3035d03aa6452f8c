"""Selects instances by the values of their attributes: `tags.Owner=web`, `ingress[*].port!=22`, `ami=~^ami-0a`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from statefmt.analysis.selection.criteria import Condition, suggestion
from statefmt.golang import JSONValue, Members
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState
from statefmt.redaction.attribute_values import ValueReader
from statefmt.redaction.partial import contains_hidden, exact_text
from statefmt.text import TextTest, has_wildcards, pattern, user_regex, wildcard_test

# A path up to the first operator that is not in quotes.
_CONDITION: Final = pattern(r'((?:[^="!]|"(?:[^"\\]|\\.)*+"|!(?!=))+?)(!=|=~|=)(.*)', re.DOTALL)
_UNEQUAL: Final = "!="
_REGEX: Final = "=~"
_NULL: Final = "null"


def parse_condition(text: str, *, show_sensitive: bool | None = None) -> Condition:
    """Parse `PATH=VALUE`, `PATH!=VALUE` or `PATH=~REGEX`. Raises SelectionError if it is invalid."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise SelectionError(f"{text!r} is not a valid condition: write PATH=VALUE, PATH!=VALUE or PATH=~REGEX")
    path, operator, value = match.groups()
    condition = Condition(text, path.strip(), operator, value, show_sensitive)
    _value_test(condition)
    return condition


def meeting(found: Sequence[InstanceState], condition: Condition) -> tuple[list[InstanceState], int]:
    """Return the instances that meet a condition, and the number of those whose values are hidden.

    An instance is judged by its current object or, if it has none, by its deposed ones. A hidden value neither meets a
    condition nor its opposite. Raises SelectionError, with the nearest names, if no instance has such an attribute, and
    if the path is invalid.
    """
    reader = ValueReader(condition.path, show_sensitive=bool(condition.show_sensitive))
    fits = _value_test(condition)
    wanted = condition.operator != _UNEQUAL
    kept: list[InstanceState] = []
    hidden = 0
    exists = not found
    for instance in found:
        values, has_name = _values(reader, instance)
        exists = exists or has_name
        visible = [value for value in values if not contains_hidden(value)]
        if any(map(fits, visible)):
            meets = wanted
        elif len(visible) < len(values):
            hidden += 1
            meets = False
        else:
            meets = not wanted
        if meets:
            kept.append(instance)
    if not exists and reader.problem is not None:
        raise reader.problem
    if not exists:
        known = {
            name
            for instance in found
            for obj in instance.objects
            for name in reader.names(obj, instance.resource.addr.resource.type)
        }
        raise SelectionError(f"no selected instance has the attribute {reader.name!r}{suggestion(reader.name, known)}")
    return kept, hidden


def _values(reader: ValueReader, instance: InstanceState) -> tuple[list[JSONValue], bool]:
    """Return the values of an instance, null if it has none, and whether it has the attribute."""
    found: list[JSONValue] = []
    has_name = False
    current = instance.current
    for obj in (current,) if current is not None else instance.deposed:
        try:
            values = reader.values(obj, instance.resource.addr.resource.type)
        except ValueError as error:
            raise SelectionError(f"the attributes of {instance.addr} are nested too deeply to be compared") from error
        has_name = has_name or values is not None
        found += values or [None]
    return found, has_name


def _value_test(condition: Condition) -> Callable[[JSONValue], bool]:
    """Return the test of a value, which `!=` negates. Raises SelectionError for an invalid regular expression."""
    fits: TextTest
    if condition.operator == _REGEX:
        try:
            expression = user_regex(condition.value)
        except ModuleNotFoundError as error:
            from statefmt.installation import how_to_install

            raise SelectionError(f"=~ needs the package google-re2: {how_to_install('regex')}") from error
        except ValueError as error:
            raise SelectionError(f"{condition.value!r} is not a valid regular expression: {error}") from error
        fits = lambda text: expression.search(text) is not None  # noqa: E731
    elif has_wildcards(condition.value):
        fits = wildcard_test(condition.value)
    else:
        fits = condition.value.__eq__
    is_null = condition.operator != _REGEX and condition.value == _NULL
    return lambda value: is_null if value is None else fits(_text(value))


def _text(value: JSONValue) -> str:
    """Return the text that a value is compared by: the content of a string, the JSON of anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, Members)):
        return exact_text(value).decode()
    return "true" if value else "false"
