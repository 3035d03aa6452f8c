"""Small states for tests of fleets, and what an index of them says."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from statefmt import run_context
from statefmt.fleet import IndexOptions, IndexRun, index_states, query

PROVIDER: Final = 'provider["registry.opentofu.org/hashicorp/aws"]'


def vpc(name: str, attributes: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """Return a resource with one instance."""
    found = {"id": f"vpc-{name}", "region": "eu-west-1", **(attributes or {})}
    return {
        "mode": "managed",
        "type": "aws_vpc",
        "name": name,
        "provider": PROVIDER,
        "instances": [{"schema_version": 1, "attributes": found, **more}],
    }


def written(path: Path, serial: int, *resources: Mapping[str, Any], **members: Any) -> Path:
    """Write a state of resources; `members` are others of the document."""
    document = {"version": 4, "terraform_version": "1.9.0", "serial": serial, "lineage": path.stem, "outputs": {}}
    path.write_text(json.dumps({**document, **members, "resources": resources}, indent=2))
    return path


def indexed(folder: Path, *, checks: bool = True, sources: Sequence[Path] = ()) -> IndexRun:
    """Index the folder `states`, or other sources, into `index`, both in a folder."""
    options = IndexOptions(checks=checks, workers=1)
    return index_states(run_context(), [*map(str, sources)] or [str(folder / "states")], folder / "index", options)


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    """Query the index in a folder."""
    return [tuple(row) for row in query(folder / "index", sql).rows]
