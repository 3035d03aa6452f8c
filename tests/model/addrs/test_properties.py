"""What holds for every address, and for every text."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st
from hypothesis.strategies import SearchStrategy

from statefmt.model.addrs import (
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    key_order,
    list_order,
    resource_file_order,
)
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.addrs.parsing import (
    parse_abs_provider_instance,
    parse_abs_resource,
    parse_abs_resource_instance,
    parse_config_provider_config,
    parse_config_resource,
    parse_legacy_provider_config,
    parse_local_provider_config,
    parse_local_provider_instance,
    parse_module,
    parse_module_instance,
    split_module_instance,
    usual_config_resource,
)
from statefmt.model.addrs.provider import parse_provider_source
from statefmt.model.addrs.traversal import END, parse_traversal, scan, whole_number
from statefmt.model.errors import AddressError, AddressProblem
from tests.model.addrs import strategies as some

Parser = Callable[[str], object]


def _checkable(kind: CheckableKind) -> Parser:
    return lambda text: parse_checkable(kind, text)


PARSERS: dict[str, tuple[Parser, SearchStrategy[object]]] = {
    "module": (parse_module, some.modules.filter(bool)),
    "module instance": (parse_module_instance, some.module_instances.filter(bool)),
    "resource": (parse_abs_resource, some.abs_resources),
    "resource instance": (parse_abs_resource_instance, some.abs_resource_instances),
    "config resource": (parse_config_resource, some.config_resources),
    "provider": (parse_provider_source, some.providers),
    "provider config": (parse_config_provider_config, some.provider_configs),
    "provider instance": (parse_abs_provider_instance, some.provider_instances),
    "local provider config": (parse_local_provider_config, some.local_provider_configs),
    "local provider instance": (parse_local_provider_instance, some.local_provider_instances),
    "checkable resource": (_checkable(CheckableKind.RESOURCE), some.abs_resource_instances),
    "checkable output": (_checkable(CheckableKind.OUTPUT), some.outputs),
    "checkable check": (_checkable(CheckableKind.CHECK), some.checks),
    "checkable variable": (_checkable(CheckableKind.VARIABLE), some.variables),
}


@pytest.mark.parametrize(("parse", "addresses"), PARSERS.values(), ids=PARSERS)
@given(data=st.data())
def test_what_is_printed_parses_back(parse: Parser, addresses: SearchStrategy[object], data: st.DataObject) -> None:
    address = data.draw(addresses)
    again = parse(str(address))
    assert again == address
    assert hash(again) == hash(address)
    assert str(again) == str(address)


@given(config=some.legacy_provider_configs)
def test_the_legacy_form_parses_back(config: ConfigProviderConfig) -> None:
    if config.provider.type != "terraform" or config.provider.is_builtin:
        assert parse_legacy_provider_config(config.legacy_str()) == config


@pytest.mark.parametrize(
    "parse", [parse_legacy_provider_config, *(parse for parse, _ in PARSERS.values())], ids=["legacy", *PARSERS]
)
@given(text=some.texts)
def test_any_text_is_an_address_or_an_address_error(parse: Parser, text: str) -> None:
    try:
        address = parse(text)
    except AddressError as error:
        assert error.text == text
        assert all(1 <= problem.column <= len(text) + 1 for problem in error.problems)
    else:
        assert isinstance(str(address), str)


@given(text=some.texts)
def test_tokens_lie_in_order_within_the_text(text: str) -> None:
    tokens = scan(text)
    ends = [0, *(end for _, _, end in tokens)]
    assert all(end <= start <= stop for end, (_, start, stop) in zip(ends, tokens, strict=False))
    assert tokens[-1] == (END, len(text), len(text))


@given(first=some.keys, second=some.keys)
def test_key_order_is_total(first: InstanceKey, second: InstanceKey) -> None:
    assert (key_order(first) == key_order(second)) == (first == second)
    if isinstance(first, IntKey) and isinstance(second, IntKey):
        assert (key_order(first) < key_order(second)) == (first.value < second.value)


@given(addresses=st.lists(some.abs_resource_instances, max_size=8))
def test_list_order_is_total(addresses: list[AbsResourceInstance]) -> None:
    ordered = sorted(addresses, key=list_order)
    assert sorted(set(addresses), key=list_order) == list(dict.fromkeys(ordered))
    depths = [len(address.module.steps) for address in ordered]
    assert depths == sorted(depths)
    assert len({list_order(address) for address in addresses}) == len(set(addresses))


@given(addresses=st.lists(some.abs_resources, max_size=8))
def test_file_order_is_total_and_bytewise(addresses: list[AbsResource]) -> None:
    def as_bytes(address: AbsResource) -> list[bytes]:
        resource = address.resource
        return [text.encode() for text in (str(address.module), resource.mode.value, resource.type, resource.name)]

    assert sorted(addresses, key=resource_file_order) == sorted(addresses, key=as_bytes)
    assert len({resource_file_order(address) for address in addresses}) == len(set(addresses))


@given(digits=st.integers(0, 10**25), places=st.integers(0, 30), exponent=st.integers(-30, 30))
def test_numbers_have_their_exact_value(digits: int, places: int, exponent: int) -> None:
    whole, fraction = divmod(digits, 10**places)
    literal = f"{whole}.{fraction:0{places}}e{exponent}" if places else f"{whole}e{exponent}"
    value = (whole + Fraction(fraction, 10**places)) * Fraction(10) ** exponent
    expected = int(value) if value.denominator == 1 and value < 2**63 else None
    assert whole_number(literal) == expected


@given(text=some.texts)
@example('module.a["x.module.b"].module.module[0].module.c')
@example("module.a[00]")
@example("module.a.module.b.")
def test_usual_module_instances_are_those_of_the_full_grammar(text: str) -> None:
    problems: list[AddressProblem] = []
    try:
        expected, rest = split_module_instance(parse_traversal(text), problems)
    except AddressError:
        problems, rest = [], ()
        expected = None
    try:
        found = parse_module_instance(text)
    except AddressError:
        assert expected is None or problems or rest
    else:
        assert found == expected
        assert not problems
        assert not rest


@given(text=st.one_of(some.texts, some.config_resources.map(str), some.abs_resources.map(str)))
@example("data.data.x")
@example("module.x")
@example("ephemeral.data.x")
@example("module.module.module.a.b.c")
@example("data.module.x")
@example("module.a.data.x")
def test_usual_resource_blocks_are_those_of_the_full_grammar(text: str) -> None:
    usual = usual_config_resource(text)
    if usual is not None:
        assert usual == parse_abs_resource(text).config()
        assert str(usual) == text
