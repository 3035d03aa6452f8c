"""What the parts of small states are, and what they need of each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from statefmt.analysis.partition import Partition, PartitionKind, PartitionPart, suggest_partitions
from statefmt.model.snapshot import Snapshot
from tests.analysis.states import AWS, graph_snapshot, resource, snapshot

RANDOM = 'provider["registry.opentofu.org/hashicorp/random"]'


def by(kind: PartitionKind, state: Snapshot) -> Partition:
    """The suggestion of a kind."""
    found = suggest_partitions(state)
    assert kind not in found.without, found.without
    return next(one for one in found.partitions if one.kind is kind)


def contents(partition: Partition) -> dict[str, list[str]]:
    """What is in each part."""
    return {part.name: sorted(part.contents) for part in partition.parts}


def named(partition: Partition, name: str) -> PartitionPart:
    """The part with a name."""
    return next(one for one in partition.parts if one.name == name)


def regional(edges: Mapping[str, Sequence[str]]) -> Snapshot:
    """Resources by addresses such as `aws_x.a@us`, which say the alias of the provider configuration."""
    return snapshot(
        *(
            resource(name, {"dependencies": list(targets)}, provider=f"{AWS}.{alias}" if alias else RANDOM)
            for (name, _, alias), targets in ((address.partition("@"), targets) for address, targets in edges.items())
        )
    )


def test_modules() -> None:
    """A root resource goes where it is used; one that several use, below them; one that uses several, above."""
    edges = {
        "module.app.aws_instance.a": ["aws_key.app", "aws_kms.all", "module.net.aws_vpc.v"],
        "module.net.aws_vpc.v": ["aws_kms.all"],
        "aws_key.app": [],
        "aws_kms.all": [],
        "aws_record.front": ["module.app.aws_instance.a", "module.other.aws_x.y"],
        "module.other.aws_x.y": [],
    }
    found = by(PartitionKind.MODULE, graph_snapshot(edges))
    assert contents(found) == {
        "kms": ["aws_kms.all"],
        "net": ["module.net"],
        "app": ["aws_key.app", "module.app"],
        "other": ["module.other"],
        "record": ["aws_record.front"],
    }
    assert {one.name: (sorted(one.needs), one.level) for one in found.parts} == {
        "kms": ([], 0),
        "net": (["kms"], 1),
        "app": (["kms", "net"], 2),
        "other": ([], 0),
        "record": (["app", "other"], 3),
    }
    assert found.applies == 4
    assert [one.name for one in found.parts if one.stays] == ["app"]


def test_modules_that_need_each_other_are_one_part() -> None:
    edges = {
        "module.a.aws_x.low": [],
        "module.b.aws_x.mid": ["module.a.aws_x.low"],
        "module.a.aws_x.high": ["module.b.aws_x.mid"],
        **{f"module.c.aws_x.n{number}": ["module.a.aws_x.low"] for number in range(5)},
    }
    found = by(PartitionKind.MODULE, graph_snapshot(edges))
    assert contents(found) == {"a": ["module.a", "module.b"], "c": ["module.c"]}
    assert [(one.resource, one.part, one.needed_by) for one in found.needed] == [("module.a.aws_x.low", "a", ("c",))]


def test_a_module_with_most_of_the_state_is_opened() -> None:
    inner: dict[str, list[str]] = {
        f"module.all.module.{name}.aws_x.n{number}": [] for name in "ab" for number in range(3)
    }
    found = by(PartitionKind.MODULE, graph_snapshot(inner))
    assert contents(found) == {"a": ["module.all.module.a"], "b": ["module.all.module.b"]}
    assert [str(module) for module in found.divided] == ["module.all"]


def test_small_modules_are_merged() -> None:
    """At most as many parts as asked for, and none below a twentieth."""
    edges: dict[str, list[str]] = {f"module.m{number}.aws_x.n{place}": [] for number in range(12) for place in range(4)}
    edges["module.small.aws_x.one"] = ["module.m3.aws_x.n0"]
    state = graph_snapshot(edges)
    found = suggest_partitions(state, most_parts=4)
    one = next(one for one in found.partitions if one.kind is PartitionKind.MODULE)
    assert len(one.parts) == 4
    assert one.largest < 0.5
    home = next(part for part in one.parts if "module.small" in part.contents)
    assert "module.m3" in home.contents


def test_provider_instances() -> None:
    """An object of a provider with one instance goes where it is used, or below or above the others."""
    edges = {
        "aws_x.a@us": ["random_id.us", "random_id.both"],
        "aws_x.b@us": ["aws_x.a"],
        "aws_x.a2@eu": ["random_id.both"],
        "random_id.us": [],
        "random_id.both": [],
        "random_pet.all": ["aws_x.b", "aws_x.a2"],
    }
    found = by(PartitionKind.PROVIDER, regional(edges))
    assert contents(found) == {
        "shared": ["random_id.both"],
        "aws-us": ["aws_x.a", "aws_x.b", "random_id.us"],
        "aws-eu": ["aws_x.a2"],
        "overall": ["random_pet.all"],
    }


def test_a_circle_between_provider_instances() -> None:
    """What the lower part needs goes there."""
    edges = {
        "aws_x.low@us": [],
        "aws_x.mid@eu": ["aws_x.low"],
        "aws_x.top@us": ["aws_x.mid"],
        "aws_x.more@us": ["aws_x.mid"],
    }
    found = by(PartitionKind.PROVIDER, regional(edges))
    assert contents(found) == {"aws-eu": ["aws_x.low", "aws_x.mid"], "aws-us": ["aws_x.more", "aws_x.top"]}
    assert named(found, "aws-us").needs == ("aws-eu",)


def test_instances_of_one_resource() -> None:
    """Instances depend on those of their own provider instance, and on what their attributes name."""
    us, eu = f'{AWS}.by["us"]', f'{AWS}.by["eu"]'
    vpcs = [
        {"index_key": key, "provider": provider, "attributes": {"id": f"vpc-0000{key}"}}
        for key, provider in (("us", us), ("eu", eu))
    ]
    nets = [
        {"index_key": key, "provider": provider, "dependencies": ["aws_vpc.v"], "attributes": {"peer": peer}}
        for key, provider, peer in (("us", us, ""), ("eu", eu, "vpc-0000us"))
    ]
    found = by(PartitionKind.PROVIDER, snapshot(resource("aws_vpc.v", *vpcs), resource("aws_net.n", *nets)))
    assert contents(found) == {
        "aws-by-us": ['aws_net.n["us"]', 'aws_vpc.v["us"]'],
        "aws-by-eu": ['aws_net.n["eu"]', 'aws_vpc.v["eu"]'],
    }
    assert [(one.resource, one.part, one.needed_by) for one in found.needed] == [
        ("aws_vpc.v", "aws-by-us", ("aws-by-eu",))
    ]


def test_module_instances_depend_on_their_own() -> None:
    """A state records dependencies between blocks, which is no circle between the instances of a module."""
    state = snapshot(
        *(
            resource(f'module.app["{key}"].aws_{name}.x', {"dependencies": needs}, provider=f"{AWS}.{key}")
            for key in ("us", "eu")
            for name, needs in (("vpc", []), ("net", ["module.app.aws_vpc.x"]))
        )
    )
    found = by(PartitionKind.PROVIDER, state)
    assert contents(found) == {"aws-us": ['module.app["us"]'], "aws-eu": ['module.app["eu"]']}
    assert found.needed == ()


# Attributes, the paths that are sensitive, and the region.
REGIONS = [
    ({"region": "us"}, [], "us"),
    ({"location": "us"}, [], "us"),
    ({"arn": "arn:aws:ec2:us:1:vpc/2"}, [], "us"),
    ({"arn": "arn:aws"}, [], ""),
    ({"region": "us"}, [[{"type": "get_attr", "value": "region"}]], ""),
    ({"region": 3, "location": ""}, [], ""),
]


@pytest.mark.parametrize(("attributes", "sensitive", "region"), REGIONS)
def test_regions(attributes: dict[str, object], sensitive: list[object], region: str) -> None:
    others = [
        resource(f"aws_x.n{number}", {"attributes": {"region": "eu" if number else "ap"}}, provider=AWS)
        for number in range(2)
    ]
    one = resource("aws_x.one", {"attributes": attributes, "sensitive_attributes": sensitive}, provider=AWS)
    found = by(PartitionKind.REGION, snapshot(*others, one))
    assert contents(found) == {region or "shared": ["aws_x.one"], "eu": ["aws_x.n1"], "ap": ["aws_x.n0"]}


def test_an_object_without_a_region_is_in_that_of_its_provider() -> None:
    found = by(
        PartitionKind.REGION,
        snapshot(
            *(resource(f"aws_x.{key}", {"attributes": {"region": key}}, provider=f"{AWS}.{key}") for key in ("a", "b")),
            resource("aws_x.c", {"dependencies": ["aws_x.a"]}, provider=f"{AWS}.b"),
            resource("aws_x.d", {}, provider=f"{AWS}.a"),
            resource("aws_x.e", {"attributes": {"region": "eu"}}, provider=f"{AWS}.e"),
            resource("aws_x.f", {"attributes": {"region": "eu"}}, provider=f"{AWS}.f"),
        ),
    )
    assert contents(found) == {"a": ["aws_x.a", "aws_x.d"], "b": ["aws_x.b", "aws_x.c"], "eu": ["aws_x.e", "aws_x.f"]}


def test_communities() -> None:
    """Two groups with many dependencies inside, and one between them."""
    edges = {
        f"aws_x.{group}{number}": [] if number < 2 else [f"aws_x.{group}0", f"aws_x.{group}1"]
        for group in "ab"
        for number in range(6)
    }
    edges["aws_x.b5"].append("aws_x.a0")
    found = by(PartitionKind.COMMUNITY, graph_snapshot(edges))
    assert sorted(contents(found).values()) == [[f"aws_x.{group}{number}" for number in range(6)] for group in "ab"]
    assert [one.resource for one in found.needed] == ["aws_x.a0"]


def test_secrets() -> None:
    """A needed resource with sensitive attributes counts; an implied dependency needs no output."""
    path = [[{"type": "get_attr", "value": "password"}]]
    state = snapshot(
        resource("module.db.aws_db.d", {"attributes": {"password": "p"}, "sensitive_attributes": path}, provider=AWS),
        resource("module.db.aws_vpc.v", {}, provider=AWS),
        resource("module.app.aws_x.x", {"dependencies": ["module.db.aws_db.d", "module.db.aws_vpc.v"]}, provider=AWS),
        resource("module.app.aws_x.y", {"dependencies": ["module.app.aws_x.x", "module.db.aws_db.d"]}, provider=AWS),
    )
    found = by(PartitionKind.MODULE, state)
    assert [(one.resource, one.is_secret) for one in found.needed] == [
        ("module.db.aws_db.d", True),
        ("module.db.aws_vpc.v", False),
    ]
    assert (found.outputs, found.secrets, found.resources, found.applies, found.largest) == (2, 1, 4, 2, 0.5)
    # 50 for the largest part, 2 * 50 for half of the resources, 3 for the secret, 2 for the second apply.
    assert found.score == 155


def test_nothing_to_divide() -> None:
    found = suggest_partitions(graph_snapshot({"aws_x.a": [], "aws_x.b": ["aws_x.a"]}))
    assert {kind.value: reason for kind, reason in found.without.items()} == {
        "module": "there are not two modules to go by",
        "provider": "no provider has several instances",
        "region": "no two regions are in the attributes",
    } or found.partitions == ()
    assert suggest_partitions(snapshot()).partitions == ()
