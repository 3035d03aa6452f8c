"""Texts that name providers: what they fit among a few provider instances, and what is said of those that do not."""

from __future__ import annotations

import pytest

from statefmt.analysis.selection.filters import fitting_providers
from statefmt.model.addrs.parsing import parse_abs_provider_instance, parse_legacy_provider_config
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SelectionError
from tests.tables import each_row

TOFU = 'provider["registry.opentofu.org/hashicorp/aws"]'
TERRAFORM = 'provider["registry.terraform.io/hashicorp/aws"]'
# By short names, so that a case fits a line.
PROVIDERS = {
    "aws": parse_abs_provider_instance(TOFU),
    "west": parse_abs_provider_instance(f"{TOFU}.west"),
    "eu1": parse_abs_provider_instance(f'{TOFU}.by_region["eu-west-1"]'),
    "eu2": parse_abs_provider_instance(f'{TOFU}.by_region["eu-central-1"]'),
    "star": parse_abs_provider_instance(f'{TOFU}.by_region["*"]'),
    "zero": parse_abs_provider_instance(f"{TOFU}.by_region[0]"),
    "inmod": parse_abs_provider_instance(f"module.net.{TOFU}"),
    "inmodwest": parse_abs_provider_instance(f"module.net.module.sub.{TOFU}.west"),
    "tf": parse_abs_provider_instance(f"{TERRAFORM}.west"),
    "acme": parse_abs_provider_instance('provider["tf.example.com:8443/acme/aws"]'),
    "random": parse_abs_provider_instance('provider["registry.opentofu.org/hashicorp/random"]'),
    "legacy": parse_legacy_provider_config("provider.aws.old").instance(),
    "builtin": parse_abs_provider_instance('provider["terraform.io/builtin/terraform"]'),
}
ROOT = "west eu1 eu2 star zero"
OPENTOFU = f"aws {ROOT} inmod inmodwest"

# A text, and what it fits.
FITS = [
    # Sources.
    ("aws", f"{OPENTOFU} tf acme legacy"),
    ("hashicorp/aws", f"{OPENTOFU} tf"),
    ("registry.opentofu.org/hashicorp/aws", OPENTOFU),
    ("registry.terraform.io/hashicorp/aws", "tf"),
    ("tf.example.com:8443/acme/aws", "acme"),
    ("-/aws", "legacy"),
    ("terraform", "builtin"),
    ("*/hashicorp/*", f"{OPENTOFU} tf random"),
    ("hashicorp/r?ndom", "random"),
    ("*.io/*/*", "tf builtin"),
    ("*", " ".join(PROVIDERS)),
    # Configurations, by their addresses.
    (TOFU, "aws"),
    (f"{TOFU}.west", "west"),
    (f"{TOFU}.by_region", "eu1 eu2 star zero"),
    (f"module.net.{TOFU}", "inmod"),
    (f"module.net.module.sub.{TOFU}.west", "inmodwest"),
    (str(PROVIDERS["legacy"]), "legacy"),
    # Configurations, in other ways.
    ('provider["hashicorp/aws"].west', "west"),
    ('provider["hashicorp/aws"].wes?', "west tf"),
    ('provider["aws"].w*', "west tf"),
    ('provider["acme/aws"]', "acme"),
    ('provider["*/aws"].*', f"{ROOT} tf legacy"),
    ("aws.west", "west inmodwest tf"),
    ("aws.by_region", "eu1 eu2 star zero"),
    ("a*.west", "west inmodwest tf"),
    ("module.net.aws", "inmod"),
    ("module.*.aws", "inmod"),
    ("module.net.**.aws.west", "inmodwest"),
    ("**.aws", "aws inmod acme"),
    ('**.provider["hashicorp/aws"]', "aws inmod"),
    ('**.provider["*"].west', "west inmodwest tf"),
    # Instances.
    (f'{TOFU}.by_region["eu-west-1"]', "eu1"),
    (f'{TOFU}.by_region["*"]', "star"),
    (f'{TOFU}.by_region["eu-*"]', "eu1 eu2"),
    (f"{TOFU}.by_region[0]", "zero"),
    (f"{TOFU}.*[*]", "eu1 eu2 star zero"),
    ('aws.by_region["eu-west-1"]', "eu1"),
    ('aws.*["eu*"]', "eu1 eu2"),
    ("aws.by_region[0]", "zero"),
    (r'aws.*["\*"]', "star"),
]


@each_row(("text", "found"), FITS, ids=[case[0] for case in FITS])
def test_fits(text: str, found: str) -> None:
    names = {provider: name for name, provider in PROVIDERS.items()}
    assert {names[provider] for provider in fitting_providers(names, text)} == set(found.split())


# Texts that fit nothing, and one thing that is suggested ("" for nothing).
NO_MATCH = [
    ("asw", "aws"),
    ("hashicorp/asw", "hashicorp/aws"),
    ("AWS", ""),
    ("aws.wset", "aws.west"),
    ('aws.by_region["eu-west-2"]', 'aws.by_region["eu-west-1"]'),
    (f'{TOFU}.by_region["eu-west-2"]', f'{TOFU}.by_region["eu-west-1"]'),
    (f"module.ned.{TOFU}", f"module.net.{TOFU}"),
    ("module.net.aws.west", ""),
    (f"{TERRAFORM}", f"{TERRAFORM}.west"),
]


@pytest.mark.parametrize(("text", "near"), NO_MATCH, ids=[case[0] for case in NO_MATCH])
def test_fits_nothing(text: str, near: str) -> None:
    with pytest.raises(SelectionError) as caught:
        fitting_providers(set(PROVIDERS.values()), text)
    first, *suggested = str(caught.value).split("\n")
    assert first.startswith(f"no provider matches {text!r}")
    assert not near or f"  {near}" in suggested


# What names no provider, and where that shows.
UNSOUND = [
    ("", 1),
    ("a/b/c/d", 2),
    ("aws.", 5),
    ("aws[0]", 4),
    ("aws.west.x", 10),
    ("aws.west[", 9),
    ("module.net", 11),
    ("module", 7),
    ("**", 3),
    ('provider["*', 9),
    ("a**.x", 1),
]


@pytest.mark.parametrize(("text", "column"), UNSOUND, ids=[case[0] for case in UNSOUND])
def test_is_no_provider(text: str, column: int) -> None:
    with pytest.raises(SelectionError) as caught:
        fitting_providers(set(PROVIDERS.values()), text)
    assert str(caught.value).startswith(f"invalid provider {text!r}: ")
    assert str(caught.value).endswith(f"(column {column})")


def test_host_in_letters_of_its_country() -> None:
    """A host is shown as people write it, whatever the form that it is compared in."""
    provider = Provider("xn--bcher-kva.example", "acme", "aws")
    instance = parse_abs_provider_instance(f'provider["{provider}"]')
    assert fitting_providers({instance}, "bücher.example/acme/aws") == {instance}
