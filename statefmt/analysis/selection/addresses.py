r"""Finds the instances that a selector matches.

A selector is first read as an **address**: of an instance, of a resource (`aws_instance.web`: all its instances) or of
a module (`module.net`: everything in it, and in all its instances if it ends without a key). If it is not an address,
or no instance has it, a selector that contains `*` or `?` is read as a **pattern**:

    pattern  = path ["." resource] | resource
    path     = ("**" | "module." name [key]) {"." path}
    resource = ["data."] name "." name [key]
    key      = "[" number "]" | "[*]" | '["' text '"]'

- In names, numbers and texts, `*` matches any characters and `?` a single one. In a text, `\*` and `\?` are the
  characters themselves, and everything else is escaped as in addresses. A text only matches string keys, a number only
  numeric keys. `[*]` matches any key.
- A name without brackets matches with any key and without one.
- `**` matches any number of modules, including none. A path without a resource matches everything in it.
- The words `module` and `data` must be literal: `*.web` only matches managed resources in the root module.

Since addresses come first, `web["*"]` is the instance with exactly that key if it exists, else all with a string key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import NamedTuple

from statefmt.analysis.selection import suggestion
from statefmt.analysis.selection.patterns import (
    ANY_DEPTH,
    KeyTest,
    PatternStep,
    invalid_address,
    key_test,
    name_test,
    path_fits,
    pattern_steps,
    refuse,
    split_path,
)
from statefmt.golang import nfc
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ModuleInstance,
    Resource,
    ResourceMode,
    StringKey,
)
from statefmt.model.addrs.parsing import parse_abs_resource_instance, parse_module_instance
from statefmt.model.errors import AddressError, InvalidAddressError, NoMatchError, SelectionError
from statefmt.model.snapshot import ResourceState
from statefmt.text import has_wildcards


class _AddressPattern(NamedTuple):
    """The tests of a pattern: of the module, of the resource in it, and of the key of the instance."""

    fits_module: Callable[[ModuleInstance], bool]
    fits_resource: Callable[[Resource], bool]
    fits_key: KeyTest

    def fits(self, addr: AbsResourceInstance) -> bool:
        """Return whether the pattern matches an instance."""
        instance = addr.resource
        return self.fits_resource(instance.resource) and self.fits_key(instance.key) and self.fits_module(addr.module)


class Addresses:
    """The addresses to select from; results are their indexes in the list."""

    def __init__(self, addrs: Sequence[AbsResourceInstance]) -> None:
        self._addrs = addrs
        self._of_keys: dict[str, dict[str, list[int]]] = {}

    def fitting(self, selector: str) -> list[int]:
        """Return the indexes of the addresses that a selector matches, in order.

        Raises InvalidAddressError if it is neither an address nor a pattern, NoMatchError if it matches nothing.
        """
        places = self._exact(selector) or self._read(selector)
        if not places:
            raise NoMatchError(selector, suggestion(selector, self._texts()))
        return places

    def _exact(self, text: str) -> list[int]:
        """Return the indexes for an exact address: of an instance, a resource or a module.

        Uses tables, since a caller may give every address of a state as a selector.
        """
        found = [*self._by_resource.get(text, ()), *(self._by_module.get(text, ()) if _may_be_module(text) else ())]
        for bracket in brackets(text):
            found += self._by_key(text[:bracket]).get(text, ())
        return sorted(found)

    @cached_property
    def _by_resource(self) -> dict[str, list[int]]:
        """The indexes of the instances of each resource."""
        found: dict[str, list[int]] = {}
        last: AbsResourceInstance | None = None
        for place, addr in enumerate(self._addrs):
            # The instances of a resource are adjacent: format its address only once.
            if last is None or addr.resource.resource is not last.resource.resource or addr.module is not last.module:
                last = addr
                of_resource = found.setdefault(str(addr.containing_resource()), [])
            of_resource.append(place)
        return found

    @cached_property
    def _by_module(self) -> dict[str, list[int]]:
        """The indexes of the instances in each module, including nested modules."""
        modules: dict[ModuleInstance, list[int]] = {}
        for place, addr in enumerate(self._addrs):
            modules.setdefault(addr.module, []).append(place)
        found: dict[str, list[int]] = {}
        for module, places in modules.items():
            for text in selecting(module):
                found.setdefault(text, []).extend(places)
        return found

    def _by_key(self, resource: str) -> dict[str, list[int]]:
        """Return the indexes of a resource's instances with keys, by address; empty if the resource does not exist."""
        if resource not in self._of_keys:
            keyed = self._of_keys[resource] = {}
            for place in self._by_resource.get(resource, ()):
                key = self._addrs[place].resource.key
                if key is not NO_KEY:
                    keyed.setdefault(f"{resource}{key}", []).append(place)
        return self._of_keys[resource]

    def _in_other_form(self, text: str) -> list[int]:
        """Return the indexes of the instance whose address is this one after Unicode normalization (NFC).

        Parsing an address normalizes it, as in OpenTofu, but OpenTofu does not normalize the keys in a state. Raises
        SelectionError if several match.
        """
        found = self._by_normal_form.get(text, {})
        if len(found) > 1:
            raise SelectionError(
                f"{text} is ambiguous: it matches {', '.join(map(ascii, found))}, which differ only in Unicode "
                "normalization; give one of them character for character"
            )
        return [place for places in found.values() for place in places]

    @cached_property
    def _by_normal_form(self) -> dict[str, dict[str, list[int]]]:
        """The indexes of instances whose keys are not normalized, by normalized address, then by their own."""
        found: dict[str, dict[str, list[int]]] = {}
        for place, addr in enumerate(self._addrs):
            key = addr.resource.key
            if isinstance(key, StringKey) and nfc(key.value) != key.value:
                text = str(addr)
                found.setdefault(nfc(text), {}).setdefault(text, []).append(place)
        return found

    def _invalid(self, selector: str, error: AddressError) -> InvalidAddressError:
        return invalid_address(selector, error, lambda text: bool(self._exact(text)))

    def _texts(self) -> Iterator[str]:
        """Yield all known addresses."""
        yield from self._by_resource
        yield from self._by_module
        for resource in self._by_resource:
            yield from self._by_key(resource)

    def _read(self, selector: str) -> list[int]:
        """Return the indexes for a selector that is not an exact address: an address in another form, or a pattern."""
        try:
            text = canonical(selector)
            places = self._exact(text) or self._in_other_form(text)
            if places or not has_wildcards(selector):
                return places
        except AddressError as error:
            if not has_wildcards(selector):
                raise self._invalid(selector, error) from error
        try:
            pattern = _address_pattern(selector)
        except AddressError as error:
            raise self._invalid(selector, error) from error
        return [place for place, addr in enumerate(self._addrs) if pattern.fits(addr)]


