"""Identifies a file that is given as a plan: a plan in JSON, or what it is instead."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json.syntax import json_problem
from statefmt.lifecycle.plans.errors import NotAPlanError, PlanError
from statefmt.text.pattern import pattern

_ZIP: Final = b"PK\x03\x04"
_BOM: Final = b"\xef\xbb\xbf"
_FORMAT: Final = pattern(r"(\d+)\.(\d+)(?:\.\d+)?")
# The only major version of the format; minor versions add members.
_MAJOR: Final = 1
_CONVERT: Final = "convert it first: tofu show -json PLANFILE > plan.json (or terraform show -json)"
# Members of which every plan in JSON has at least one; OpenTofu and Terraform write the first always.
_PLAN_MEMBERS: Final = ("planned_values", "resource_changes", "output_changes", "configuration")


def check_is_plan(data: bytes) -> None:
    """Raise NotAPlanError or PlanError unless `data` is a JSON object with the members of a plan in format 1.x."""
    if not data.strip():
        raise NotAPlanError("the file is empty")
    if data.startswith(_ZIP):
        raise NotAPlanError(f"this is a plan file in binary form, not JSON; {_CONVERT}")
    if data.startswith(_BOM):
        raise PlanError(
            "the file starts with a byte order mark, which JSON does not allow; save it as UTF-8 without one"
        )
    members = _members(data)
    if not any(name in members for name in _PLAN_MEMBERS):
        raise NotAPlanError(_instead(members))
    version = _text(members.get("format_version"))
    match = _FORMAT.fullmatch(version)
    if not match:
        raise PlanError("the plan has no valid format_version; a plan in JSON has one such as 1.2", "/format_version")
    if int(match[1]) < _MAJOR:
        raise PlanError(
            f"the plan has format version {version}, which only early releases write; "
            "make a plan with Terraform 1.0 or newer, or with OpenTofu", "/format_version"
        )  # fmt: skip
    if int(match[1]) > _MAJOR:
        raise PlanError(
            f"the plan has format version {version}; versions {_MAJOR}.x can be read. A newer statetool may read it",
            "/format_version",
        )


def _members(data: bytes) -> dict[str, Raw]:
    try:
        return msgspec.json.decode(data, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise NotAPlanError("the file contains JSON, but not an object; a plan is an object") from None
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        if _is_log(data):
            raise NotAPlanError(
                "this is the log of plan -json or apply -json, which lists no values; save the plan with "
                f"plan -out=PLANFILE, and {_CONVERT}"
            ) from None
        raise NotAPlanError(f"the file is not JSON: {json_problem(data, error)}") from None


def _is_log(data: bytes) -> bool:
    """Return whether the first line is a message of the machine-readable log."""
    try:
        return "@level" in msgspec.json.decode(data.split(b"\n", 1)[0], type=dict[str, Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _instead(members: dict[str, Raw]) -> str:
    """Say what an object is that lacks all members of a plan."""
    if "encrypted_data" in members or "encryption_version" in members:
        return f"the file is encrypted; if it is a plan file, {_CONVERT}"
    if "lineage" in members or {"serial", "version"} <= members.keys():
        return "this is a state, not a plan; print a plan as JSON with tofu show -json PLANFILE"
    if "provider_schemas" in members:
        return "this is the output of providers schema -json, not a plan"
    if "@level" in members:
        return (
            "this is the log of plan -json or apply -json, which lists no values; save the plan with "
            f"plan -out=PLANFILE, and {_CONVERT}"
        )
    if "values" in members or members.keys() == {"format_version"}:
        return f"this is the output of show -json for a state, not for a plan; name the plan file: {_CONVERT}"
    names = ", ".join(_PLAN_MEMBERS)
    return f"the file has none of the members of a plan in JSON ({names}); if you have a plan file, {_CONVERT}"


def _text(raw: Raw | None) -> str:
    try:
        return "" if raw is None else msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        return ""


def too_deep() -> PlanError:
    """Return the error for a file that nests deeper than Python's recursion limit, about a thousand levels."""
    return PlanError("the file is nested too deeply to be a plan")
