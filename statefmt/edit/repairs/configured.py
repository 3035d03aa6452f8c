"""Looks up the providers of a resource in the configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from statefmt.edit.repairs.loose_state import LooseObject, LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.addrs import AbsProviderInstance, ConfigProviderConfig
from statefmt.model.addrs.parsing import parse_abs_resource
from statefmt.model.errors import AddressError, SurgeryError


def configured(
    state: LooseState, resource: JsonPath, objects: Iterable[LooseObject]
) -> Mapping[JsonPath, AbsProviderInstance]:
    """Return the provider instance that the configuration gives to each object, by the object's path.

    Raises SurgeryError with the reason if it does not determine that of all of them.
    """
    references = state.references
    if references is None:
        raise SurgeryError("no configuration was given")
    try:
        address = parse_abs_resource(state.resource_address(resource))
    except AddressError as error:
        raise SurgeryError(f"{error.text!r} is not an address, so no configuration has it") from error
    if address.config() not in references.blocks:
        raise SurgeryError(f"the configuration does not declare {address}")
    found: dict[JsonPath, AbsProviderInstance] = {}
    for one in objects:
        if one.key is None:
            raise SurgeryError(f"{address} has an instance with an invalid key, which no configuration has")
        instance = address.instance(one.key)
        bound = references.instance_binding(instance)
        if not isinstance(bound, AbsProviderInstance):
            bound = references.destroying(instance)
        if not isinstance(bound, AbsProviderInstance):
            raise SurgeryError(f"the configuration does not determine the provider instance of {instance}")
        found[one.path] = bound
    return found


def configured_config(state: LooseState, resource: JsonPath) -> ConfigProviderConfig | None:
    """Return the provider configuration that the configuration gives to a resource; None if it does not say it."""
    references = state.references
    if references is None:
        return None
    try:
        address = parse_abs_resource(state.resource_address(resource)).config()
    except AddressError:
        return None
    return references.named_config(address) if address in references.blocks else None
