"""Objects that states of several lineages manage are found, and those that only look alike are not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import pytest

from statefmt.fleet import duplicate_objects, state_copies
from tests.fleet.planting import AWS, indexed, made, planted

pytest.importorskip("duckdb")

_TERRAFORM: Final = 'provider["registry.terraform.io/hashicorp/aws"]'
_POLICY: Final = made("aws_iam_policy", mode="data", id="p", arn="arn:aws:iam::aws:policy/p")
_EAST: Final = 'provider["registry.opentofu.org/hashicorp/aws"].east'
_BUCKET: Final = "arn:aws:s3:::logs"
_VPC: Final = "arn:aws:ec2:eu-west-1:111111111111:vpc/vpc-1"
_SECRET: Final = "arn:aws:secretsmanager:eu-west-1:111111111111:secret:db-x"
_RULE: Final = {"account_id": "111111111111", "region": "eu-west-1", "security_group_rule_id": "sgr-1"}

_Resources = list[dict[str, Any]]


def _ab(a: _Resources, b: _Resources) -> dict[str, dict[str, Any]]:
    return {"a": planted(*a, lineage="a"), "b": planted(*b, lineage="b")}


def _same(type_name: str, **attributes: Any) -> dict[str, dict[str, Any]]:
    return _ab([made(type_name, "one", **attributes)], [made(type_name, "two", **attributes)])


def _metric(region: str | None = None, provider: str = AWS, **more: Any) -> dict[str, Any]:
    """An object without an ARN, whose id says little."""
    return made("aws_cloudwatch_log_metric_filter", "m", provider=provider, id="errors", region=region, **more)


def _neighbour(region: str, account: str = "111111111111") -> dict[str, Any]:
    """An object whose ARN says where its provider instance is."""
    return made("aws_sqs_queue", "q", id=f"q-{region}-{account}", arn=f"arn:aws:sqs:{region}:{account}:q")


# The states, and how each expected duplicate is matched with its number of places.
KINDS: Final[dict[str, tuple[Mapping[str, dict[str, Any]], list[tuple[str, int]]]]] = {
    "same ARN": (_same("aws_s3_bucket", id="logs", arn=_BUCKET), [("arn", 2)]),
    "same identity only": (_same("aws_vpc_security_group_ingress_rule", identity=_RULE), [("identity", 2)]),
    "identity with members in another order, and null": (
        _ab(
            [made("aws_rule", identity=_RULE)],
            [made("aws_rule", identity={**dict(reversed(_RULE.items())), "note": None})],
        ),
        [("identity", 2)],
    ),
    "identities that differ": (
        _ab(
            [made("aws_rule", id="1", identity=_RULE)],
            [made("aws_rule", id="1", identity={**_RULE, "region": "us-east-1"})],
        ),
        [],
    ),
    "identity without values": (_same("aws_rule", identity={"id": None}), []),
    "same identity of another type": (
        _ab([made("aws_rule", identity=_RULE)], [made("aws_other_rule", identity=_RULE)]),
        [],
    ),
    "identity in one state, ARN in both": (
        _ab(
            [made("aws_s3_bucket", id="logs", arn=_BUCKET, identity={"bucket": "logs"})],
            [made("aws_s3_bucket", id="logs", arn=_BUCKET)],
        ),
        [("arn", 2)],
    ),
    "identity in one state, id in both": (
        _ab([made("aws_rule", id="sgr-1", identity=_RULE)], [made("aws_rule", id="sgr-1")]),
        [("id", 2)],
    ),
    "ARN in one state, id in both": (
        _ab(
            [made("aws_vpc", id="vpc-1", arn=_VPC)],
            [made("aws_vpc", id="vpc-1", region="eu-west-1", account_id="111111111111")],
        ),
        [("id", 2)],
    ),
    "same type and id": (_same("azurerm_resource_group", id="/subscriptions/1/resourceGroups/x"), [("id", 2)]),
    "same id of another type": (
        _ab([made("aws_s3_bucket_policy", id="logs")], [made("aws_s3_bucket_versioning", id="logs")]),
        [],
    ),
    "same id in another region": (_ab([_metric("eu-west-1")], [_metric("us-east-1")]), []),
    "same id in the same region": (_ab([_metric("eu-west-1")], [_metric("eu-west-1")]), [("id", 2)]),
    "same id in another account": (_ab([_metric(account_id="1")], [_metric(account_id="2")]), []),
    "same id, and ARNs in other regions": (
        _ab(
            [made("aws_sqs_queue", id="q", arn="arn:aws:sqs:eu-west-1:1:q")],
            [made("aws_sqs_queue", id="q", arn="arn:aws:sqs:us-east-1:1:q")],
        ),
        [],
    ),
    "same id, and neighbours in other regions": (
        _ab([_metric(), _neighbour("eu-west-1")], [_metric(), _neighbour("us-east-1")]),
        [],
    ),
    "same id, and neighbours in other accounts": (
        _ab([_metric(), _neighbour("eu-west-1", "1")], [_metric(), _neighbour("eu-west-1", "2")]),
        [],
    ),
    "same id, and neighbours of other provider instances in other regions": (
        _ab([_metric(None, _EAST), _neighbour("eu-west-1")], [_metric(None, _EAST), _neighbour("us-east-1")]),
        [("id", 2)],
    ),
    "same id, and neighbours in other accounts beside what the cloud owns": (
        _ab([_metric(), _neighbour("eu-west-1", "1"), _POLICY], [_metric(), _neighbour("eu-west-1", "2"), _POLICY]),
        [],
    ),
    "same id and region, and other ARNs": (
        _ab(
            [made("aws_queue", id="q", arn="arn:aws:sqs:eu-west-1:1:q/a")],
            [made("aws_queue", id="q", arn="arn:aws:sqs:eu-west-1:1:q/b")],
        ),
        [],
    ),
    "region known in one state only": (_ab([_metric("eu-west-1")], [_metric()]), [("id", 2)]),
    "region unknown where there are several": (
        {**_ab([_metric("eu-west-1")], [_metric()]), "c": planted(_metric("us-east-1"), lineage="c")},
        [],
    ),
    "copies of one lineage": (
        {name: planted(made("aws_s3_bucket", id="logs", arn=_BUCKET)) for name in ("a", "copy")},
        [],
    ),
    "copies without a lineage": (
        {name: planted(made("aws_s3_bucket", id="logs", arn=_BUCKET), lineage="") for name in ("a", "copy")},
        [],
    ),
    "different states without a lineage": (
        {
            "a": planted(made("aws_s3_bucket", id="logs", arn=_BUCKET), lineage=""),
            "b": planted(made("aws_s3_bucket", id="logs", arn=_BUCKET), lineage="", serial=2),
        },
        [("arn", 2)],
    ),
    "copies of one lineage, and another one": (
        {
            **_ab([made("aws_s3_bucket", id="logs", arn=_BUCKET)], [made("aws_s3_bucket", id="logs", arn=_BUCKET)]),
            "copy": planted(made("aws_s3_bucket", id="logs", arn=_BUCKET), lineage="a"),
        },
        [("arn", 3)],
    ),
    "moved, and an old copy of its first state": (
        {
            **_ab([], [made("aws_s3_bucket", id="logs", arn=_BUCKET)]),
            "backup": planted(made("aws_s3_bucket", id="logs", arn=_BUCKET), lineage="a", serial=0),
        },
        [],
    ),
    "moved within a state": (
        {
            "a": planted(made("aws_s3_bucket", "new", id="logs", arn=_BUCKET), serial=2),
            "backup": planted(made("aws_s3_bucket", "old", id="logs", arn=_BUCKET)),
        },
        [],
    ),
    "twice in one state": (
        {
            "a": planted(
                made("aws_s3_bucket", "x", id="logs", arn=_BUCKET), made("aws_s3_bucket", "y", id="logs", arn=_BUCKET)
            )
        },
        [],
    ),
    "read by a data source": (
        _ab([made("aws_vpc", id="vpc-1", arn=_VPC)], [made("aws_vpc", id="vpc-1", arn=_VPC, mode="data")]),
        [],
    ),
    "deposed in one state": (
        _ab([made("aws_vpc", id="vpc-1", arn=_VPC)], [made("aws_vpc", id="vpc-1", arn=_VPC, deposed="0a1b2c3d")]),
        [("arn", 2)],
    ),
    "another name of the type": (
        _ab([made("aws_lb", id=_VPC, arn=_VPC)], [made("aws_alb", id=_VPC, arn=_VPC)]),
        [("arn", 2)],
    ),
    "default and ordinary type, with identities": (
        _ab(
            [made("aws_vpc", id="vpc-1", arn=_VPC, identity={"id": "vpc-1"})],
            [made("aws_default_vpc", id="vpc-1", arn=_VPC, identity={"id": "vpc-1"})],
        ),
        [("arn", 2)],
    ),
    "a part of what the ARN names": (
        _ab(
            [made("aws_secretsmanager_secret", id=_SECRET, arn=_SECRET)],
            [made("aws_secretsmanager_secret_version", id=f"{_SECRET}|1", arn=_SECRET)],
        ),
        [],
    ),
    "same ARN, with an id in one state": (
        _ab([made("aws_s3_bucket", id="logs", arn=_BUCKET)], [made("aws_s3_bucket", arn=_BUCKET)]),
        [("arn", 2)],
    ),
    "the other public registry": (
        _ab([made("aws_eip", id="eip-1")], [made("aws_eip", id="eip-1", provider=_TERRAFORM)]),
        [("id", 2)],
    ),
    "another provider with the same type": (
        _ab([made("aws_eip", id="eip-1")], [made("aws_eip", id="eip-1", provider='provider["example.com/acme/aws"]')]),
        [],
    ),
    "hidden ids": (_same("aws_thing", id="secret-1", hides=["id"]), []),
    "hidden ARNs": (_same("aws_thing", arn=_BUCKET, hides=["arn"]), []),
    "hidden identities": (_same("aws_thing", id="secret-1", identity={"id": "secret-1"}, hides=["id"]), []),
    "hidden regions": (_same("aws_thing", id="t-1", region="secret-region", hides=["region"]), []),
    "passwords with equal ids": (
        _same(
            "random_password",
            id="none",
            result="hunter22",
            provider='provider["registry.opentofu.org/hashicorp/random"]',
        ),
        [],
    ),
    "equal files": (
        _same("local_file", id="da39a3ee", provider='provider["registry.opentofu.org/hashicorp/local"]'),
        [],
    ),
    "names within clusters": (
        _same(
            "kubernetes_deployment", id="default/web", provider='provider["registry.opentofu.org/hashicorp/kubernetes"]'
        ),
        [],
    ),
    "no id at all": (_same("aws_thing", note="x"), []),
    "an empty id": (_same("aws_thing", id=""), []),
    "in three states": (
        {name: planted(made("aws_s3_bucket", id="logs", arn=_BUCKET), lineage=name) for name in "abc"},
        [("arn", 3)],
    ),
    "an identity that is no object": (_same("aws_thing", identity=["x"]), []),
}


def _apart(state: dict[str, Any], kind: int) -> dict[str, Any]:
    """A state whose lineage and ids are those of no other kind, so that one index can have all kinds."""

    def marked(value: object) -> object:
        return f"{value}-{kind}" if isinstance(value, str) and value else value

    for resource in state["resources"]:
        for instance in resource["instances"]:
            for names in (instance["attributes"], instance.get("identity")):
                if isinstance(names, dict):
                    names |= {
                        name: marked(value) for name, value in names.items() if name not in ("region", "account_id")
                    }
    return state | {"lineage": marked(state["lineage"])}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    states = {
        f"{number}/{name}": _apart(deepcopy(state), number)
        for number, (states, _) in enumerate(KINDS.values())
        for name, state in states.items()
    }
    return indexed(tmp_path_factory.mktemp("kinds"), states)


@pytest.fixture(scope="module")
def found(index: Path) -> Mapping[int, list[tuple[str, int]]]:
    """What is found of each kind, by its number."""
    kinds: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for one in duplicate_objects(index):
        (number,) = {int(Path(place.uri).parent.name) for place in one.places}
        kinds[number].append((one.matched_by, len(one.places)))
    return kinds


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind(kind: str, found: Mapping[int, list[tuple[str, int]]]) -> None:
    assert found.get([*KINDS].index(kind), []) == KINDS[kind][1]


def test_the_places_of_a_duplicate(tmp_path: Path) -> None:
    vpc = made("aws_vpc", "main", id="vpc-1", arn=_VPC)
    old = made("aws_vpc", "old", id="vpc-1", arn=_VPC, deposed="0a1b2c3d")
    index = indexed(tmp_path, {"a": planted(vpc, lineage="a", serial=3), "b": planted(old, lineage="b")})
    (one,) = duplicate_objects(index)
    assert (one.object, one.region, one.account) == (_VPC, "eu-west-1", "111111111111")
    assert [(Path(place.uri).name, place.address, place.deposed, place.serial) for place in one.places] == [
        ("a.tfstate", "aws_vpc.main", "", 3),
        ("b.tfstate", "aws_vpc.old", "0a1b2c3d", 1),
    ]


def test_an_old_format_names_no_registry(tmp_path: Path) -> None:
    eip = {"type": "aws_eip", "primary": {"id": "eip-1", "attributes": {"id": "eip-1"}}, "provider": "provider.aws"}
    module = {"path": ["root"], "outputs": {}, "resources": {"aws_eip.x": eip}}
    old = {"version": 3, "terraform_version": "0.11.14", "serial": 1, "lineage": "o", "modules": [module]}
    index = indexed(tmp_path, {"new": planted(made("aws_eip", id="eip-1")), "old": old})
    assert [one.object for one in duplicate_objects(index)] == ["eip-1"]


def test_copies(tmp_path: Path) -> None:
    states = {
        "a": planted(lineage="a", serial=3),
        "a-old": planted(lineage="a", serial=2),
        "b": planted(lineage="b"),
        "none": planted(lineage=""),
        "none-copy": planted(lineage=""),
        "none-other": planted(lineage="", serial=7),
    }
    copies = state_copies(indexed(tmp_path, states))
    assert [(one.lineage, [(Path(state.uri).stem, state.newest) for state in one.states]) for one in copies] == [
        ("a", [("a", True), ("a-old", False)]),
        (None, [("none-copy", True), ("none", True)]),
    ]
