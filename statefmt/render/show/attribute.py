"""Renders one value of one resource instance, for `show --attr`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from statefmt.golang import JSONValue, Members
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState, ResourceInstanceObject
from statefmt.redaction.attribute_values import look_up, look_up_flat
from statefmt.redaction.object_value import attributes_value
from statefmt.redaction.partial import Hidden, decoded, parse_path
from statefmt.render.values.exact_json import exact_document, fragment
from statefmt.render.values.hcl import value_text
from statefmt.render.values.raw_value import raw_value

_MOST_NAMED: Final = 3


def attribute_output(
    found: Sequence[InstanceState], path: str, *, raw: bool, as_json: bool, show_sensitive: bool, expand: bool
) -> bytes:
    """Render the value at a path like HCL, as JSON (schema: `show-attr-output.schema.json`), or as it is (`raw`).

    Raises SelectionError unless there is exactly one instance, or if the value is missing or hidden.
    """
    instance = _only(found)
    value = _value(instance, path, show_sensitive)
    if isinstance(value, Hidden):
        raise SelectionError(f"{path} of {instance.addr} is sensitive; use --show-sensitive to show it")
    if raw:
        return raw_value(value, path)
    try:
        if as_json:
            return exact_document({"address": str(instance.addr), "attribute": path, "value": fragment(value)})
        return f"{value_text(value, expand=expand)}\n".encode()
    except (ValueError, RecursionError) as error:
        raise SelectionError(f"{path} of {instance.addr} is nested too deeply to be shown") from error


def _only(found: Sequence[InstanceState]) -> InstanceState:
    if len(found) == 1:
        return found[0]
    if not found:
        raise SelectionError("--attr takes one instance, and none was selected")
    named = "".join(f"\n  {instance.addr}" for instance in found[:_MOST_NAMED])
    more = f"\n  … and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    raise SelectionError(f"--attr takes one instance, and {len(found)} were selected:{named}{more}")


def _object(instance: InstanceState) -> ResourceInstanceObject:
    obj = instance.current
    if obj is None and len(instance.deposed) == 1:
        obj = instance.deposed[0]
    if obj is None:
        raise SelectionError(f"{instance.addr} has no current object, but several deposed ones")
    return obj


def _value(instance: InstanceState, path: str, show_sensitive: bool) -> JSONValue:
    obj = _object(instance)
    attributes = attributes_value(obj, instance.resource.addr.resource.type, show_sensitive=show_sensitive)
    try:
        value = decoded(attributes)
    except ValueError as error:
        raise SelectionError(f"the attributes of {instance.addr} are nested too deeply to be looked into") from error
    if obj.attributes is None and isinstance(value, Members):
        return look_up_flat(value, path)
    return look_up(value, parse_path(path))
