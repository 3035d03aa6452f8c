"""What stands in the way of removing a provider: how it may be named, and what is then listed."""

from __future__ import annotations

import pytest

from statefmt.analysis.providers import provider_use
from statefmt.analysis.providers.removal import ProviderRemoval, removal
from statefmt.model.errors import SelectionError
from tests.analysis.states import AWS, resource, snapshot
from tests.tables import each_row

REGION = f"{AWS}.by_region"
EU, US = f'{REGION}["eu"]', f'{REGION}["us"]'
OTHER = 'provider["registry.opentofu.org/acme/aws"]'

STATE = snapshot(
    resource("data.aws_caller_identity.me", {"provider": EU}),
    resource("aws_vpc.z", {}, provider=AWS),
    resource("aws_s3_bucket.logs", {"index_key": "us", "provider": US}, {"index_key": "eu", "provider": EU}),
    resource("module.a.aws_db_instance.main", {"provider": US}, {"deposed": "00000001", "provider": EU}),
    resource("module.b.aws_vpc.b", {}, provider=f"module.b.{AWS}.west"),
    resource("module.c.aws_vpc.c", {}, provider=f"module.c.{AWS}.west"),
    resource("aws_vpc.other", {}, provider=f"{OTHER}.east"),
    resource("aws_vpc.empty", provider=f"{AWS}.unused"),
    resource("aws_vpc.mine", {"provider": f'{AWS}.my_provider["a"]'}),
)
IN_EU = ["data.aws_caller_identity.me", 'aws_s3_bucket.logs["eu"]', "module.a.aws_db_instance.main 00000001"]
IN_US = ['aws_s3_bucket.logs["us"]', "module.a.aws_db_instance.main"]
IN_BOTH = [IN_EU[0], IN_EU[1], IN_US[0], IN_US[1], IN_EU[2]]


def _removal(text: str) -> ProviderRemoval:
    return removal(provider_use(STATE), text)


def _listed(found: ProviderRemoval) -> list[str]:
    return [f"{obj.addr} {obj.deposed}".strip() for obj in found.objects]


# How it is named, what is to be removed, and what is bound to it, in the order of `list`.
NAMED = [
    (EU, EU, IN_EU),
    ('aws.by_region["eu"]', EU, IN_EU),
    ('provider["hashicorp/aws"].by_region["eu"]', EU, IN_EU),
    (REGION, REGION, IN_BOTH),
    ("aws.by_region", REGION, IN_BOTH),
    ('aws.by_region["*"]', 'aws.by_region["*"]', IN_BOTH),
    (AWS, AWS, ["aws_vpc.z"]),
    ("aws", AWS, ["aws_vpc.z"]),
    ("module.b.aws.west", f"module.b.{AWS}.west", ["module.b.aws_vpc.b"]),
    (f"module.c.{AWS}.west", f"module.c.{AWS}.west", ["module.c.aws_vpc.c"]),
    ("aws.east", f"{OTHER}.east", ["aws_vpc.other"]),
    ("acme/aws", f"{OTHER}.east", ["aws_vpc.other"]),
    ("aws.unused", f"{AWS}.unused", []),
]


@each_row(("text", "name", "listed"), NAMED, ids=[case[0] for case in NAMED])
def test_named(text: str, name: str, listed: list[str]) -> None:
    found = _removal(text)
    assert (found.name, _listed(found)) == (name, listed)


# How it is named, and whether a whole configuration is to go.
WHOLE = [
    ("aws.by_region", True),
    ('aws.by_region["eu"]', False),
    ("aws.by_region[*]", False),
    ('aws.by_region["?u"]', False),
    (AWS, True),
    ("aws", True),
    ("acme/aws", True),
    ("module.b.aws.west", True),
    ('aws.my_provider["a"]', False),
]


@pytest.mark.parametrize(("text", "whole"), WHOLE, ids=[case[0] for case in WHOLE])
def test_whole_configuration_or_a_key(text: str, whole: bool) -> None:
    assert _removal(text).whole is whole


# What names no provider of the state, or several, and what the message says.
REFUSED = [
    (
        'aws.by_region["ap"]',
        """nothing in the state is bound to aws.by_region["ap"], so it may be misspelt; did you mean one of these:
  aws.by_region["us"]
  aws.by_region["eu"]""",
    ),
    (f'{REGION}["ap"]', "nothing in the state is bound to"),
    ("aws.by_region[0]", "nothing in the state is bound to"),
    ("aws.by_regoin", "the state has no provider 'aws.by_regoin'; the nearest are:\n  aws.by_region"),
    ('aws.by_regoin["eu"]', "the state has no provider"),
    ("google", "the state has no provider 'google'"),
    (f'module.x.{REGION}["eu"]', "the state has no provider"),
    ("aws.by_region[eu]", "invalid provider 'aws.by_region[eu]': the shell removed the quotes"),
    ("", "invalid provider "),
    ("aws.west", f"is ambiguous; give one of these in full:\n  module.b.{AWS}.west\n  module.c.{AWS}.west"),
    ('aws["eu"]', "invalid provider "),
]


@pytest.mark.parametrize(("text", "message"), REFUSED, ids=[repr(case[0]) for case in REFUSED])
def test_refused(text: str, message: str) -> None:
    with pytest.raises(SelectionError) as error:
        _removal(text)
    assert message in str(error.value)


def test_what_has_to_be_destroyed() -> None:
    """Not data sources; and not an instance of which only a deposed object is bound to what goes."""
    found = _removal('aws.by_region["eu"]')
    assert [str(addr) for addr in found.to_destroy] == ['aws_s3_bucket.logs["eu"]']
    assert [str(addr) for addr in found.to_reread] == ["data.aws_caller_identity.me"]
    assert [obj.deposed for obj in found.deposed_alone] == ["00000001"]
    whole = _removal("aws.by_region")
    assert [str(addr) for addr in whole.to_destroy] == [IN_EU[1], *IN_US]
    assert whole.deposed_alone == []


def test_keys_in_use() -> None:
    assert [str(provider) for provider in _removal('aws.by_region["eu"]').used] == [EU, US]


# What is named, and whether it is all of a configuration or only elements of its `for_each`.
WHOLE = [
    (AWS, True),
    ("aws", True),
    ("aws.by_region", True),
    ('aws.by_region["eu"]', False),
    ('aws.by_region["*"]', False),
    ("aws.by_region[*]", False),
]


@pytest.mark.parametrize(("text", "whole"), WHOLE, ids=[case[0] for case in WHOLE])
def test_whole(text: str, whole: bool) -> None:
    assert _removal(text).whole == whole


def test_nothing_to_suggest() -> None:
    with pytest.raises(SelectionError, match=r"^the state has no provider 'aws'$"):
        removal([], "aws")
