"""Says in words why a plan takes an action.

Source: OpenTofu `internal/command/jsonformat/plan.go` (resourceChangeComment), `internal/command/jsonplan/plan.go`.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from statefmt.analysis.plans.values import replacing_paths
from statefmt.lifecycle.plans.plan import PlannedChange
from statefmt.model.addrs import NO_KEY, IntKey

_FIXED: Final = MappingProxyType({
    "replace_because_tainted": "it is tainted",
    "replace_by_request": "replacement was requested",
    "replace_by_triggers": "of changes in replace_triggered_by",
    "delete_because_enabled_false": "enabled is false",
    "read_because_config_unknown": "the configuration refers to values not yet known",
    "read_because_dependency_pending": "it depends on a resource or a module with changes pending",
    "read_because_check_nested": "it is read again to verify a check block",
    "forgot_because_lifecycle_destroy_in_state": "the state has lifecycle.destroy = false for it",
    "forgot_because_lifecycle_destroy_in_config": "the configuration has lifecycle.destroy = false for it",
})  # fmt: skip


def reason_text(change: PlannedChange, *, show_sensitive: bool = False) -> str:
    """Return what completes "because …"; "" if the plan gives no reason. A reason not known is returned as it is."""
    address = change.address
    found = _FIXED.get(change.reason)
    if found is not None:
        return found
    if change.reason == "replace_because_cannot_update":
        paths = replacing_paths(change.change, show_sensitive=show_sensitive)
        if not paths:
            return "it cannot be updated in place"
        return f"{' and '.join(paths)} cannot be updated in place"
    if change.reason == "delete_because_no_resource_config":
        return f"{address.resource.resource} is not in the configuration"
    if change.reason == "delete_because_no_move_target":
        return f"it was moved to {address}, which is not in the configuration"
    if change.reason == "delete_because_no_module":
        return f"{address.module} is not in the configuration"
    if change.reason == "delete_because_wrong_repetition":
        if address.key is NO_KEY:
            return "the resource now has count or for_each"
        return f"the resource has no {'count' if isinstance(address.key, IntKey) else 'for_each'} any more"
    if change.reason == "delete_because_count_index":
        return f"index {address.key} is out of range for count"
    if change.reason == "delete_because_each_key":
        return f"key {address.key} is not in for_each"
    if not change.reason and change.deposed:
        return "it is left over from a replacement that failed in part"
    return change.reason
