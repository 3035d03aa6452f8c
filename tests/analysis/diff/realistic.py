"""Snapshots as real configurations leave them, from a seed: modules, keys, dependencies, remote objects with ids."""

from __future__ import annotations

import json
from random import Random

from statefmt.formats.reading import read
from statefmt.model.snapshot import Snapshot

_AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'
_MODULES = ("", "", "module.net", "module.app[0]", "module.app[1]", 'module.site["eu"].module.db')
_KEYS: list[list[object]] = [[0, 1, 2], ["a", "b c", "é"], [None], [0, 1], ["x", "y"]]
_TYPES = ("aws_instance", "aws_vpc", "aws_subnet", "aws_iam_role")


def realistic(seed: int) -> Snapshot:
    """A snapshot of six to fourteen resources, at least one of them keyed by for_each and one by count."""
    random = Random(seed)
    resources: list[dict[str, object]] = []
    known: list[str] = []
    for number in range(random.randint(6, 14)):
        module, kind = random.choice(_MODULES), random.choice(_TYPES)
        name = f"{random.choice(('main', 'web', 'extra'))}{number}"
        keys = _KEYS[number] if number < 2 else random.choice(_KEYS)
        by_region = random.random() < 0.4
        provider = f"{_AWS}.by_region" if by_region else _AWS
        instances = [
            _instance(random, kind, key, known, f'{provider}["{random.choice(("eu", "us"))}"]' if by_region else "")
            for key in keys
        ]
        resource: dict[str, object] = {"mode": "managed", "type": kind, "name": name, "instances": instances}
        resources.append(
            resource | ({} if by_region else {"provider": provider}) | ({"module": module} if module else {})
        )
        static = ".".join(part.partition("[")[0] for part in module.split(".")) if module else ""
        known.append(f"{static}.{kind}.{name}" if static else f"{kind}.{name}")
    document = {
        "version": 4,
        "terraform_version": "1.9.4",
        "serial": 7,
        "lineage": "0b2f",
        "outputs": {},
        "resources": resources,
        "check_results": None,
    }
    return read(json.dumps(document).encode()).snapshot


def _instance(random: Random, kind: str, key: object, known: list[str], provider: str) -> dict[str, object]:
    attributes = {
        "id": f"{kind.removeprefix('aws_')}-{random.getrandbits(48):012x}",
        "name": random.choice(("one", "two")),
        "size": random.randint(1, 99),
        "tags": {"env": random.choice(("prod", "test"))},
        "ports": random.sample(range(80, 90), 3),
    }
    instance: dict[str, object] = {
        "schema_version": 1,
        "attributes": attributes,
        "sensitive_attributes": [],
        "private": "bnVsbA==",
        "dependencies": sorted(random.sample(known, min(len(known), random.randint(0, 3)))),
    }
    if key is not None:
        instance["index_key"] = key
    if provider:
        instance["provider"] = provider
    return instance