def _may_be_module(text: str) -> bool:
    """Return whether an address may be the address of a module.

    If it ends without a key, the text after the last `module.` is a name, which has no dots.
    """
    return text.startswith("module.") and (text.endswith("]") or "." not in text.rpartition("module.")[2])


def brackets(text: str) -> Iterator[int]:
    """Yield the positions of opening brackets; the key of an instance may contain some itself."""
    place = text.find("[")
    while place >= 0:
        yield place
        place = text.find("[", place + 1)


def selecting(module: ModuleInstance) -> set[str]:
    """Return the module addresses that include a module instance; one without a key at its end includes all instances.

    Source: OpenTofu `internal/addrs/module_instance.go` (TargetContains).
    """
    texts = set()
    for around, step in zip(module.on_the_way, module.steps, strict=True):
        texts |= {str(around), str(around.parent().child(step.name))}
    return texts


def canonical(selector: str) -> str:
    """Return an address as it is printed. Raises AddressError."""
    try:
        return str(parse_module_instance(selector))
    except AddressError:
        return str(parse_abs_resource_instance(selector))


def _address_pattern(text: str) -> _AddressPattern:
    """Return the tests of a pattern. Raises AddressError."""
    path, rest = split_path(text, pattern_steps(text))
    if not rest and path[-1] is not None:
        path = (*path, None)
    in_path = lru_cache(maxsize=None)(lambda module: path_fits(path, module.steps))
    if not rest:
        return _AddressPattern(in_path, lambda _: True, lambda _: True)
    return _AddressPattern(in_path, *_resource_tests(text, rest))


def _resource_tests(text: str, steps: Sequence[PatternStep]) -> tuple[Callable[[Resource], bool], KeyTest]:
    mode = ResourceMode.DATA if steps[0].name == "data" else ResourceMode.MANAGED
    parts = steps[1:] if mode is ResourceMode.DATA else steps
    if len(parts) < 2:
        refuse(text, steps[0].column, f"A resource needs a type and a name, as in *.*; {ANY_DEPTH} matches everything.")
    if len(parts) > 2:
        refuse(text, parts[2].column, "Nothing can follow a resource; write a module before it as module.NAME.")
    if steps[0].key and mode is ResourceMode.DATA:
        refuse(text, steps[0].key_column, "Only modules and resource names can have keys.")
    if parts[0].key:
        refuse(text, parts[0].key_column, "Only modules and resource names can have keys.")
    fits_type, fits_name = name_test(text, parts[0]), name_test(text, parts[1])

    def fits(resource: Resource) -> bool:
        return resource.mode is mode and fits_type(resource.type) and fits_name(resource.name)

    return fits, key_test(text, parts[1])


class ResourceTable:
    """The addresses of resources, in tables that grow. Removed resources stay in them."""

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
        if any(isinstance(obj.key, StringKey) and nfc(obj.key.value) != obj.key.value for obj in resource.objects):
            self._not_normal[addr] = None

    def matching(self, selector: str) -> dict[AbsResource, None]:
        """Return the resources that a selector may match, with or without instances, and perhaps others.

        Selecting from the instances of these resources has the same result as selecting from all. Empty if the
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
            pattern = _address_pattern(selector)
        except AddressError:
            return {}
        modules = (found for module, found in self._in_module.items() if pattern.fits_module(module))
        return {addr: None for found in modules for addr in found if pattern.fits_resource(addr.resource)}


def _is_in_one_resource(pattern: str) -> bool:
    """Return whether only the key has wildcards, in the root module: elsewhere, names stand for all their keys."""
    resource, bracket, _ = pattern.partition("[")
    return bool(bracket) and not has_wildcards(resource) and not resource.startswith("module.")
