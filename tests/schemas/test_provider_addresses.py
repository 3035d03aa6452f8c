"""The schema of format 4 takes the provider addresses that OpenTofu and Terraform read, and refuses the others."""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from statefmt.model.provider_binding import Unreadable, read_config, read_instance
from tests.formats.recorded import CASES, input_of
from tests.model.addrs import strategies as some
from tests.tables import each_row

_ADDRESSES: Final = Path(__file__).parents[1] / "conformance" / "addresses.jsonl.xz"
_CONFIG, _INSTANCE = "providerConfig", "providerInstance"
_READ: Final[dict[str, Callable[[str], object]]] = {_CONFIG: read_config, _INSTANCE: read_instance}

# The pieces of the two patterns.
_END = r"(?!\n)$"
_SPACE = rf"(?:[ \t\n]|\r\n|(?:#|//)[^\n]*(?:\n|{_END})|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*"
# Every character beyond ASCII: a pattern that all engines read has no classes of Unicode.
_LETTER_OR_DIGIT = r"[^\x00-/:-@\[-`{-\x7f]"
_NAME = r"[^\x00-@\[-^`{-\x7f][^\x00-,./:-@\[-^`{-\x7f]*"
_PART = rf"{_LETTER_OR_DIGIT}+(?:-{_LETTER_OR_DIGIT}+)*"
_TYPE = rf"(?!(?:[Tt][Ee][Rr][Rr][Aa][Ff][Oo][Rr][Mm]|[Oo][Pp][Ee][Nn][Tt][Oo][Ff][Uu])-){_PART}"
_LABEL = rf"(?!..--){_LETTER_OR_DIGIT}+(?:-+{_LETTER_OR_DIGIT}+)*"
_NUMBER_OF_PORT = r"[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*\.{{0,2}}(?::(?:\+?0*(?:{_NUMBER_OF_PORT})|-[0-9]{{1,18}}))?"
_LEGACY_HOST = (
    r"[Rr][Ee][Gg][Ii][Ss][Tt][Rr][Yy]\.(?:[Oo][Pp][Ee][Nn][Tt][Oo][Ff][Uu]\.[Oo][Rr][Gg]"
    r"|[Tt][Ee][Rr][Rr][Aa][Ff][Oo][Rr][Mm]\.[Ii][Oo])(?::0*443)?"
)
_SOURCE = rf"(?:(?:{_LEGACY_HOST}/)?-/{_TYPE}|(?:{_HOST}/)?{_PART}/{_TYPE}|{_PART})"
_FOUR = r"(?:[0-9A-CEFa-cef][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2})"
_ESCAPE = rf'\\(?:[nrt"\\]|u{_FOUR}|U0000{_FOUR}|U000[1-9A-Fa-f][0-9A-Fa-f]{{4}}|U0010[0-9A-Fa-f]{{4}})'
_STRING = rf'"(?:[^"\\$%\r\n]|{_ESCAPE}|\$\$\{{|%%\{{|[$%](?!\{{))*"'
_INTEGER = r"0*(?:[0-9]{1,18}|[1-8][0-9]{18}|9[01][0-9]{17}|9223372036854775807)(?:\.0+)?|[0-9]{1,9}[Ee]\+?[0-9]"
_KEY = rf"(?:{_STRING}|{_INTEGER})"


def _tokens(*parts: str) -> str:
    """Tokens with white space and comments in between."""
    return _SPACE.join(parts)


_DOT = r"\."
_MODULES = rf"\ufeff?{_SPACE}(?:{_tokens('module', _DOT, _NAME, _DOT, '')})*provider"
_ALIAS = _tokens("", _DOT, _NAME)
_SOURCED = _tokens("", r"\[", f'"{_SOURCE}"', r"\]")
_KEYED = _tokens("", r"\[", _KEY, r"\]")
_PATTERNS: Final = {
    _CONFIG: rf"^(?:{_MODULES}(?:{_SOURCED}|{_ALIAS})(?:{_ALIAS})?{_SPACE})?{_END}",
    _INSTANCE: rf"^(?:{_MODULES}{_SOURCED}(?:{_ALIAS}(?:{_KEYED})?)?{_SPACE})?{_END}",
}

_AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'
# Addresses, and where they are valid: at a resource, and at an instance.
_TABLE: Final[dict[str, tuple[bool, bool]]] = {
    "": (True, True),
    _AWS: (True, True),
    f"{_AWS}.west": (True, True),
    f"module.a.module.b.{_AWS}.west": (True, True),
    f'{_AWS}.by_region["eu-west-1"]': (False, True),
    f'module.a.{_AWS}.by_region["a.b[\\"]"]': (False, True),
    f"{_AWS}.by_index[0]": (False, True),
    f'{_AWS}["eu-west-1"]': (False, False),
    f'module.a["x"].{_AWS}': (False, False),
    f"module.a[0].{_AWS}": (False, False),
    f"{_AWS}.a.b": (False, False),
    f"{_AWS}.": (False, False),
    f"module.{_AWS}": (False, False),
    f"data.{_AWS}": (False, False),
    f"{_AWS} x": (False, False),
    'provider["aws"]': (True, True),
    'provider["hashicorp/aws"]': (True, True),
    'provider["Example.com:8443/Acme-Corp/AWS"]': (True, True),
    'provider["terraform.io/builtin/terraform"]': (True, True),
    'provider["registry.opentofu.org/-/aws"]': (True, True),
    'provider["-/aws"].west': (True, True),
    # What Terraform writes when it takes over a state from before 0.13. OpenTofu refuses it.
    'provider["registry.terraform.io/-/aws"]': (True, True),
    'provider["example.com/-/aws"]': (False, False),
    'provider["hashicorp/terraform-aws"]': (False, False),
    'provider["a/b/c/d"]': (False, False),
    'provider["/aws"]': (False, False),
    'provider["a--b"]': (False, False),
    'provider["a_b"]': (False, False),
    'provider["example.com:99999/a/b"]': (False, False),
    'provider[""]': (False, False),
    "provider[0]": (False, False),
    # From before Terraform 0.13, read in format 4 too, but only at a resource.
    "provider.aws": (True, False),
    "module.a.provider.aws.west": (True, False),
    "aws": (False, False),
    "aws.foo": (False, False),
    "providers.aws": (False, False),
    # Between the parts: white space and comments.
    f" {_AWS} . west # as written\n": (True, True),
    f"{_AWS}/* none */.west": (True, True),
    f"provider#{_AWS}": (False, False),
    "\ufeff" + _AWS: (True, True),
    'provider["例え/aws"]': (True, True),
}  # fmt: skip


def test_the_patterns_of_the_schema(schemas: dict[str, dict[str, Any]]) -> None:
    assert {name: schemas["state-v4"]["$defs"][name]["pattern"] for name in _PATTERNS} == _PATTERNS


@each_row(("address", "valid"), _TABLE.items())
def test_address(address: str, valid: tuple[bool, bool], v4: Callable[..., bool]) -> None:
    at_resource = _state(provider=address, instances=[{"provider": _AWS}])
    at_instance = _state(instances=[{"provider": address}], provider=_AWS)
    assert (v4(resources=at_resource), v4(resources=at_instance)) == valid


def _state(**members: Any) -> list[dict[str, Any]]:
    return [{"mode": "managed", "type": "aws_vpc", "name": "a", **members}]


@pytest.mark.parametrize("kind", _READ)
def test_recorded_addresses(kind: str, takes: dict[str, Callable[[str], bool]]) -> None:
    addresses = _recorded()
    assert len(addresses) > 200
    different = {address for address in addresses if takes[kind](address) != _is_read(kind, address)}
    assert {address for address in different if not _may_differ(address)} == set()


def _recorded() -> set[str]:
    """All provider addresses of the recorded cases, and their provider sources as addresses."""
    recorded = [json.loads(line) for line in lzma.decompress(_ADDRESSES.read_bytes()).splitlines()]
    found = {case["input"] for case in recorded if "provider" in case["kind"]}
    found |= {f'provider["{case["input"]}"].x' for case in recorded if case["kind"] == "provider-source"}
    return found.union(*(_providers(input_of(case)) for case in CASES))


def _providers(data: bytes) -> set[str]:
    try:
        document = json.loads(data.decode("utf-8", "replace"))
    except ValueError:
        return set()
    found, waiting = set(), [document] if isinstance(document, dict) and document.get("version") == 4 else []
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict) and isinstance(part.get("provider"), str):
            found.add(part["provider"])
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    return found


@given(
    st.one_of(
        some.provider_configs.map(str),
        some.provider_instances.map(str),
        some.legacy_provider_configs.map(lambda config: config.legacy_str()),
        some.texts,
    )
)
def test_any_address(takes: dict[str, Callable[[str], bool]], address: str) -> None:
    for kind, taken in takes.items():
        assert taken(address) == _is_read(kind, address) or _may_differ(address)


@pytest.fixture(scope="module")
def takes(schemas: dict[str, dict[str, Any]]) -> dict[str, Callable[[str], bool]]:
    """Whether each kind of address is valid."""
    definitions = schemas["state-v4"]["$defs"]
    return {kind: Draft202012Validator(definitions[kind]).is_valid for kind in _READ}


def _is_read(kind: str, address: str) -> bool:
    return not address or not isinstance(_READ[kind](address), Unreadable)


def _may_differ(address: str) -> bool:
    """Whether only Terraform reads an address, or the schema does not know about all of its characters."""
    source = address.partition('"')[2].partition('"')[0].casefold()
    return (
        "registry.terraform.io" in source
        # Which characters beyond ASCII are letters, in names and in host names.
        or not address.isascii()
        # Nobody writes them: escapes in a source, punycode in capitals, an odd number as a key.
        or "\\" in source
        or "xn--" in source
        or _NUMBER_KEY.search(address) is not None
    )


_NUMBER_KEY: Final = re.compile(r"\[[^]\"]*[0-9][^]\"]*\]\s*$")
