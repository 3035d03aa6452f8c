"""Invalid addresses and providers: what shells and habits made of them, and what was meant."""

from __future__ import annotations

import pytest

from statefmt.analysis.selection.addresses import Addresses
from statefmt.analysis.selection.filters import fitting_providers
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.errors import InvalidAddressError, NoMatchError
from tests.tables import each_row

ADDRESSES = Addresses(
    [
        parse_abs_resource_instance(text)
        for text in ("aws_vpc.main", 'aws_vpc.main["eu"]', 'module.app["eu"].aws_vpc.main', "module.net.aws_vpc.main")
    ]
)

# What was given, the reason, what was meant.
SLIPS = [
    ("module.app[eu]", "the shell removed the quotes", 'module.app["eu"]'),
    ("module.app[eu-west-1].aws_vpc.main", "the shell removed the quotes", 'module.app["eu-west-1"].aws_vpc.main'),
    ("aws_vpc.main[a.b/c d]", "the shell removed the quotes", 'aws_vpc.main["a.b/c d"]'),
    ("module.a[0].aws_vpc.main[eu]", "the shell removed the quotes", 'module.a[0].aws_vpc.main["eu"]'),
    ('module.a["x"].aws_vpc.main[eu]', "the shell removed the quotes", 'module.a["x"].aws_vpc.main["eu"]'),
    ("module.*[eu-*].aws_vpc.main", "the shell removed the quotes", 'module.*["eu-*"].aws_vpc.main'),
    ("module.app[${x}]", "the shell removed the quotes", 'module.app["$${x}"]'),
    ("module.app['eu']", "keys are in double quotes", 'module.app["eu"]'),
    (r"module.app[\"eu\"]", "it has backslashes before the quotes", 'module.app["eu"]'),
    ('module.app[eu"]', "a quote is missing", 'module.app["eu"]'),
    ("module.app[“eu”]", "it has typographic quotes", 'module.app["eu"]'),
    ("module.app[‘eu’]", "it has typographic quotes", 'module.app["eu"]'),  # noqa: RUF001
    ("-", "use --state - to read the state from standard input", ""),
    ("env/prod.tfstate", "it looks like a file; use --state env/prod.tfstate to name the state", ""),
    ("s3://bucket/key", "it looks like a file; use --state s3://bucket/key to name the state", ""),
    ("", "it is empty", ""),
    ("aws_vpc.main.", "it ends with a dot", "aws_vpc.main"),
    ("module.net.", "it ends with a dot", "module.net"),
    ("net", 'the address of a module begins with "module."', "module.net"),
    ("net.aws_vpc.main", 'the address of a module begins with "module."', "module.net.aws_vpc.main"),
    (
        "aws_vpc",
        "a resource has a type and a name; for all resources of this type, use --type aws_vpc or 'aws_vpc.*'",
        "",
    ),
    (
        "module.net.aws_vpc",
        (
            "a resource has a type and a name; for all resources of this type, use --type aws_vpc or "
            "'module.net.aws_vpc.*'"
        ),
        "",
    ),
    (
        "data.aws_ami",
        "a resource has a type and a name; for all resources of this type, use --type aws_ami or 'data.aws_ami.*'",
        "",
    ),
    ("data", "a data source has a type and a name; for all data sources, use --mode data", ""),
    ("resource.aws_vpc.main", 'addresses do not begin with "resource."', "aws_vpc.main"),
    ('data.module.app["a.b"].aws_ami.x', '"data." comes after the modules', 'module.app["a.b"].data.aws_ami.x'),
    ("aws_vpc.main.id", "an address has no attributes (`show --attr id` prints one)", "aws_vpc.main"),
    ('aws_vpc.main["eu"].id', "an address has no attributes (`show --attr id` prints one)", 'aws_vpc.main["eu"]'),
    # Nothing is guessed.
    ("aws_vpc.other.id", "resource instance key must be given in square brackets (column 14)", ""),
    ("aws_vpc.main[", "index brackets must contain either a literal number or a literal string (column 14)", ""),
    ("module.app[eu", "index brackets must contain either a literal number or a literal string (column 12)", ""),
    ("a b[eu]", "expected an attribute access or an index operator (column 3)", ""),
]


@each_row(("text", "reason", "meant"), SLIPS, ids=[repr(case[0]) for case in SLIPS])
def test_address(text: str, reason: str, meant: str) -> None:
    with pytest.raises(InvalidAddressError) as caught:
        ADDRESSES.fitting(text)
    assert (caught.value.on_command_line, caught.value.meant) == (f"invalid address {text!r}: {reason}", meant)


PROVIDERS = [
    ("aws.by_region[eu]", 'aws.by_region["eu"]'),
    ("provider[hashicorp/aws].west", 'provider["hashicorp/aws"].west'),
    ("module.a[x].aws.by_region[eu]", 'module.a["x"].aws.by_region["eu"]'),
]


@pytest.mark.parametrize(("text", "meant"), PROVIDERS)
def test_provider(text: str, meant: str) -> None:
    with pytest.raises(InvalidAddressError) as caught:
        fitting_providers(set(), text)
    assert str(caught.value) == f"invalid provider {text!r}: the shell removed the quotes"
    assert caught.value.meant == meant


def test_a_file_that_is_not_there() -> None:
    """`prod.tfstate` is a valid address of a resource."""
    with pytest.raises(NoMatchError) as caught:
        ADDRESSES.fitting("prod.tfstate")
    assert "matches 'prod.tfstate'; use --state prod.tfstate to name a state" in caught.value.on_command_line
    assert "matches 'prod.tfstate'; use statefmt.open('prod.tfstate') to name a state" in str(caught.value)
