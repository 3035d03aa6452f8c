"""Providers that choices take from a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from statefmt.configuration import load
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.edit.repairs import DecisionIndex, parse_decision, repaired
from statefmt.edit.repairs.find import defects
from statefmt.formats.reading import read
from statefmt.model.errors import SurgeryError
from tests.edit.repairs.compact_state import AWS, GOOGLE, keyed, resource, state

_BY: Final = AWS + ".by"
_CONFIGURATION: Final = """
terraform {
  required_providers {
    aws = { source = "registry.opentofu.org/hashicorp/aws" }
  }
}
provider "aws" {}
provider "aws" {
  alias    = "by"
  for_each = toset(["a", "b"])
}
resource "aws_vpc" "a" {
  for_each = toset(["a", "b"])
  provider = aws.by[each.key]
}
resource "aws_vpc" "plain" {}
resource "aws_vpc" "unknown" {
  for_each = var.names
  provider = aws.by[each.key]
}
variable "names" {}
"""
_A, _B = keyed('"a"', "x"), keyed('"b"', "y")


@pytest.fixture
def references(tmp_path: Path) -> ProviderReferences:
    (tmp_path / "main.tofu").write_text(_CONFIGURATION, "utf-8")
    return ProviderReferences(load(tmp_path))


def _bound(one: str, provider: str) -> str:
    """An instance that names its provider."""
    return one[:-1] + f',"provider":"{provider}"}}'


def _named(one: str, provider: str) -> str:
    """An instance that was given its provider, which stands where OpenTofu writes it."""
    return one.replace(',"attributes"', f',"provider":"{provider}","attributes"')


def _key(text: str) -> str:
    return rf"{_BY}[\"{text}\"]"


@pytest.mark.parametrize(
    ("before", "code", "after"),
    [
        # Missing: at the level of the resource if the configuration gives no key.
        (
            [resource(_A, _B, provider="")],
            "PRV002",
            [resource(_named(_A, _key("a")), _named(_B, _key("b")), provider="")],
        ),
        (
            [resource('{"attributes":{}}', name="plain", provider="")],
            "PRV002",
            [resource('{"attributes":{}}', name="plain")],
        ),
        # In conflict.
        (
            [resource(_bound(_A, GOOGLE), _bound(_B, AWS), provider="")],
            "PRV003",
            [resource(_bound(_A, _key("a")), _bound(_B, _key("b")), provider="")],
        ),
        (
            [resource(_A), resource(_B, provider=GOOGLE)],
            "PRV006",
            [resource(_named(_A, _key("a")), provider=""), resource(_named(_B, _key("b")), provider="")],
        ),
        # Unreadable.
        ([resource(_A, provider="?")], "PRV004", [resource(_named(_A, _key("a")), provider="")]),
        ([resource(keyed("0", "x"), name="plain", provider="?")], "PRV004", [resource(keyed("0", "x"), name="plain")]),
        ([resource(_bound(_A, "?"), provider="")], "PRV004", [resource(_bound(_A, _key("a")), provider="")]),
        # Two objects of one instance.
        (
            [resource(_bound(_A, _key("a")), _bound(_A[:-1] + ',"deposed":"0123abcd"}', _key("b")), provider="")],
            "PRV005",
            [resource(_bound(_A, _key("a")), _bound(_A[:-1] + ',"deposed":"0123abcd"}', _key("a")), provider="")],
        ),
    ],
)
def test_config(before: list[str], code: str, after: list[str], references: ProviderReferences) -> None:
    assert _mended(state(*before), code, references) == state(*after)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("gone", "does not declare aws_vpc.gone"),
        ("unknown", 'does not determine the provider instance of aws_vpc.unknown["a"]'),
        ("a b", "is not an address"),
    ],
)
def test_configuration_that_does_not_say_it(name: str, reason: str, references: ProviderReferences) -> None:
    """The list of choices gives the reason, and so does a decision."""
    before = state(resource(_A, name=name, provider=""))
    (missing,) = [one for one in defects(before.encode(), references) if one.finding.code == "PRV002"]
    texts = {choice.label: choice.text for choice in missing.choices}
    assert reason in texts["provider=config"]
    with pytest.raises(SurgeryError, match=reason.replace("[", r"\[")):
        _mended(before, "PRV002", references)


def test_not_offered_without_a_configuration() -> None:
    (missing,) = defects(state(resource(_A, provider="")).encode())
    assert [choice.label for choice in missing.choices] == ["provider=ADDRESS"]


def _mended(before: str, code: str, references: ProviderReferences) -> str:
    made = [parse_decision(f"{code} * provider=config")]
    repair = repaired(before.encode(), DecisionIndex(made).decided, references)
    read(repair.content)
    return repair.content.decode()
