"""Finds out which places of a state a configuration can name."""

from __future__ import annotations

from statefmt.analysis.diff.model import Movable
from statefmt.model.addrs import AbsResourceInstance, ModuleInstance, ResourceMode
from statefmt.model.addrs.traversal import is_identifier


def is_managed(place: Movable) -> bool:
    """Return whether this is a managed resource or an instance of one."""
    if isinstance(place, ModuleInstance):
        return False
    resource = place.resource.resource if isinstance(place, AbsResourceInstance) else place.resource
    return resource.mode is ResourceMode.MANAGED


def is_writable(place: Movable) -> bool:
    """Return whether all names of a place are valid in configuration."""
    module = place if isinstance(place, ModuleInstance) else place.module
    names = [step.name for step in module.steps]
    if not isinstance(place, ModuleInstance):
        resource = place.resource.resource if isinstance(place, AbsResourceInstance) else place.resource
        names += [resource.type, resource.name]
    return all(map(is_identifier, names))
