"""Provider sources rewritten in a state: every place that holds one, and nothing else."""

from __future__ import annotations

import json

import pytest

from statefmt.formats.providers import SourceReport, SourceRewriter, source_choice
from statefmt.formats.reading import ReadResult, read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.model.errors import StateError
from tests.tables import each_row

TOFU, TERRAFORM = "registry.opentofu.org", "registry.terraform.io"


def _state(*resources: dict[str, object], **members: object) -> bytes:
    document = {"version": 4, "terraform_version": "1.5.7", "serial": 7, "lineage": "l", "resources": resources}
    return json.dumps({**document, **members}).encode()


def _resource(provider: str | None, *instances: dict[str, object], **members: object) -> dict[str, object]:
    level = {"provider": provider} if provider else {}
    return {"mode": "managed", "type": "t", "name": "n", **level, "instances": list(instances or ({},)), **members}


def _rewritten(data: bytes, host: str, *entries: str) -> tuple[ReadResult, SourceReport]:
    rewriter = SourceRewriter(source_choice(host, entries))
    return read(data, rewriter.document), rewriter.report


def _address(source: str, rest: str = "") -> str:
    return f'provider["{source}"]{rest}'


# The provider of a resource before, the registry and the map, and the provider after.
RESOURCE_LEVEL = [
    (_address("registry.terraform.io/hashicorp/aws"), TOFU, "", _address("registry.opentofu.org/hashicorp/aws")),
    (
        f"module.a.module.b.{_address('registry.terraform.io/acme/x', '.west')}", TOFU, "",
        f"module.a.module.b.{_address('registry.opentofu.org/acme/x', '.west')}",
    ),
    (_address("hashicorp/aws"), TERRAFORM, "", _address("registry.terraform.io/hashicorp/aws")),
    (_address("tf.example.com/a/b"), TOFU, "", _address("tf.example.com/a/b")),
    (_address("terraform.io/builtin/terraform"), TOFU, "", _address("terraform.io/builtin/terraform")),
    ("provider.terraform", TOFU, "", _address("terraform.io/builtin/terraform")),
    ("provider.aws", TOFU, "", _address("registry.opentofu.org/hashicorp/aws")),
    ("provider.aws.west", TERRAFORM, "", _address("registry.terraform.io/hashicorp/aws", ".west")),
    ("module.m.provider.aws", TERRAFORM, "", f"module.m.{_address('registry.terraform.io/hashicorp/aws')}"),
    (_address("registry.terraform.io/-/aws"), TERRAFORM, "", _address("registry.terraform.io/hashicorp/aws")),
    (_address("registry.terraform.io/-/aws", ".w"), TOFU, "", _address("registry.opentofu.org/hashicorp/aws", ".w")),
    (_address("registry.opentofu.org/-/foo"), TOFU, "foo=acme/foo", _address("registry.opentofu.org/acme/foo")),
    ("provider.my_cloud", TOFU, "my_cloud=acme/my-cloud", _address("registry.opentofu.org/acme/my-cloud")),
    (_address("registry.terraform.io/-/foo"), TOFU, "", _address("registry.opentofu.org/-/foo")),
    (_address("registry.opentofu.org/-/foo"), TERRAFORM, "", _address("registry.opentofu.org/-/foo")),
]  # fmt: skip


@each_row(("before", "host", "entry", "after"), RESOURCE_LEVEL)
def test_resource_level(before: str, host: str, entry: str, after: str) -> None:
    result, _ = _rewritten(_state(_resource(before)), host, *([entry] if entry else []))
    (resource,) = result.snapshot.resources
    assert str(resource.provider_config) == after


def test_instance_level_and_deposed_objects() -> None:
    old = _address("registry.terraform.io/hashicorp/aws", ".r")
    objects: list[dict[str, object]] = [
        {"index_key": "a", "provider": f'{old}["us"]'},
        {"index_key": "a", "deposed": "0badc0de", "provider": f'{old}["us"]'},
        {"index_key": "b", "provider": f'{old}["eu"]'},
    ]
    result, report = _rewritten(_state(_resource(None, *objects)), TOFU)
    written = json.loads(canonical(result.snapshot))["resources"][0]
    new = _address("registry.opentofu.org/hashicorp/aws", ".r")
    assert "provider" not in written
    assert [obj["provider"] for obj in written["instances"]] == [f'{new}["us"]', f'{new}["us"]', f'{new}["eu"]']
    assert report.changes == {("registry.terraform.io/hashicorp/aws", "registry.opentofu.org/hashicorp/aws"): 3}


