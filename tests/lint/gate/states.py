"""Small states for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def resource(name: str, **members: Any) -> dict[str, Any]:
    """A managed resource with one instance; `members` are those of the instance."""
    return {
        "mode": "managed",
        "type": "aws_vpc",
        "name": name,
        "provider": 'provider["registry.opentofu.org/hashicorp/aws"]',
        "instances": [{"schema_version": 0, "attributes": {"id": name}, "sensitive_attributes": [], **members}],
    }


def write_state(path: Path, *resources: dict[str, Any], **envelope: Any) -> Path:
    """Write a state of these resources, in an order and layout that no program uses."""
    document = {
        "version": 4,
        "terraform_version": "1.9.0",
        "serial": 1,
        "lineage": "7d1e6a52-5f0c-4b3e-9a0d-2f6c8e4b1a90",
        "outputs": {},
        "resources": list(resources),
        "check_results": None,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document | envelope, indent=2) + "\n", encoding="utf-8")
    return path
