"""Finds the resources that a selector may match, in a state that changes; few enough to select among them alone."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from statefmt.analysis.selection._address import address_pattern, brackets, canonical, selecting
from statefmt.golang.normalize import nfc
from statefmt.model.addrs import AbsResource, ModuleInstance, StringKey
from statefmt.model.errors import AddressError
from statefmt.model.resources import ResourceState
from statefmt.text.wildcards import has_wildcards


class ResourceTable:
    """The addresses of resources, in tables that grow. What is removed from the state stays in them."""

    def __init__(self, resources: Iterable[ResourceState]) -> None:
        self._by_text: dict[str, AbsResource] = {}
        self._in_module: dict[ModuleInstance, dict[AbsResource, None]] = {}
        self._modules: dict[str, list[ModuleInstance]] = {}
        # Resources that a selector in another Unicode normal form may match.
        self._not_normal: dict[AbsResource, None] = {}
        for resource in resources:
            self.add(resource)

    def add(self, resource: ResourceState) -> None:
        """Add a resource, perhaps again with other instances."""
        addr = resource.addr
        module = self._in_module.get(addr.module)
        if module is None:
            module = self._in_module[addr.module] = {}
            for text in selecting(addr.module):
                self._modules.setdefault(text, []).append(addr.module)
        if addr not in module:
            module[addr] = None
            self._by_text[str(addr)] = addr
        if any(_is_not_normal(obj.key) for obj in resource.objects):
            self._not_normal[addr] = None

    def matching(self, selector: str) -> dict[AbsResource, None]:
        """Return the resources that a selector may match, with or without instances, and perhaps others.

        To select from the instances of these resources has the same result as to select from all. Empty if the
        selector is invalid.
        """
        found = dict(self._not_normal)
        texts = {selector: None}
        with suppress(AddressError):
            texts[canonical(selector)] = None
        for text in texts:
            for end in (len(text), *brackets(text)):
                addr = self._by_text.get(text[:end])
                if addr is not None:
                    found[addr] = None
            found |= self.in_module(text)
        if has_wildcards(selector) and not _is_in_one_resource(selector):
            found |= self._by_pattern(selector)
        return found

    def in_module(self, module: str) -> dict[AbsResource, None]:
        """Return the resources in a module and below it; in all its instances if the address ends without a key."""
        return {addr: None for one in self._modules.get(module, ()) for addr in self._in_module[one]}

    def _by_pattern(self, selector: str) -> dict[AbsResource, None]:
        try:
            pattern = address_pattern(selector)
        except AddressError:
            return {}
        modules = (found for module, found in self._in_module.items() if pattern.fits_module(module))
        return {addr: None for found in modules for addr in found if pattern.fits_resource(addr.resource)}


def _is_in_one_resource(pattern: str) -> bool:
    """Return whether only the key has wildcards, in the root module: elsewhere, names stand for all their keys."""
    resource, bracket, _ = pattern.partition("[")
    return bool(bracket) and not has_wildcards(resource) and not resource.startswith("module.")


def _is_not_normal(key: object) -> bool:
    return isinstance(key, StringKey) and nfc(key.value) != key.value
