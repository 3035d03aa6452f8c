r"""Which instances one selector fits.

A selector is read as an **address** first: of an instance, of a resource (`aws_instance.web`: all its instances) or of
a module (`module.net`: everything below it, and below all its instances where it ends without a key). Where it is no
address, or no instance has it, a selector with `*` or `?` in it is read as a **pattern**:

    pattern  = path ["." resource] | resource
    path     = ("**" | "module." name [key]) {"." path}
    resource = ["data."] name "." name [key]
    key      = "[" number "]" | "[*]" | '["' text '"]'

- In names, numbers and texts `*` is any text and `?` one character; in a text `\*` and `\?` are the characters
  themselves, and all else is escaped as in addresses. A text is compared with string keys only, a number with numeric
  keys only. `[*]` is any key.
- What has no key in brackets fits with any key, and without.
- `**` is any number of modules, also none. A path without a resource is everything below it.
- The words `module` and `data` are written out: `*.web` is of managed resources in the root module.

Since an address comes first, `web["*"]` is the instance with that very key where there is one, else all with a string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

from statefmt.analysis.selection.nearest import suggestion
from statefmt.analysis.selection.path_pattern import path_fits, split_path
from statefmt.analysis.selection.pattern_scanner import (
    ANY_DEPTH,
    PatternStep,
    key_test,
    name_test,
    pattern_steps,
    refuse,
)
from statefmt.golang.normalize import nfc
from statefmt.model.addrs import (
    NO_KEY,
    AbsResourceInstance,
    ModuleInstance,
    ModuleStep,
    ResourceMode,
    StringKey,
    parse_abs_resource_instance,
    parse_module_instance,
)
from statefmt.model.errors import AddressError, SelectionError
from statefmt.text.wildcards import has_wildcards

_AddressTest: TypeAlias = Callable[[AbsResourceInstance], bool]


class Addresses:
    """The addresses that selectors choose from, by their places in a list."""

    def __init__(self, addrs: Sequence[AbsResourceInstance]) -> None:
        self._addrs = addrs
        self._of_keys: dict[str, dict[str, list[int]]] = {}

    def fitting(self, selector: str) -> list[int]:
        """The places of the addresses that a selector fits, in order.

        Raises SelectionError for one that is no address and no pattern, or fits nothing, with the nearest addresses.
        """
        places = self._exact(selector) or self._read(selector)
        if not places:
            message = f"no resource instance fits {selector!r}"
            raise SelectionError(message + suggestion(selector, self._texts()))
        return places

    def _exact(self, text: str) -> list[int]:
        """The places of all that has just this address: an instance, a resource, or a module.

        They are found in tables, since somebody may well give every address of a state as a selector.
        """
        found = [*self._by_resource.get(text, ()), *self._by_module.get(text, ())]
        for bracket in _brackets(text):
            found += self._by_key(text[:bracket]).get(text, ())
        return sorted(found)

    @cached_property
    def _by_resource(self) -> dict[str, list[int]]:
        """The places of the instances of each resource."""
        found: dict[str, list[int]] = {}
        last: AbsResourceInstance | None = None
        for place, addr in enumerate(self._addrs):
            # Not for each instance of a resource anew: they are neighbours.
            if last is None or addr.resource.resource is not last.resource.resource or addr.module is not last.module:
                last = addr
                of_resource = found.setdefault(str(addr.containing_resource()), [])
            of_resource.append(place)
        return found

    @cached_property
    def _by_module(self) -> dict[str, list[int]]:
        """The places of the instances in each module, and below it."""
        modules: dict[ModuleInstance, list[int]] = {}
        for place, addr in enumerate(self._addrs):
            modules.setdefault(addr.module, []).append(place)
        found: dict[str, list[int]] = {}
        for module, places in modules.items():
            for text in _selecting(module):
                found.setdefault(text, []).extend(places)
        return found

    def _by_key(self, resource: str) -> dict[str, list[int]]:
        """The places of the instances with keys of one resource, if there is one of this address."""
        if resource not in self._of_keys:
            keyed = self._of_keys[resource] = {}
            for place in self._by_resource.get(resource, ()):
                key = self._addrs[place].resource.key
                if key is not NO_KEY:
                    keyed.setdefault(f"{resource}{key}", []).append(place)
        return self._of_keys[resource]

    def _in_other_form(self, text: str) -> list[int]:
        """The places of the instance whose address becomes this one in Unicode normal form C.

        Reading an address normalises it, as in OpenTofu, which takes the keys in a state as they are. Raises
        SelectionError where there are several.
        """
        found = self._by_normal_form.get(text, {})
        if len(found) > 1:
            raise SelectionError(
                f"{text} could be each of {', '.join(map(ascii, found))}, which differ in their Unicode normal form "
                "only; give one of them character for character"
            )
        return [place for places in found.values() for place in places]

    @cached_property
    def _by_normal_form(self) -> dict[str, dict[str, list[int]]]:
        """The places of the instances with keys in another form, by the normalised address, then by their own."""
        found: dict[str, dict[str, list[int]]] = {}
        for place, addr in enumerate(self._addrs):
            key = addr.resource.key
            if isinstance(key, StringKey) and nfc(key.value) != key.value:
                text = str(addr)
                found.setdefault(nfc(text), {}).setdefault(text, []).append(place)
        return found

    def _texts(self) -> Iterator[str]:
        """All addresses that there are."""
        yield from self._by_resource
        yield from self._by_module
        for resource in self._by_resource:
            yield from self._by_key(resource)

    def _read(self, selector: str) -> list[int]:
        """The same for a selector that is not the very text of an address: perhaps one in other words, or a pattern."""
        try:
            text = _canonical(selector)
            places = self._exact(text) or self._in_other_form(text)
            if places or not has_wildcards(selector):
                return places
        except AddressError as error:
            if not has_wildcards(selector):
                raise _no_address(selector, error) from error
        try:
            fits = _pattern(selector)
        except AddressError as error:
            raise _no_address(selector, error) from error
        return [place for place, addr in enumerate(self._addrs) if fits(addr)]


def _brackets(text: str) -> Iterator[int]:
    """Where brackets open in a text; the key of an instance may have some itself."""
    place = text.find("[")
    while place >= 0:
        yield place
        place = text.find("[", place + 1)


def _no_address(selector: str, error: AddressError) -> SelectionError:
    return SelectionError(f"{selector!r} is no address: {error.detail} (column {error.column})")


def _selecting(module: ModuleInstance) -> set[str]:
    """The module addresses that hold a module instance; without a key at its end, one holds all instances.

    Source: OpenTofu `internal/addrs/module_instance.go` (TargetContains).
    """
    texts = set()
    for depth, step in enumerate(module.steps):
        before = module.steps[:depth]
        texts |= {str(ModuleInstance((*before, last))) for last in (step, ModuleStep(step.name))}
    return texts


def _canonical(selector: str) -> str:
    """An address as it is printed. Raises AddressError."""
    try:
        return str(parse_module_instance(selector))
    except AddressError:
        return str(parse_abs_resource_instance(selector))


def _pattern(text: str) -> _AddressTest:
    """The test of a pattern. Raises AddressError."""
    path, rest = split_path(text, pattern_steps(text))
    if not rest and path[-1] is not None:
        path = (*path, None)
    in_path = lru_cache(maxsize=None)(lambda module: path_fits(path, module.steps))
    if not rest:
        return lambda addr: in_path(addr.module)
    fits = _resource_test(text, rest)
    return lambda addr: fits(addr) and in_path(addr.module)


def _resource_test(text: str, steps: Sequence[PatternStep]) -> _AddressTest:
    mode = ResourceMode.DATA if steps[0].name == "data" else ResourceMode.MANAGED
    parts = steps[1:] if mode is ResourceMode.DATA else steps
    if len(parts) < 2:
        refuse(text, steps[0].column, f"A resource has a type and a name, as in *.*; {ANY_DEPTH} is everything.")
    if len(parts) > 2:
        refuse(text, parts[2].column, "Nothing can follow a resource; modules before it are written module.NAME.")
    if steps[0].key and mode is ResourceMode.DATA:
        refuse(text, steps[0].key_column, "Only modules and names of resources have keys.")
    if parts[0].key:
        refuse(text, parts[0].key_column, "Only modules and names of resources have keys.")
    fits_type, fits_name, fits_key = name_test(text, parts[0]), name_test(text, parts[1]), key_test(text, parts[1])

    def fits(addr: AbsResourceInstance) -> bool:
        resource = addr.resource.resource
        of_type = resource.mode is mode and fits_type(resource.type)
        return of_type and fits_name(resource.name) and fits_key(addr.key)

    return fits
