"""Provider configurations and their instances, absolute, legacy, and within one module."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    ConfigProviderConfig,
    IntKey,
    LocalProviderConfig,
    LocalProviderInstance,
    Module,
    StringKey,
)
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_config_provider_config,
    parse_legacy_provider_config,
    parse_local_provider_config,
    parse_local_provider_instance,
)
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import AddressError
from tests.tables import each_row

AWS, LEGACY_AWS = Provider.default("aws"), Provider.legacy("aws")
RUSSIAN = Provider("xn--e1afmkfd.com", "a", "b")
SOURCE = 'provider["registry.opentofu.org/hashicorp/aws"]'

INSTANCES = {
    "the default": (SOURCE, ConfigProviderConfig(Module(), AWS), NO_KEY),
    "an alias": (f"{SOURCE}.west", ConfigProviderConfig(Module(), AWS, "west"), NO_KEY),
    "in a module": (f"module.a.module.b.{SOURCE}.x", ConfigProviderConfig(Module(("a", "b")), AWS, "x"), NO_KEY),
    "a string key": (f'{SOURCE}.r["us"]', ConfigProviderConfig(Module(), AWS, "r"), StringKey("us")),
    "an integer key": (f"{SOURCE}.r[0]", ConfigProviderConfig(Module(), AWS, "r"), IntKey(0)),
    "a legacy one": ('provider["registry.opentofu.org/-/aws"]', ConfigProviderConfig(Module(), LEGACY_AWS), NO_KEY),
    "a host in another script": ('provider["пример.com/a/b"]', ConfigProviderConfig(Module(), RUSSIAN), NO_KEY),
}  # fmt: skip

LEGACY = {
    "a type": ("provider.aws", ConfigProviderConfig(Module(), Provider.legacy("aws"))),
    "an alias": ("provider.aws.west", ConfigProviderConfig(Module(), Provider.legacy("aws"), "west")),
    "in a module": ("module.a.provider.aws.w", ConfigProviderConfig(Module(("a",)), Provider.legacy("aws"), "w")),
    "kept as it is": ("provider.My_Cloud", ConfigProviderConfig(Module(), Provider.legacy("My_Cloud"))),
    "the built-in one": ("provider.terraform", ConfigProviderConfig(Module(), Provider.builtin("terraform"))),
}

LOCAL = {
    "a name": ("aws", LocalProviderConfig("aws")),
    "an alias": ("aws.west", LocalProviderConfig("aws", "west")),
    "a name that is not in normal form": ("My_Cloud.x", LocalProviderConfig("My_Cloud", "x")),
}

# What is wrong with an address, and how OpenTofu's explanation begins.
PREFIX = 'The prefix "provider." must be followed by a provider type name.'
BEGIN = 'Provider address must begin with "provider.", followed by a provider type name.'
KEYED = "A provider configuration must not appear in a module instance that uses count or for_each."
ALIAS = "Provider type name must be followed by a configuration alias name."
KEY = "A provider configuration alias can be followed only by an instance key in brackets."
EXTRA = "Extraneous operators after provider configuration reference."
LEGACY_EXTRA = "Extraneous operators after provider configuration alias."
WHOLE = "Invalid provider instance key: value must be a whole number"
MODULE_WHOLE = "Invalid module index: value must be a whole number"
MODULE_DOT = "Module address prefix must be followed by dot and then a name."
ALONE = "The provider type name must either stand alone or be followed by an alias name separated with a dot."
COMPACT_EXTRA = "Extraneous extra operators after provider configuration address."
REFERENCE = "Provider name must either stand alone or be followed by a period and then a configuration alias."
REFERENCE_EXTRA = "The provider argument requires a provider type name, optionally followed by a period"

ABSOLUTE_ERRORS = {
    "no type": ("provider", [(1, BEGIN)]),
    "another keyword": ('Provider["aws"]', [(1, BEGIN)]),
    "a module alone": ("module.a", [(1, BEGIN)]),
    "a resource in a module": ("module.a.t.n", [(9, BEGIN)]),
    "the legacy form": ("provider.aws", [(9, PREFIX)]),
    "a number for a source": ("provider[0]", [(9, PREFIX)]),
    "a module's key": ('module.a[0].provider["aws"]', [(12, KEYED)]),
    "a module's wrong key": ('module.a[1.5].provider["aws"]', [(9, MODULE_WHOLE)]),
    "a module's wrong key, and more": ("module.a[1.5].provider.aws", [(9, MODULE_WHOLE), (23, PREFIX)]),
    "an index after one": ('module.a[1.5]["x"].b', [(9, MODULE_WHOLE), (14, MODULE_DOT), (14, BEGIN)]),
    "a key for an alias": ('provider["aws"]["k"]', [(16, ALIAS)]),
    "a name for a key": ('provider["aws"].a.b', [(18, KEY)]),
    "more after a key": ('provider["aws"].a[0].b', [(21, EXTRA)]),
    "a key that is not whole": ('provider["aws"].a[1.5]', [(18, WHOLE)]),
}

LEGACY_ERRORS = {
    "a module's key": ('module.a["k"].provider.aws', [(14, "Provider address cannot contain module indexes")]),
    "the new form": ('provider["aws"]', [(9, PREFIX)]),
    "a key for an alias": ("provider.aws[0]", [(13, ALIAS)]),
    "more after an alias": ("provider.aws.a.b", [(15, LEGACY_EXTRA)]),
}

LOCAL_ERRORS = {
    "a key for an alias": ("aws[0]", [(4, ALONE)]),
    "more after a key": ("aws[0].a", [(4, ALONE), (7, COMPACT_EXTRA)]),
}

LOCAL_INSTANCE_ERRORS = {
    "a key without an alias": ("aws[0]", [(4, REFERENCE)]),
    "a name for a key": ("aws.a.b", [(6, REFERENCE)]),
    "more after a key": ("aws.a[0].b", [(9, REFERENCE_EXTRA)]),
    "a key that is not whole": ("aws.a[1.5]", [(6, WHOLE)]),
    "upper case": ("AWS.a", [(1, 'Provider names must be normalized. Replace "AWS" with "aws"')]),
    "an underscore": ("my_cloud", [(1, "my_cloud is an invalid provider local name: must contain only letters")]),
}


def problems(parse: Callable[[str], object], text: str) -> list[tuple[int, str]]:
    with pytest.raises(AddressError) as caught:
        parse(text)
    return [(problem.column, problem.detail) for problem in caught.value.problems]


def begin_alike(found: list[tuple[int, str]], expected: list[tuple[int, str]]) -> bool:
    return [column for column, _ in found] == [column for column, _ in expected] and all(
        detail.startswith(start) for (_, detail), (_, start) in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize(("text", "config", "key"), INSTANCES.values(), ids=INSTANCES)
def test_instances(text: str, config: ConfigProviderConfig, key: StringKey | IntKey) -> None:
    assert parse_abs_provider_instance(text) == config.instance(key) == AbsProviderInstance(config, key)
    assert str(config.instance(key)) == text


def test_configurations() -> None:
    config = ConfigProviderConfig(Module(("m",)), AWS, "by_region")
    assert parse_config_provider_config('module.m.provider["AWS"].by_region') == config
    assert str(config) == f"module.m.{SOURCE}.by_region"


@pytest.mark.parametrize(("text", "config"), LEGACY.values(), ids=LEGACY)
def test_legacy_configurations(text: str, config: ConfigProviderConfig) -> None:
    assert parse_legacy_provider_config(text) == config
    assert config.legacy_str() == text


def test_only_legacy_providers_have_a_legacy_form() -> None:
    with pytest.raises(ValueError, match=r"registry\.opentofu\.org/hashicorp/aws cannot be represented"):
        ConfigProviderConfig(Module(), AWS).legacy_str()


@pytest.mark.parametrize(("text", "config"), LOCAL.values(), ids=LOCAL)
def test_local_configurations(text: str, config: LocalProviderConfig) -> None:
    assert parse_local_provider_config(text) == config
    assert str(config) == text


def test_old_states_are_read_whatever_follows_a_local_alias() -> None:
    assert parse_local_provider_config("aws.west.b[0]") == LocalProviderConfig("aws", "west")


def test_local_instances() -> None:
    instance = LocalProviderConfig("aws", "by_region").instance(StringKey("us"))
    assert parse_local_provider_instance('aws.by_region["us"]') == instance
    assert str(instance) == 'aws.by_region["us"]'
    assert parse_local_provider_instance("aws") == LocalProviderConfig("aws").instance()


@each_row(("text", "expected"), ABSOLUTE_ERRORS.values(), ids=ABSOLUTE_ERRORS)
def test_refuses_absolute_ones(text: str, expected: list[tuple[int, str]]) -> None:
    assert begin_alike(problems(parse_abs_provider_instance, text), expected)
    assert begin_alike(problems(parse_config_provider_config, text), expected)


def test_refuses_a_key_of_a_configuration() -> None:
    found = problems(parse_config_provider_config, ' provider["aws"].a[0]')
    assert found == [(2, "A provider address must not include an instance key.")]


@pytest.mark.parametrize(("text", "expected"), LEGACY_ERRORS.values(), ids=LEGACY_ERRORS)
def test_refuses_legacy_ones(text: str, expected: list[tuple[int, str]]) -> None:
    assert begin_alike(problems(parse_legacy_provider_config, text), expected)


@pytest.mark.parametrize(("text", "expected"), LOCAL_ERRORS.values(), ids=LOCAL_ERRORS)
def test_refuses_local_ones(text: str, expected: list[tuple[int, str]]) -> None:
    assert begin_alike(problems(parse_local_provider_config, text), expected)


@pytest.mark.parametrize(("text", "expected"), LOCAL_INSTANCE_ERRORS.values(), ids=LOCAL_INSTANCE_ERRORS)
def test_refuses_local_instances(text: str, expected: list[tuple[int, str]]) -> None:
    assert begin_alike(problems(parse_local_provider_instance, text), expected)


def test_what_is_wrong_with_the_source_is_said_where_it_stands() -> None:
    with pytest.raises(AddressError) as caught:
        parse_abs_provider_instance('module.a.provider["a/b_c"].x')
    error = caught.value
    assert (error.text, error.column, error.summary) == ('module.a.provider["a/b_c"].x', 18, "Invalid provider type")


def test_a_key_needs_an_alias() -> None:
    with pytest.raises(ValueError, match="with an alias"):
        AbsProviderInstance(ConfigProviderConfig(Module(), AWS), IntKey(0))
    with pytest.raises(ValueError, match="with an alias"):
        LocalProviderInstance(LocalProviderConfig("aws"), StringKey("k"))
