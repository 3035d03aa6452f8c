"""The states that are edited here: resources `terraform_data`, which no provider is needed for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

_LINEAGE: Final = "5f0e9a4e-0000-4000-8000-000000000001"
_PROVIDER: Final = 'provider["terraform.io/builtin/terraform"]'


class Said(NamedTuple):
    """What matters of a state here: its serial, and the names of its resources."""

    serial: int
    names: Sequence[str]


def document(names: Iterable[str], serial: int = 1) -> bytes:
    """A state with a resource of each name, as Terraform writes it."""
    said = {
        "version": 4, "terraform_version": "1.11.4", "serial": serial, "lineage": _LINEAGE, "outputs": {},
        "resources": [_resource(name) for name in sorted(names)], "check_results": None,
    }  # fmt: skip
    return json.dumps(said, indent=2).encode() + b"\n"


def said(content: bytes | None) -> Said | None:
    """What a state says; None if there is none. Fails if it is not a whole state."""
    if content is None:
        return None
    read = json.loads(content)
    return Said(read["serial"], sorted(resource["name"] for resource in read["resources"]))


def _resource(name: str) -> dict[str, object]:
    attributes = {"id": name, "input": None, "output": None, "triggers_replace": None}
    instance = {"schema_version": 0, "attributes": attributes, "sensitive_attributes": [], "identity_schema_version": 0}
    head = {"mode": "managed", "type": "terraform_data", "name": name, "provider": _PROVIDER}
    return {**head, "instances": [instance]}
