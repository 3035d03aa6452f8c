"""Which edits need no look at the rest of the state: those that leave every remote object what it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from msgspec import Raw
from msgspec.structs import replace

from statefmt.edit.operations.instances import rm
from statefmt.edit.operations.mv import mv
from statefmt.formats.reading import read
from statefmt.formats.writing.write import write
from statefmt.lint.check import check
from statefmt.lint.edited_part import edited_part
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance
from statefmt.model.snapshot import ResourceState, Snapshot
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.generated_edits import OPERATIONS
from tests.tables import each_row

PROVIDER = 'provider["registry.opentofu.org/hashicorp/aws"]'


def _resource(name: str, *ids: str) -> dict[str, Any]:
    instances = [{"schema_version": 0, "index_key": key, "attributes": {"id": id_}} for key, id_ in enumerate(ids)]
    return {"mode": "managed", "type": "aws_vpc", "name": name, "provider": PROVIDER, "instances": instances}


STATE = read(
    json.dumps(
        {
            "version": 4,
            "serial": 1,
            "resources": [_resource("a", "v1", "v2"), _resource("b", "v3"), _resource("c", "v4")],
        }
    ).encode()
).snapshot

A0, B0 = parse_abs_resource_instance("aws_vpc.a[0]"), parse_abs_resource_instance("aws_vpc.b[0]")


def _moved(one: str, other: str) -> Snapshot:
    return mv(STATE, {parse_abs_resource_instance(one): parse_abs_resource_instance(other)}).snapshot


def _with_first(change: Callable[[ResourceState], ResourceState]) -> Snapshot:
    return replace(STATE, resources=(change(STATE.resources[0]), *STATE.resources[1:]))


def _first_object(**members: Any) -> Snapshot:
    return _with_first(
        lambda resource: replace(resource, objects=(replace(resource.objects[0], **members), *resource.objects[1:]))
    )


@each_row(
    ("after", "part"),
    [
        pytest.param(STATE, [], id="nothing"),
        pytest.param(replace(STATE, serial=2), [], id="the serial"),
        pytest.param(rm(STATE, [A0]).snapshot, ["aws_vpc.a"], id="an instance gone"),
        pytest.param(rm(STATE, [B0]).snapshot, [], id="a resource gone"),
        pytest.param(_moved("aws_vpc.a[0]", "aws_vpc.d"), ["aws_vpc.a", "aws_vpc.d"], id="an instance moved"),
        pytest.param(_moved("aws_vpc.b[0]", "module.m.aws_vpc.b"), ["module.m.aws_vpc.b"], id="a resource moved"),
        pytest.param(_first_object(schema_version=7), ["aws_vpc.a"], id="another member"),
        pytest.param(_first_object(attributes=Raw(b'{"id":"v3"}')), None, id="another id"),
        pytest.param(_first_object(provider_key=StringKey("eu")), None, id="another provider instance"),
        pytest.param(_first_object(identity=Raw(b"{}")), None, id="another identity"),
        pytest.param(_first_object(deposed="00000001"), None, id="not current any more"),
        pytest.param(_first_object(origin=None), None, id="an object from elsewhere"),
        pytest.param(
            _with_first(lambda one: replace(one, objects=(*one.objects, replace(one.objects[0], key=IntKey(9))))),
            None,
            id="an object twice",
        ),
        pytest.param(
            _with_first(lambda one: replace(one, addr=parse_abs_resource("aws_vpc.b"))), None, id="an address twice"
        ),
        pytest.param(
            _with_first(lambda one: replace(one, addr=parse_abs_resource("aws_subnet.a"))), None, id="another type"
        ),
    ],
)
def test_part(after: Snapshot, part: list[str] | None) -> None:
    found = edited_part(STATE, after)
    assert part == (sorted(str(resource.addr) for resource in found.after.resources) if found.alone else None)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_part_without_errors_is_of_a_state_without_new_ones(operation: str) -> None:
    parts = 0
    for seed in range(25):
        before = realistic(seed)
        edit = OPERATIONS[operation](Random(f"{operation} {seed}"), before).edit
        part = edited_part(before, edit.snapshot)
        if not part.alone or _errors(part.after):
            continue
        parts += 1
        assert len(_errors(edit.snapshot)) <= len(_errors(before)), (operation, seed)
    # Other providers are looked at whole.
    assert parts or operation not in ("mv", "rm", "rekey"), operation


def _errors(snapshot: Snapshot) -> list[str]:
    return [finding.code for finding in check(write(snapshot, canonical=False)) if finding.severity.value == "error"]
