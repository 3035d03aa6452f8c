"""States planted for tests, and their index."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from statefmt import run_context
from statefmt.fleet import IndexOptions, index_states

AWS = 'provider["registry.opentofu.org/hashicorp/aws"]'


def made(
    type_name: str,
    name: str = "x",
    *,
    provider: str = AWS,
    mode: str = "managed",
    hides: Sequence[str] = (),
    deposed: str = "",
    identity: object = None,
    **attributes: Any,
) -> dict[str, Any]:
    """A resource with one object that has these attributes; those in `hides` are sensitive."""
    instance: dict[str, Any] = {
        "schema_version": 0,
        "attributes": attributes,
        "sensitive_attributes": [[{"type": "get_attr", "value": hidden}] for hidden in hides],
    }
    if identity is not None:
        instance |= {"identity_schema_version": 0, "identity": identity}
    if deposed:
        instance["deposed"] = deposed
    return {"mode": mode, "type": type_name, "name": name, "provider": provider, "instances": [instance]}


def reading(name: str, config: Mapping[str, Any], backend: str = "local", outputs: Any = None) -> dict[str, Any]:
    """A `terraform_remote_state` data source."""
    types = dict.fromkeys(config, "string")
    found = outputs or {}
    return made(
        "terraform_remote_state",
        name,
        mode="data",
        provider='provider["terraform.io/builtin/terraform"]',
        backend=backend,
        config={"value": dict(config), "type": ["object", types]},
        outputs={"value": found, "type": ["object", dict.fromkeys(found, "string")]},
        workspace=None,
        defaults=None,
    )


def planted(*resources: dict[str, Any], lineage: str = "a", serial: int = 1, **members: Any) -> dict[str, Any]:
    """A state in version 4."""
    return {
        "version": 4,
        "terraform_version": "1.11.0",
        "serial": serial,
        "lineage": lineage,
        "outputs": {},
        "resources": list(resources),
        **members,
    }


def outputs(**values: str) -> dict[str, Any]:
    """Outputs of type string."""
    return {name: {"value": value, "type": "string"} for name, value in values.items()}


def indexed(folder: Path, states: Mapping[str, object], *, checks: bool = False) -> Path:
    """Write states, or bytes, to `folder` by name, and return their index."""
    for name, state in states.items():
        path = folder / "states" / f"{name}.tfstate"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(state if isinstance(state, bytes) else json.dumps(state, indent=2).encode())
    index = folder / "index.duckdb"
    index_states(run_context(), [str(folder / "states")], index, IndexOptions(checks=checks, workers=1))
    return index


def lineages(*states: Sequence[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """States with these resources, each of a lineage of its own, named a, b, ...."""
    for letter, resources in zip("abcdefgh", states, strict=False):
        yield letter, planted(*resources, lineage=letter)
