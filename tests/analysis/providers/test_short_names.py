"""Short names of provider instances stand for one instance each."""

from __future__ import annotations

import pytest

from statefmt.analysis.providers import short_names
from statefmt.model.addrs.parsing import parse_abs_provider_instance

AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'
ACME = 'provider["registry.opentofu.org/acme/aws"]'
ELSEWHERE = 'provider["registry.example.com/hashicorp/aws"]'
GOOGLE = 'provider["registry.opentofu.org/hashicorp/google"]'

# Provider instances, their names.
NAMES = [
    ([AWS, f"{AWS}.west", f'{AWS}.by_region["a b"]'], ["aws", "aws.west", 'aws.by_region["a b"]']),
    ([f"module.m.{AWS}.x", f"{AWS}.x", GOOGLE], ["module.m.aws.x", "aws.x", "google"]),
    ([f'{AWS}.by_region["eu"]', f"{ACME}.west", GOOGLE], ['hashicorp/aws.by_region["eu"]', "acme/aws.west", "google"]),
    ([AWS, ELSEWHERE, f"{ACME}.x"], [AWS, ELSEWHERE, "acme/aws.x"]),
    ([], []),
]


@pytest.mark.parametrize(("addresses", "names"), NAMES)
def test_short_names(addresses: list[str], names: list[str]) -> None:
    providers = [parse_abs_provider_instance(address) for address in addresses]
    assert [short_names(providers)[provider] for provider in providers] == names
