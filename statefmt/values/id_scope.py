"""The attributes within which an `id` is often only a name: objects that differ in one are two, whatever their ids."""

from __future__ import annotations

from typing import Final

SCOPES: Final = (
    "account_id", "application", "arn", "autoscaling_group_name", "bucket", "function_name", "location",
    "log_group_name", "namespace", "project", "region", "rule_set_name", "scalable_dimension", "zone", "zone_id",
)  # fmt: skip
