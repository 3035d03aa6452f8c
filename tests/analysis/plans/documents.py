"""Plans in JSON, as short as a test can say them."""

from __future__ import annotations

import json
from typing import Any, Final

AWS: Final = "registry.opentofu.org/hashicorp/aws"
BY_REGION: Final = f'provider["{AWS}"].by_region'


def change(address: str, *actions: str, **members: Any) -> dict[str, Any]:
    """A resource change; `before` and `after` are small objects unless `change` gives others."""
    path, _, rest = address.rpartition("aws_vpc.")
    name, _, key = rest.partition("[")
    found: dict[str, Any] = {"address": address, "mode": "data" if path.endswith("data.") else "managed"}
    module = path.removesuffix("data.").rstrip(".")
    found |= {"module_address": module} if module else {}
    found |= {"type": "aws_vpc", "name": name}
    found |= {"index": json.loads(key.removesuffix("]"))} if key else {}
    before = None if actions == ("create",) else {"id": "vpc-1"}
    after = None if actions in (("delete",), ("forget",)) else {"id": "vpc-1"}
    inner = {"actions": list(actions), "before": before, "after": after, "after_unknown": {}}
    inner |= {"before_sensitive": {}, "after_sensitive": {}, **members.pop("change", {})}
    return {**found, "provider_name": AWS, "change": inner, **members}


def prior(address: str, **members: Any) -> dict[str, Any]:
    """An object in `prior_state`."""
    found = change(address, "no-op")
    del found["change"]
    return {**found, "schema_version": 0, "values": {"id": "vpc-1"}, "sensitive_values": {}, **members}


def plan(*changes: dict[str, Any], objects: tuple[dict[str, Any], ...] = (), **members: Any) -> bytes:
    """A plan of these changes; `objects` are those of the root module in `prior_state`."""
    document: dict[str, Any] = {"format_version": "1.2", "terraform_version": "1.10.6"}
    document |= {"planned_values": {"root_module": {}}, "resource_changes": list(changes)}
    if objects:
        document["prior_state"] = {"format_version": "1.0", "values": {"root_module": {"resources": list(objects)}}}
    return json.dumps({**document, **members}).encode()


def state(*objects: tuple[str, str | None], deposed: tuple[str, str] | None = None, **members: Any) -> bytes:
    """A state of `aws_vpc` resources of the root module: addresses, and the keys of their provider instances."""
    resources: dict[str, dict[str, Any]] = {}
    every: list[tuple[str, str | None, dict[str, Any]]] = [*((address, key, {}) for address, key in objects)]
    if deposed is not None:
        every.append((deposed[0], deposed[1], {"deposed": "00c0ffee"}))
    for address, key, more in every:
        rest = address.removeprefix("data.").removeprefix("aws_vpc.")
        name, _, index = rest.partition("[")
        mode = "data" if address.startswith("data.") else "managed"
        resource = resources.setdefault(
            address.partition("[")[0], {"mode": mode, "type": "aws_vpc", "name": name, "instances": []}
        )
        instance = {"index_key": json.loads(index.removesuffix("]"))} if index else {}
        provider = f'provider["{AWS}"]' if key is None else f'{BY_REGION}["{key}"]'
        instance |= {"provider": provider} if key is not None else {}
        resource |= {"provider": provider} if key is None else {}
        instance |= {"schema_version": 0, "attributes": {"id": "vpc-1"}, "sensitive_attributes": [], **more}
        resource["instances"].append(instance)
    document = {"version": 4, "terraform_version": "1.10.6", "serial": 1, "lineage": "l", "outputs": {}}
    return json.dumps({**document, "resources": list(resources.values()), "check_results": None, **members}).encode()
