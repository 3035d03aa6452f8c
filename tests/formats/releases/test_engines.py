"""How many resources each engine reads and drops: the facts of `releases.json`, seen with real programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

import statefmt
from statefmt.formats.losses import Cause, engine_readings

_OPENTOFU = 'provider["registry.opentofu.org/hashicorp/aws"]'
_TERRAFORM = 'provider["registry.terraform.io/hashicorp/aws"]'
_TYPE_ONLY = 'provider["registry.opentofu.org/-/aws"]'
_KEY = {"provider": f'{_OPENTOFU}.by_region["eu"]'}


def _resource(name: str, provider: str | None, *instances: dict[str, Any]) -> dict[str, Any]:
    level = {"provider": provider} if provider else {}
    objects = [{"schema_version": 0, "attributes": {}, **instance} for instance in instances or ({},)]
    return {"mode": "managed", "type": "a", "name": name, **level, "instances": objects}


_NONE: dict[Cause, int] = {}
# The resources, what OpenTofu and Terraform drop, and since which release that holds.
CASES = [
    pytest.param([], (_NONE, None), (_NONE, None), id="no resources"),
    pytest.param([_resource("x", _OPENTOFU)], (_NONE, None), (_NONE, "0.13"), id="with a source"),
    pytest.param([_resource("x", _TERRAFORM)], (_NONE, None), (_NONE, "0.13"), id="of the other registry"),
    pytest.param(
        [_resource("x", _TYPE_ONLY), _resource("y", "provider.aws")],
        (_NONE, None),
        ({Cause.LEGACY_PROVIDER: 2}, None),
        id="by type only",
    ),
    pytest.param(
        [_resource("x", None, _KEY), _resource("y", _TYPE_ONLY), _resource("z", _OPENTOFU)],
        (_NONE, "1.9"),
        ({Cause.PROVIDER_KEY: 1, Cause.LEGACY_PROVIDER: 1}, "0.13"),
        id="with a key",
    ),
]


@pytest.mark.parametrize(("resources", "opentofu", "terraform"), CASES)
def test_readers(
    resources: list[dict[str, Any]], opentofu: tuple[object, str | None], terraform: tuple[object, str | None]
) -> None:
    data = json.dumps({"version": 4, "serial": 1, "lineage": "l", "resources": resources}).encode()
    found = engine_readings(statefmt.read(data).snapshot)
    assert [reader.release.engine for reader in found] == ["opentofu", "terraform"]
    told = [(dict(reader.dropped), reader.since.number if reader.since else None) for reader in found]
    assert told == [opentofu, terraform]
