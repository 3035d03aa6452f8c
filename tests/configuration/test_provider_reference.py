"""What `provider = …` refers to, and what OpenTofu refuses."""

from __future__ import annotations

import pytest

from statefmt.configuration.provider_reference import ProviderReference, read_provider_reference
from statefmt.hcl.source import Problem
from statefmt.model.addrs import LocalProviderConfig
from tests.configuration.expression import expression

REFERENCES = [
    ("aws", "aws", "", False),
    ("aws.west", "aws", "west", False),
    ('aws.by_region["us"]', "aws", "by_region", True),
    ("aws.by_region[each.key]", "aws", "by_region", True),
    ("aws.by_region[local.all[each.key].region]", "aws", "by_region", True),
    ("null", "null", "", False),
    ("null.x", "null", "x", False),
    ("null.x[each.key]", "null", "x", True),
    ('null.x["a"]', "null", "x", True),
]
REFUSED = [
    ('"aws"', "A provider configuration reference must not be given in quotes."),
    ('"${aws.west}.x"', "A provider configuration reference must not be given in quotes."),
    ("aws[local.x][each.key]", "The provider argument requires a provider type name"),
    ("f()", "The provider argument requires a provider type name"),
    ('aws.a["b"]["c"]', "The provider argument requires a provider type name"),
    ('aws["west"]', "Provider name must either stand alone"),
    ("aws[each.key]", "Provider assignment requires an alias when specifying an instance key"),
    ("aws.a.b", "Provider name must either stand alone"),
]


@pytest.mark.parametrize(("text", "name", "alias", "key"), REFERENCES)
def test_reference(text: str, name: str, alias: str, key: bool) -> None:
    found = read_provider_reference(expression(text))
    assert isinstance(found, ProviderReference)
    assert (found.local, found.key is not None) == (LocalProviderConfig(name, alias), key)


@pytest.mark.parametrize(("text", "detail"), REFUSED)
def test_refused(text: str, detail: str) -> None:
    found = read_provider_reference(expression(text))
    assert isinstance(found, Problem)
    assert found.summary == "Invalid provider configuration reference"
    assert found.detail.startswith(detail)
