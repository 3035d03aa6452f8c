"""States made for tests are those that OpenTofu writes: the members, the canonical form, and what it accepts."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

import statefmt
from statefmt.testing import FakeOutput, FakeResource, make_state
from tests.cli.conftest import Statetool
from tests.compat.program import Program
from tests.tables import each_row

_AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
# No keys of providers, which Terraform does not know.
_PORTABLE: Final = make_state(
    [
        "aws_vpc.main",
        FakeResource("aws_vpc.main", deposed="7c1f00aa"),
        'module.net["a"].aws_subnet.this[0]',
        FakeResource('module.net["a"].aws_subnet.this[10]', tainted=True, dependencies=["aws_vpc.main"]),
        'module.net["a"].aws_subnet.this[9]',
        FakeResource("data.aws_ami.os", {"id": "ami-1", "tags": {"a b": None}}, provider="aws.west"),
        FakeResource('random_id.r["$${x}"]', sensitive=["hex", 'keeper["k"]'], provider="acme/cloud"),
        "terraform_data.one",
    ],
    {"ids": ["a", 1], "secret": FakeOutput({"k": True}, sensitive=True)},
)
_LISTED: Final = [
    "data.aws_ami.os",
    "aws_vpc.main",
    'random_id.r["$${x}"]',
    "terraform_data.one",
    'module.net["a"].aws_subnet.this[0]',
    'module.net["a"].aws_subnet.this[9]',
    'module.net["a"].aws_subnet.this[10]',
]


def _document(*resources: Any, **options: Any) -> Any:
    return json.loads(make_state(resources, **options))


def _only_instance(resource: str | FakeResource) -> Any:
    (block,) = _document(resource)["resources"]
    (instance,) = block["instances"]
    return instance


def test_an_empty_state() -> None:
    document = _document()
    lineage = document.pop("lineage")
    assert document == {
        "version": 4,
        "terraform_version": "1.12.0",
        "serial": 1,
        "outputs": {},
        "resources": [],
        "check_results": None,
    }
    assert len(lineage) == 36


def test_the_envelope() -> None:
    document = _document(serial=2**64 - 1, lineage="x", terraform_version="1.5.7")
    assert (document["serial"], document["lineage"], document["terraform_version"]) == (2**64 - 1, "x", "1.5.7")


def test_layouts() -> None:
    compact, indented = make_state(["a.b"], layout="compact"), make_state(["a.b"])
    assert compact.count(b"\n") == 1
    assert indented.startswith(b'{\n  "version": 4,\n')
    assert json.loads(compact) == json.loads(indented)


def test_a_resource_by_its_address() -> None:
    (block,) = _document('module.net["a"].aws_subnet.this[0]')["resources"]
    (instance,) = block.pop("instances")
    assert block == {
        "module": 'module.net["a"]',
        "mode": "managed",
        "type": "aws_subnet",
        "name": "this",
        "provider": _AWS,
    }
    assert instance["attributes"].keys() == {"id"}
    assert (instance["index_key"], instance["schema_version"]) == (0, 0)


def test_resources_by_address_and_attributes() -> None:
    attributes = {"id": "vpc-1", "n": Decimal("1.10"), "big": 10**39, "l": [1.0, None, True], "t": ("é<",)}
    mapping = make_state({"aws_vpc.main": attributes}, layout="compact")
    listed = make_state([{"aws_vpc.main": attributes}], layout="compact")
    described = make_state([FakeResource("aws_vpc.main", attributes)], layout="compact")
    assert mapping == listed == described
    raw = f'{{"id":"vpc-1","n":1.10,"big":1{"0" * 39},"l":[1.0,null,true],"t":["é\\u003c"]}}'
    assert f'"attributes":{raw},'.encode() in mapping


def test_ids_differ_and_do_not_depend_on_their_neighbours() -> None:
    resources = ["a.b[0]", "a.b[1]", "a.c", FakeResource("a.c", deposed="7c1f00aa"), "module.m.a.c"]
    ids = [i["attributes"]["id"] for r in _document(*resources)["resources"] for i in r["instances"]]
    assert len(set(ids)) == len(resources)
    assert _only_instance("module.m.a.c")["attributes"]["id"] in ids


@pytest.mark.parametrize(
    ("given", "resource_level", "instance_level"),
    [
        ("", _AWS, None),
        ("aws", _AWS, None),
        ("aws.west", f"{_AWS}.west", None),
        ('aws.by_region["eu"]', None, f'{_AWS}.by_region["eu"]'),
        ("random", 'provider["registry.opentofu.org/hashicorp/random"]', None),
        ("terraform", 'provider["terraform.io/builtin/terraform"]', None),
        ("acme/cloud", 'provider["registry.opentofu.org/acme/cloud"]', None),
        ("tf.example.com/acme/cloud", 'provider["tf.example.com/acme/cloud"]', None),
        ('module.m.provider["hashicorp/aws"].x[1]', None, f"module.m.{_AWS}.x[1]"),
    ],
)
def test_providers(given: str, resource_level: str | None, instance_level: str | None) -> None:
    (block,) = _document(FakeResource("aws_vpc.main", provider=given))["resources"]
    assert (block.get("provider"), block["instances"][0].get("provider")) == (resource_level, instance_level)


def test_the_members_of_an_object() -> None:
    instance = _only_instance(
        FakeResource(
            'a.b["k"]',
            {"id": "1"},
            dependencies=["module.m.data.c.d", "a.c"],
            sensitive=["p", 'tags["Owner"]', "rule[0].secret"],
            tainted=True,
            deposed="7c1f00aa",
            schema_version=3,
            create_before_destroy=True,
        )
    )
    attribute = {name: {"type": "get_attr", "value": name} for name in ("p", "tags", "rule", "secret")}
    index = [{"type": "index", "value": {"value": v, "type": t}} for v, t in (("Owner", "string"), (0, "number"))]
    paths = instance.pop("sensitive_attributes")
    assert instance == {
        "index_key": "k",
        "status": "tainted",
        "deposed": "7c1f00aa",
        "schema_version": 3,
        "attributes": {"id": "1"},
        "dependencies": ["module.m.data.c.d", "a.c"],
        "create_before_destroy": True,
    }
    expected = [[attribute["p"]], [attribute["tags"], index[0]], [attribute["rule"], index[1], attribute["secret"]]]
    assert sorted(paths, key=json.dumps) == sorted(expected, key=json.dumps)


def test_identity_and_private_data() -> None:
    instance = _only_instance(
        FakeResource(
            "a.b", identity={"account": "1", "n": Decimal("1.0")}, identity_schema_version=2, private=b"\x00\xff"
        )
    )
    assert (instance["identity"], instance["identity_schema_version"]) == ({"account": "1", "n": 1.0}, 2)
    assert base64.b64decode(instance["private"]) == b"\x00\xff"
    empty, none = _only_instance(FakeResource("a.b", identity={})), _only_instance("a.b")
    assert (empty["identity"], empty["identity_schema_version"]) == ({}, 0)
    assert not {"identity", "identity_schema_version", "private"} & none.keys()


def test_flat_attributes() -> None:
    instance = _only_instance(FakeResource("a.b", attributes_flat={"tags.%": "1", "tags.Name": "web"}))
    assert "attributes" not in instance
    assert instance["attributes_flat"].pop("id") == _only_instance("a.b")["attributes"]["id"]
    assert instance["attributes_flat"] == {"tags.%": "1", "tags.Name": "web"}
    given = _only_instance(FakeResource("a.b", attributes_flat={"id": "i-1"}))
    assert given["attributes_flat"] == {"id": "i-1"}


def test_outputs() -> None:
    outputs = {"s": "x", "n": 1, "b": False, "l": ["a", 1], "o": FakeOutput({"k": None}, sensitive=True)}
    assert _document(outputs=outputs)["outputs"] == {
        "b": {"value": False, "type": "bool"},
        "l": {"value": ["a", 1], "type": ["tuple", ["string", "number"]]},
        "n": {"value": 1, "type": "number"},
        "o": {"value": {"k": None}, "type": ["object", {"k": "dynamic"}], "sensitive": True},
        "s": {"value": "x", "type": "string"},
    }


def test_the_order_of_resources_makes_no_difference() -> None:
    assert make_state(["a.c", "a.b[10]", "a.b[9]"]) == make_state(["a.b[9]", "a.b[10]", "a.c"])


@each_row(
    ("arguments", "reason"),
    [
        ({"resources": "aws_vpc.main"}, "give a list of addresses"),
        ({"resources": ["aws_vpc"]}, "must include a resource type and name"),
        ({"resources": ["a.b[x]"]}, "a.b"),
        ({"resources": [7]}, "7 is neither an address"),
        ({"resources": ["ephemeral.a.b"]}, "no ephemeral resources"),
        ({"resources": ["a.b", "a.b"]}, "two current objects"),
        ({"resources": [FakeResource("a.b", deposed="7c1f00aa")] * 2}, "two deposed objects 7c1f00aa"),
        ({"resources": [FakeResource("a.b", deposed="7")]}, "exactly 8 bytes"),
        ({"resources": [FakeResource("data.a.b", tainted=True)]}, "neither tainted nor deposed"),
        ({"resources": [FakeResource("a.b", schema_version=-1)]}, "schema_version"),
        ({"resources": [FakeResource("a.b", provider="x y")]}, "x y"),
        ({"resources": [FakeResource("a.b", {"p": 1}, attributes_flat={})]}, "either attributes or attributes_flat"),
        ({"resources": [FakeResource("a.b", attributes_flat={"n": 1})]}, "attributes_flat"),  # type: ignore[dict-item]
        ({"resources": [FakeResource("a.b", identity={"n": {1}})]}, "not a JSON value"),
        ({"resources": [FakeResource("a.b", identity={}, identity_schema_version=-1)]}, "identity_schema_version"),
        ({"resources": [FakeResource("a.b", dependencies=["a.b[0]"])]}, "a.b\\[0\\]"),
        ({"resources": [FakeResource("a.b", sensitive=["p["])]}, "p\\["),
        ({"resources": ["a.b[0]", FakeResource("a.b[1]", provider="x")]}, "one provider configuration"),
        (
            {
                "resources": [
                    FakeResource("a.b", provider='aws.r["x"]'),
                    FakeResource("a.b", provider='aws.r["y"]', deposed="7c1f00aa"),
                ]
            },
            "a.b",
        ),
        ({"resources": {"a.b": {"x": [float("nan")]}}}, r"a\.b: attributes: x\[0\]: nan"),
        ({"resources": {"a.b": {"x": {1: 2}}}}, "the key 1 is not a string"),
        ({"resources": {"a.b": {"x": {1, 2}}}}, "not a JSON value"),
        ({"outputs": {"a b": 1}}, "not a valid name"),
        ({"outputs": {"a": None}}, "no outputs that are null"),
        ({"version": 3}, "format version 3"),
        ({"serial": -1}, "serial -1"),
        ({"terraform_version": "new"}, "'new'"),
        ({"layout": "wide"}, "wide"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_reason(arguments: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        make_state(**arguments)


def test_it_is_read_without_errors_and_canonical(statetool: Statetool, folder: Path) -> None:
    findings = [*statefmt.inspect(_PORTABLE).findings, *statefmt.check(_PORTABLE)]
    assert [finding for finding in findings if finding.severity is statefmt.Severity.ERROR] == []
    (folder / "made.tfstate").write_bytes(_PORTABLE)
    assert statetool("fmt", "--check", "made.tfstate").status == 0
    (folder / "made.tfstate").write_bytes(_PORTABLE.replace(b"  ", b"\t"))
    assert statetool("fmt", "--check", "made.tfstate").status == 1


def test_the_real_program_lists_its_addresses(real: Program, folder: Path) -> None:
    (folder / "made.tfstate").write_bytes(_PORTABLE)
    listed = real.run(folder, "state", "list", "-state=made.tfstate")
    assert (listed.status, listed.out.splitlines()) == (0, _LISTED), listed.err


def test_equal_arguments_give_equal_bytes_in_every_process() -> None:
    script = "import sys; from statefmt.testing import make_state; sys.stdout.buffer.write(make_state(['a.b', 'a.c']))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert run.stdout == make_state(["a.b", "a.c"])


@pytest.mark.parametrize(
    ("use", "loaded"),
    [
        ("import statefmt", []),
        ("import statefmt.testing", ["statefmt.testing"]),
        ("from statefmt.testing import make_state; make_state(['a.b'])", ["msgspec", "statefmt.testing"]),
        ("import statefmt.testing.plugin", ["pytest", "statefmt.testing"]),
    ],
)
def test_pytest_and_hypothesis_are_not_needed(use: str, loaded: list[str]) -> None:
    watched = {"hypothesis", "msgspec", "pytest", "statefmt.testing", "tabulate", "click"}
    script = f"import sys; {use}; print(sorted({watched!r}.intersection(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == f"{loaded}\n"


def test_names() -> None:
    import statefmt.testing as package

    assert {name for name in dir(package) if not hasattr(package, name)} == set()
    assert {"FakeOutput", "FakeResource", "as_state", "assert_same_state", "make_state"} <= set(dir(package))
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = package.nothing_like_it  # type: ignore[attr-defined]  # that it is missing is the point
