"""Small states to hold rules against, as documents of format 4."""

from __future__ import annotations

import json
from typing import Any, Final

AWS: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'
R: Final = f"{AWS}.r"
R_X: Final = f'{R}["x"]'
R_Y: Final = f'{R}["y"]'


def text(document: dict[str, Any] | bytes) -> bytes:
    """The text of a document; its version is 4 unless it says another."""
    return document if isinstance(document, bytes) else json.dumps({"version": 4} | document).encode()


def resource(*instances: Any, provider: str | None = AWS, **members: Any) -> dict[str, Any]:
    """One entry of `resources`: a.b, with some instances."""
    level = {} if provider is None else {"provider": provider}
    return {"mode": "managed", "type": "a", "name": "b", **level, **members, "instances": list(instances)}


def bare(*instances: Any, **members: Any) -> dict[str, Any]:
    """The same without a provider at the resource level."""
    return resource(*instances, provider=None, **members)


def state(*resources: dict[str, Any]) -> dict[str, Any]:
    """A state with some resources."""
    return {"resources": list(resources)}


def one(**members: Any) -> dict[str, Any]:
    """A state with one resource, a.b, that has one instance with some members."""
    return state(resource(members))


def output(value: Any, type_: Any) -> dict[str, Any]:
    """A state with one output, o."""
    return {"outputs": {"o": {"value": value, "type": type_}}}


def checks(kind: str, addr: str, *objects: str) -> dict[str, Any]:
    """A state with one check result."""
    given = [{"object_addr": checked, "status": "pass"} for checked in objects]
    return {"check_results": [{"object_kind": kind, "config_addr": addr, "status": "pass", "objects": given}]}


def v3(resources: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A state of format 3 with some resources in its root module."""
    return {"version": 3, "modules": [{"path": ["root"], "resources": resources}], **members}


CANONICAL: Final = b"""{
  "version": 4,
  "terraform_version": "1.9.0",
  "serial": 1,
  "lineage": "3f1c2a77",
  "outputs": {},
  "resources": [],
  "check_results": null
}
"""
