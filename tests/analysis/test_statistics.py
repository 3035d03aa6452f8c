"""A state in numbers, counted by hand."""

from __future__ import annotations

from statefmt.analysis.statistics import Counts, statistics
from tests.analysis.states import AWS, resource, snapshot

BIG, SMALL = "x" * 500, "x" * 100
RANDOM = 'provider["registry.opentofu.org/hashicorp/random"]'
STATE = snapshot(
    resource("data.aws_ami.a", {}, provider=AWS),
    resource(
        "aws_vpc.a",
        {"index_key": 0, "status": "tainted", "attributes": {"id": SMALL}},
        {"index_key": 1, "attributes": {"id": BIG}, "dependencies": ["aws_vpc.b", "aws_vpc.c"]},
        {"index_key": 1, "deposed": "00000001", "attributes": {"id": BIG}},
        provider=AWS,
    ),
    resource('module.m["k"].random_pet.a', {"attributes": {"id": SMALL}}, provider=RANDOM),
    resource("aws_vpc.none"),
    outputs={"a": {"value": 1, "type": "number"}},
)


def _numbers(counts: Counts) -> tuple[int, int, int]:
    return counts.resources, counts.instances, counts.objects


def test_totals() -> None:
    found = statistics(STATE)
    assert _numbers(found.total) == (4, 4, 5)
    assert (found.data_resources, found.deposed, found.tainted) == (1, 1, 1)
    assert (found.dependencies, found.outputs) == (2, 1)
    assert found.total.dependency_bytes == len('["aws_vpc.b", "aws_vpc.c"]')


def test_groups_by_their_bytes() -> None:
    found = statistics(STATE)
    assert {name: _numbers(counts) for name, counts in found.types.items()} == {
        "aws_vpc": (2, 2, 3),
        "random_pet": (1, 1, 1),
        "data.aws_ami": (1, 1, 1),
    }
    assert list(found.types) == ["aws_vpc", "random_pet", "data.aws_ami"]
    assert list(found.modules) == ["", 'module.m["k"]']
    assert list(found.providers) == [
        "registry.opentofu.org/hashicorp/aws",
        "registry.opentofu.org/hashicorp/random",
        "",
    ]


def test_every_group_adds_up() -> None:
    found = statistics(STATE)
    for groups in (found.types, found.modules, found.providers):
        total = Counts()
        for counts in groups.values():
            total = total.plus(counts)
        assert total == found.total
    assert sum(instance.bytes for instance in found.instances) == found.total.bytes


def test_largest_instances() -> None:
    """With the bytes of their deposed objects; of one size in list order."""
    found = statistics(STATE)
    assert [str(instance.addr) for instance in found.instances] == [
        "aws_vpc.a[1]",
        "aws_vpc.a[0]",
        'module.m["k"].random_pet.a',
        "data.aws_ami.a",
    ]
    assert found.instances[0].dependency_bytes == found.total.dependency_bytes
