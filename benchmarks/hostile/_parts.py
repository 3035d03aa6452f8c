"""The parts of hostile states, in the compact layout."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Final, TypeAlias

import orjson

Hostile: TypeAlias = Callable[[int], bytes]

AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def as_json(tree: object) -> str:
    return orjson.dumps(tree).decode()


def many(size: int, piece: Callable[[int], str]) -> str:
    """Pieces with numbers, with commas between, until they have so many bytes."""
    pieces: list[str] = []
    written = 0
    for number in count():
        pieces.append(piece(number))
        written += len(pieces[-1]) + 1
        if written >= size:
            return ",".join(pieces)
    raise AssertionError


def state(resources: str = "", outputs: str = "", checks: str = "", more: str = "") -> bytes:
    head = '"version":4,"terraform_version":"1.12.0","serial":3,"lineage":"3f1c2a77-6b0e-4f2b-8c55-0e4d6f7a8b9c"'
    checked = f"[{checks}]" if checks else "null"
    return f'{{{head},"outputs":{{{outputs}}},"resources":[{resources}],"check_results":{checked}{more}}}\n'.encode()


def resource(instances: str, name: str = "a", *, module: str = "", provider: str = AWS, type_: str = "t") -> str:
    head = {"module": module, "mode": "managed", "type": type_, "name": name, "provider": provider}
    text = as_json({member: value for member, value in head.items() if value})
    return f'{text[:-1]},"instances":[{instances}]}}'


def instance(attributes: str = '{"size":"x"}', more: str = "", **members: Any) -> str:
    text = as_json({"schema_version": 0, **members})
    return f'{text[:-1]},"attributes":{attributes}{more}}}'


def keyed(key: int | str, **members: Any) -> str:
    return instance(f'{{"id":{as_json(f"i-{key}")},"size":"x"}}', index_key=key, **members)
