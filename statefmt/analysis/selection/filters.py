"""Filters instances by their providers, and by the values of their attributes (`tags.Owner=web`, `ami=~^ami-0a`).

A provider selector is first parsed as an **address**: of a configuration
(`provider["registry.opentofu.org/hashicorp/aws"].west`: all its instances) or of an instance (`….by_region["eu"]`). If
that fails, or the state does not have the address, it is parsed as one of:

    source        = [[host "/"] namespace "/"] type
    configuration = [path "."] ('provider["' source '"]' | type) ["." alias [key]]

- An omitted part of a source matches anything: `aws` and `hashicorp/aws` match on every host.
- Wildcards, keys and `**` work as in address selectors. A configuration without a key matches all its instances.
- `provider["…"]` without a path is in the root module; a type with an alias, `aws.west`, is in any module.
- A type alone is a source: it matches all configurations of that provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.analysis.selection import Condition, suggestion
from statefmt.analysis.selection.patterns import (
    PatternStep,
    invalid_provider,
    key_test,
    name_test,
    path_fits,
    pattern_steps,
    refuse,
    split_path,
)
from statefmt.golang import JSONValue, Members
from statefmt.model.addrs import AbsProviderInstance, LocalProviderConfig
from statefmt.model.addrs.parsing import parse_abs_provider_instance
from statefmt.model.errors import AddressError, SelectionError
from statefmt.model.snapshot import InstanceState
from statefmt.text import TextTest, has_wildcards, pattern, user_regex, wildcard_test

if TYPE_CHECKING:
    from statefmt.redaction.attribute_values import ValueReader


_ProviderTest: TypeAlias = Callable[[AbsProviderInstance], bool]

_SOURCE: Final = pattern(r"[^\[\"/]+(?:/[^\[\"/]+){1,2}")
_QUOTED: Final = pattern(r'\["([^"\\]+)"\]')


def fitting_providers(known: Collection[AbsProviderInstance], text: str) -> set[AbsProviderInstance]:
    """Return the provider instances that a text matches.

    Raises SelectionError if it is not a valid provider or, with the nearest names, if it matches none of these.
    """
    found = {provider for provider in known if text in (str(provider), str(provider.config))} or _addressed(known, text)
    if not found:
        try:
            fits = _reading(text)
        except AddressError as error:
            raise invalid_provider(text, error, _is_valid) from error
        found = {provider for provider in known if fits(provider)}
    if not found:
        raise SelectionError(f"no provider matches {text!r}{suggestion(text, _names(known))}")
    return found


def _addressed(known: Collection[AbsProviderInstance], text: str) -> set[AbsProviderInstance]:
    try:
        wanted = parse_abs_provider_instance(text)
    except AddressError:
        return set()
    return {provider for provider in known if wanted in (provider, provider.config.instance())}


def _is_valid(text: str) -> bool:
    try:
        return bool(_reading(text))
    except AddressError:
        return False


def _reading(text: str) -> _ProviderTest:
    """Return the test of a source or a configuration. Raises AddressError."""
    if _SOURCE.fullmatch(text):
        return _source_test(text)
    path, steps = split_path(text, pattern_steps(text))
    if not steps:
        refuse(text, len(text) + 1, 'Expected a provider after the modules: aws.west or provider["hashicorp/aws"].')
    first, *after = steps
    quoted = _QUOTED.fullmatch(first.key) if first.name == "provider" else None
    if first.key and not quoted:
        refuse(text, first.key_column, "Only configurations with an alias can have keys.")
    if not quoted:
        name_test(text, first)
    of_source = _source_test(quoted[1] if quoted else first.name)
    if not quoted and not path and not after:
        return of_source
    fits = _alias_test(text, after)
    anywhere = not quoted and not path

    def in_path(provider: AbsProviderInstance) -> bool:
        return anywhere or path_fits(path, provider.config.module.unkeyed_instance().steps)

    return lambda provider: of_source(provider) and fits(provider) and in_path(provider)


def _source_test(text: str) -> _ProviderTest:
    """Return the test of a source: of its type, and of its namespace and host if given."""
    tests = [wildcard_test(part) for part in text.split("/")]

    def fits(provider: AbsProviderInstance) -> bool:
        parts = str(provider.config.provider).split("/")
        return all(test(part) for test, part in zip(reversed(tests), reversed(parts), strict=False))

    return fits


def _alias_test(text: str, steps: Sequence[PatternStep]) -> _ProviderTest:
    """Return the test of an alias and its key; without steps, the test that there is no alias. Raises AddressError."""
    if not steps:
        return lambda provider: not provider.config.alias
    if len(steps) > 1:
        refuse(
            text, steps[1].column, "Nothing can follow an alias and its key; write a module before it as module.NAME."
        )
    fits_alias, fits_key = name_test(text, steps[0]), key_test(text, steps[0])

    def fits(provider: AbsProviderInstance) -> bool:
        alias = provider.config.alias
        return alias != "" and fits_alias(alias) and fits_key(provider.key)

    return fits


def _names(known: Collection[AbsProviderInstance]) -> set[str]:
    names = set()
    for provider in known:
        config = provider.config
        source = config.provider
        local = LocalProviderConfig(source.type, config.alias)
        names |= {source.type, f"{source.namespace}/{source.type}", str(source), str(config), str(provider)}
        names |= {str(local), str(local.instance(provider.key))}
    return names


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
    """Return the instances that meet a condition, and the number of instances whose values are hidden.

    An instance is judged by its current object or, without one, by its deposed objects. A hidden value meets neither
    a condition nor its opposite. Raises SelectionError, with the nearest names, if no instance has such an attribute,
    and if the path is invalid.
    """
    # Imported late, here and below: most filters are for providers.
    from statefmt.redaction.attribute_values import ValueReader
    from statefmt.redaction.partial import contains_hidden

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
    """Return the text of a value for comparison: the content of a string, the JSON of any other value."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, Members)):
        from statefmt.redaction.partial import exact_text

        return exact_text(value).decode()
    return "true" if value else "false"
