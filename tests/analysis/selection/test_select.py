"""Criteria: one value of each is enough, and all of them must be met."""

from __future__ import annotations

import pytest

import statefmt
from statefmt.analysis.selection import Criteria, select
from statefmt.model.addrs import ResourceMode
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState, instances
from tests.cli.states import AWS, resource, state
from tests.tables import each_row

_SENSITIVE = [[{"type": "get_attr", "value": "id"}]]
_RANDOM = 'provider["registry.opentofu.org/hashicorp/random"]'
STATE = state(
    resource("aws_ami", "os", {"attributes": {"id": "ami-1"}}, mode="data"),
    resource("aws_vpc", "main", {"attributes": {"id": "vpc-1"}}),
    resource(
        "aws_instance",
        "web",
        {"index_key": 0, "attributes": {"id": "i-1"}, "status": "tainted", "provider": f'{AWS}.by_region["eu"]'},
        {"index_key": 1, "attributes": {"id": "i-2"}, "provider": f'{AWS}.by_region["us"]'},
        {"index_key": 1, "attributes": {"id": "i-3"}, "provider": f'{AWS}.by_region["us"]', "deposed": "00000001"},
        {"index_key": 2, "attributes": {"id": "i-*"}, "provider": f'{AWS}.by_region["us"]'},
        provider=None,
    ),
    resource("random_id", "gone", {"deposed": "00000002", "status": "tainted"}, provider=_RANDOM),
    resource("random_id", "n", {"attributes": {"id": 10.50}, "sensitive_attributes": []}, provider=_RANDOM),
    resource(
        "random_id", "s", {"attributes": {"id": "hidden-1"}, "sensitive_attributes": _SENSITIVE}, provider=_RANDOM
    ),
).replace(b"10.5", b"10.50")
NAMES = {
    "ami": "data.aws_ami.os",
    "vpc": "aws_vpc.main",
    "web0": "aws_instance.web[0]",
    "web1": "aws_instance.web[1]",
    "web2": "aws_instance.web[2]",
    "gone": "random_id.gone",
    "n": "random_id.n",
    "s": "random_id.s",
}
ALL = " ".join(NAMES)

# What is asked for, and what meets it: by the names of resources, and for `web` with the key.
SELECTED: list[tuple[Criteria, str]] = [
    (Criteria(), ALL),
    (Criteria(modes=(ResourceMode.DATA,)), "ami"),
    (Criteria(modes=(ResourceMode.MANAGED,)), "vpc web0 web1 web2 gone n s"),
    (Criteria(modes=(ResourceMode.MANAGED, ResourceMode.DATA)), ALL),
    (Criteria(types=("aws_vpc",)), "vpc"),
    (Criteria(types=("aws_*",)), "ami vpc web0 web1 web2"),
    (Criteria(types=("aws_vpc", "random_*")), "vpc gone n s"),
    (Criteria(providers=("aws",)), "ami vpc web0 web1 web2"),
    (Criteria(providers=(AWS,)), "ami vpc"),
    (Criteria(providers=('aws.by_region["us"]', "random")), "web1 web2 gone n s"),
    (Criteria(ids=("i-1",)), "web0"),
    (Criteria(ids=("i-3",)), "web1"),
    (Criteria(ids=("i-*",)), "web2"),
    (Criteria(ids=("i-?",)), "web0 web1 web2"),
    (Criteria(ids=("*-1",)), "ami vpc web0"),
    (Criteria(ids=(r"i-\*",)), "web2"),
    (Criteria(ids=("10.50",)), "n"),
    (Criteria(ids=("hidden-1",)), "s"),
    (Criteria(tainted=True), "web0"),
    (Criteria(deposed=True), "web1 gone"),
    (Criteria(selectors=("aws_instance.web", "*.main")), "vpc web0 web1 web2"),
    (Criteria(selectors=("aws_instance.web[1]",), deposed=True), "web1"),
    (Criteria(types=("random_id",), ids=("*",)), "n"),
    (Criteria(excluded=("aws_instance.web",)), "ami vpc gone n s"),
    (Criteria(selectors=("*.*",), excluded=("*.web[0]", "*.web[1]", "random_id.*")), "vpc web2"),
    (Criteria(types=("aws_*",), excluded=("data.*.*",)), "vpc web0 web1 web2"),
]


def _instances() -> list[InstanceState]:
    return instances(statefmt.read(STATE).snapshot)


@each_row(("criteria", "expected"), SELECTED, ids=[str(case[0]) or "all" for case in SELECTED])
def test_selected(criteria: Criteria, expected: str) -> None:
    """In the order of the whole, too."""
    order = [instance.addr for instance in _instances()]
    found = [instance.addr for instance in select(_instances(), criteria)]
    assert {str(addr) for addr in found} == {NAMES[name] for name in expected.split()}
    assert found == sorted(found, key=order.index)


# What nothing meets, and what is said.
REFUSED: list[tuple[Criteria, str]] = [
    (Criteria(types=("aws_vcp",)), "no resource type matches 'aws_vcp'; the nearest are:\n  aws_vpc"),
    (Criteria(types=("aws_vpc", "gcp_*")), "no resource type matches 'gcp_*'"),
    (Criteria(providers=("asw",)), "no provider matches 'asw'; the nearest are:\n  aws"),
    (Criteria(ids=("vpc-2",)), "no id matches 'vpc-2'; the nearest are:\n  vpc-1"),
    (Criteria(ids=("hidden-2",)), "no id matches 'hidden-2'"),
    (
        Criteria(excluded=("aws_vpc.mian",)),
        "no resource instance matches 'aws_vpc.mian'; the nearest are:\n  aws_vpc.main",
    ),
    (Criteria(types=("aws_vpc",), tainted=True), "no resource instance is of type aws_vpc and is tainted"),
    (
        Criteria(selectors=("aws_vpc.main", "data.*.*"), deposed=True, providers=("aws",)),
        "no resource instance matches aws_vpc.main or data.*.* and is bound to aws and has deposed objects",
    ),
    (
        Criteria(selectors=("aws_vpc.main",), excluded=("**",)),
        "no resource instance matches aws_vpc.main and is not excluded",
    ),
    (Criteria(modes=(ResourceMode.DATA,), ids=("i-1",)), "no resource instance is data and has the id i-1"),
]


@pytest.mark.parametrize(("criteria", "message"), REFUSED, ids=[str(case[0]) for case in REFUSED])
def test_refused(criteria: Criteria, message: str) -> None:
    with pytest.raises(SelectionError) as caught:
        select(_instances(), criteria)
    assert str(caught.value).startswith(message)
    assert "hidden-1" not in str(caught.value)


def test_nothing_asked_of_nothing() -> None:
    assert select([], Criteria()) == []


def test_the_state_has_what_the_cases_need() -> None:
    assert b"10.50" in STATE
    assert {str(instance.addr) for instance in _instances()} == set(NAMES.values())