def test_unknown_members_everywhere() -> None:
    """Whole strings that are addresses, in today's form, as values and as names; no others."""
    old, new = (_address(f"{host}/hashicorp/aws", ".r") for host in (TERRAFORM, TOFU))

    def member(address: str) -> dict[str, object]:
        return {
            "whole": address, "keyed": f'module.m.{address}["a"]', "deep": [{"x": [1.50, address]}], address: 1,
            "part": f"see {old}", "host": TERRAFORM, "source": "registry.terraform.io/hashicorp/aws",
        }  # fmt: skip

    def state(address: str) -> bytes:
        return _state(
            _resource(_address("tf.example.com/a/b"), {"new": member(address)}, new=member(address)),
            outputs={"o": {"value": 1, "type": "number", "new": member(address)}},
            check_results=[
                {
                    "object_kind": "provider", "config_addr": address, "status": "pass", "new": member(address),
                    "objects": [{"object_addr": f'{address}["a"]', "status": "pass", "new": member(address)}],
                }
            ],
            new=member(address),
        )  # fmt: skip

    result, report = _rewritten(state(old), TOFU)
    assert canonical(result.snapshot, keep_unknown=True) == canonical(read(state(new)).snapshot, keep_unknown=True)
    assert sum(report.changes.values()) == 6 * 4 + 2


def test_members_that_would_get_one_name() -> None:
    both = {_address(f"{host}/hashicorp/aws"): host for host in (TERRAFORM, TOFU)}
    with pytest.raises(StateError, match="two of its members would have the same name"):
        _rewritten(_state(_resource("provider.aws"), new={"uses": both}), TOFU)


def test_attributes_and_outputs_keep_their_text() -> None:
    text = '"provider[\\"registry.terraform.io/hashicorp/aws\\"]"'
    data = _state(_resource(_address("registry.terraform.io/hashicorp/aws")), outputs={"o": {}}).decode()
    data = data.replace(
        "{}]", f'{{"attributes": {{"a": {text}, "n": 1.0e2, "a": {text}}}, "private": "cHJvdmlkZXI="}}]'
    )
    data = data.replace('"o": {}', f'"o": {{"value": {text}, "type": "string"}}')
    result, report = _rewritten(data.encode(), TOFU)
    (obj,) = result.snapshot.resources[0].objects
    assert bytes(obj.attributes or b"").decode() == f'{{"a": {text}, "n": 1.0e2, "a": {text}}}'
    assert result.snapshot.outputs[0].value.decode() == text
    assert sum(report.changes.values()) == 1


def test_instances_from_both_registries_become_one_configuration() -> None:
    """A state that OpenTofu and statetool refuse, since the two are different providers to them."""
    objects: list[dict[str, object]] = [
        {"index_key": number, "provider": _address(f"{host}/hashicorp/aws")}
        for number, host in enumerate((TERRAFORM, TOFU))
    ]
    data = _state(_resource(None, *objects))
    with pytest.raises(StateError):
        read(data)
    result, _ = _rewritten(data, TERRAFORM)
    assert str(result.snapshot.resources[0].provider_config) == _address("registry.terraform.io/hashicorp/aws")


def test_other_conflicts_stay() -> None:
    objects: list[dict[str, object]] = [
        {"index_key": number, "provider": _address(f"{TERRAFORM}/hashicorp/{type_}")}
        for number, type_ in enumerate(("aws", "awscc"))
    ]
    with pytest.raises(StateError, match="Provider instance field conflict"):
        _rewritten(_state(_resource(None, *objects)), TOFU)


# A provider, the registry, and what is told of it: rewritten, not known, met in the state.
REPORTS = [
    ("provider.foo", TOFU, {}, {"foo": 1}, {"foo"}),
    ("provider.aws", TOFU, {("registry.opentofu.org/-/aws", "registry.opentofu.org/hashicorp/aws"): 1}, {}, {"aws"}),
    (
        _address("registry.terraform.io/-/foo"), TOFU,
        {("registry.terraform.io/-/foo", "registry.opentofu.org/-/foo"): 1}, {"foo": 1}, {"foo"},
    ),
    (_address("tf.example.com/a/b"), TOFU, {}, {}, set()),
    ("provider.terraform", TOFU, {}, {}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "host", "changes", "unresolved", "used"), REPORTS)
def test_report(
    provider: str, host: str, changes: dict[tuple[str, str], int], unresolved: dict[str, int], used: set[str]
) -> None:
    report = _rewritten(_state(_resource(provider)), host)[1]
    assert (report.changes, report.unresolved, report.used) == (changes, unresolved, used)
    assert report.changed is bool(changes)


def test_nothing_to_rewrite_keeps_the_bytes() -> None:
    data = _state(_resource(_address("registry.opentofu.org/hashicorp/aws")))
    assert write(_rewritten(data, TOFU)[0].snapshot, canonical=False) == data


def test_a_rewritten_state_is_not_written_with_the_bytes_it_had() -> None:
    result = _rewritten(_state(_resource(_address("registry.terraform.io/hashicorp/aws"))), TOFU)[0]
    assert TERRAFORM.encode() not in write(result.snapshot, canonical=False)


def test_version_3() -> None:
    given = {"type": "t", "primary": {"id": "1"}, "provider": "module.m.provider.aws.west"}
    modules = [{"path": ["root", "m"], "resources": {"t.n": given}}]
    data = json.dumps({"version": 3, "serial": 1, "modules": modules}).encode()
    (resource,) = _rewritten(data, TERRAFORM)[0].snapshot.resources
    assert str(resource.provider_config) == f"module.m.{_address('registry.terraform.io/hashicorp/aws', '.west')}"
