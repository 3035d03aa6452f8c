"""Reads a state that may not be loadable as a document: blocks, objects and providers, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from statefmt.formats.raw_json import Container, container_at, token, value_at
from statefmt.formats.versions.structure import repeated_instances
from statefmt.formats.writing.changes import JsonPath, NamedItems
from statefmt.golang import fold_name, int_of_number, loads_exact
from statefmt.model.addrs import NO_KEY, AbsProviderInstance, ConfigProviderConfig, InstanceKey, IntKey, StringKey
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.errors import AddressError
from statefmt.model.provider_binding import Unreadable, read_config, read_instance
from statefmt.pieces import Span

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.configuration.provider_instances import ProviderReferences


class LooseDocument:
    """The parts of a JSON text by path; each object and array is split on first use."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._repeated: dict[JsonPath, frozenset[str]] = {}
        self._once_only: dict[tuple[JsonPath, bool], bytes] = {}
        self._spans: dict[JsonPath, Span | None] = {(): value_at(data)}
        self._containers: dict[JsonPath, Container | None] = {}
        self._names: dict[JsonPath, NamedItems] = {}

    def raw(self, path: JsonPath) -> bytes | None:
        """Return the text of a part; None if it does not exist."""
        span = self._span(path)
        return None if span is None else self.data[span.start : span.end]

    def string(self, path: JsonPath) -> str:
        """Return a string; "" if the part is missing or not a string."""
        raw = self.raw(path) or b""
        return str(loads_exact(raw, replace_invalid=True)) if raw.startswith(b'"') else ""

    def is_array(self, path: JsonPath) -> bool:
        """Return whether a part is an array."""
        span = self._span(path)
        return span is not None and self.data[span.start : span.start + 1] == b"["

    def parts(self, path: JsonPath) -> Iterator[JsonPath]:
        """Yield the paths of the elements of an array; nothing if it is not an array."""
        container = self._container(path) if self.is_array(path) else None
        if container is not None:
            for number in range(len(container.items)):
                yield (*path, str(number))

    def names(self, path: JsonPath) -> list[str]:
        """Return the names of the members of an object; none if it does not exist."""
        container = self._container(path)
        return [] if container is None else [item.name for item in container.items]

    def repeated(self, path: JsonPath) -> JsonPath | None:
        """Return the first part on a path whose name repeats in its object."""
        for length in range(1, len(path) + 1):
            parent, name = path[: length - 1], path[length - 1]
            if (name if _is_map(parent) else fold_name(name)) in self._repeated_names(parent):
                return path[:length]
        return None

    def once_only(self, path: JsonPath, *, last: bool) -> bytes:
        """Return the text of an object with only the last, or the first, of the members with one name."""
        if (path, last) not in self._once_only:
            self._once_only[path, last] = self._without_repeated(path, last)
        return self._once_only[path, last]

    def _without_repeated(self, path: JsonPath, last: bool) -> bytes:
        container = self._container(path)
        assert container is not None
        names = [item.name if _is_map(path) else fold_name(item.name) for item in container.items]
        numbers = range(len(names))
        kept = {names[number]: number for number in (numbers if last else reversed(numbers))}
        pieces = [b"{"]
        for number in sorted(kept.values()):
            item = container.items[number]
            before = item.before if len(pieces) > 1 else container.items[0].before
            pieces += [self.data[before.start : before.end], self.data[item.whole.start : item.whole.end]]
        return b"".join([*pieces, self.data[container.after.start : container.after.end], b"}"])

    def _repeated_names(self, path: JsonPath) -> frozenset[str]:
        if path not in self._repeated:
            span = self._span(path)
            is_object = span is not None and self.data[span.start : span.start + 1] == b"{"
            names = self.names(path) if is_object else ()
            found = Counter(name if _is_map(path) else fold_name(name) for name in names)
            self._repeated[path] = frozenset(name for name, number in found.items() if number > 1)
        return self._repeated[path]

    def _span(self, path: JsonPath) -> Span | None:
        if path not in self._spans:
            self._spans[path] = self._find(path)
        return self._spans[path]

    def _find(self, path: JsonPath) -> Span | None:
        container = self._container(path[:-1])
        if container is None:
            return None
        name = path[-1]
        if self.data[container.span.start : container.span.start + 1] == b"{":
            if path[:-1] not in self._names:
                self._names[path[:-1]] = NamedItems(container)
            item = self._names[path[:-1]].find(name)
            return None if item is None else item.value
        if not name.isdecimal() or int(name) >= len(container.items):
            return None
        return container.items[int(name)].value

    def _container(self, path: JsonPath) -> Container | None:
        if path not in self._containers:
            span = self._span(path)
            opens = b"" if span is None else self.data[span.start : span.start + 1]
            is_container = span is not None and opens in (b"{", b"[")
            self._containers[path] = container_at(self.data, span.start, span.end) if span and is_container else None
        return self._containers[path]


def _is_map(path: JsonPath) -> bool:
    """Return whether the names in an object are data: names of outputs, and of resources in versions 1 to 3.

    Other names are compared like Go, without case.
    """
    return path[-1:] in (("outputs",), ("resources",))


def pointer(path: JsonPath) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{token(name)}" for name in path)


def path_of(text: str) -> JsonPath:
    """Return a JSON pointer as a path."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:])


T = TypeVar("T")

RESOURCES: Final = "resources"
INSTANCES: Final = "instances"
PROVIDER: Final = "provider"


class LooseObject(NamedTuple):
    """An entry of `instances`: its path, key (None if invalid), deposed key, and the provider instance in force.

    `names_provider` is True if the entry itself names the provider. `provider` is None if it is missing or unreadable.
    """

    path: JsonPath
    key: InstanceKey | None
    deposed: str
    names_provider: bool
    provider: AbsProviderInstance | None

    @property
    def block(self) -> JsonPath:
        """The path of the block that it is in."""
        return self.path[:2]


class _Identity(NamedTuple):
    """The members that identify a resource."""

    module: str
    mode: str
    type: str
    name: str

    @property
    def address(self) -> str:
        """The address of the resource, even if parts of it are invalid."""
        resource = f"{'data.' if self.mode == 'data' else ''}{self.type}.{self.name}"
        return f"{self.module}.{resource}" if self.module else resource


class LooseState(LooseDocument):
    """The parts of a state.

    `references` belong to the configuration, if given. `show_sensitive` shows secret ids.
    """

    def __init__(
        self, data: bytes, references: ProviderReferences | None = None, *, show_sensitive: bool = False
    ) -> None:
        super().__init__(data)
        self.references = references
        self.show_sensitive = show_sensitive
        self._identities: dict[JsonPath, _Identity] = {}
        self._objects: dict[_Identity, tuple[LooseObject, ...]] = {}
        self._by_path: dict[JsonPath, LooseObject] = {}
        self._found: dict[Hashable, Any] = {}

    def resource_address(self, resource: JsonPath) -> str:
        """Return the address of a block of `resources`, even if parts of it are invalid."""
        return self._identity(resource).address

    def address_with(self, resource: JsonPath, member: str, text: str) -> str:
        """Return the address of a block with another `type` or `name`."""
        return self._identity(resource)._replace(**{member: text}).address

    def instance_address(self, instance: JsonPath) -> str:
        """Return the address of an object's instance, with the deposed key in parentheses if it has one."""
        key, deposed = self._key(instance), self.string((*instance, "deposed"))
        address = f"{self.resource_address(instance)}{'' if key is None else key}"
        return f"{address} (deposed {deposed})" if deposed else address

    def blocks(self, resource: JsonPath) -> Sequence[JsonPath]:
        """Return the blocks with the same resource as a block, in file order."""
        return self._blocks.get(self._identity(resource), ())

    def blocks_at(self, address: str) -> Sequence[JsonPath]:
        """Return the blocks with an address, in file order."""
        return self._by_address.get(address, ())

    def objects(self, resource: JsonPath) -> Sequence[LooseObject]:
        """Return the objects of all blocks with the same resource as a block, in file order."""
        identity = self._identity(resource)
        if identity not in self._objects:
            objects = tuple(one for block in self.blocks(resource) for one in self._objects_in(block))
            self._objects[identity] = objects
            self._by_path.update((one.path, one) for one in objects)
        return self._objects[identity]

    def object(self, instance: JsonPath) -> LooseObject:
        """Return the object at a path. Raises KeyError if there is none."""
        self.objects(instance)
        return self._by_path[instance]

    def once(self, work_out: Callable[[LooseState, JsonPath], T], resource: JsonPath = ()) -> T:
        """Return the cached result of a function of a resource, given one of its blocks, or of the state.

        The function is called once for each resource.
        """
        which = (work_out, self._identity(resource) if resource else None)
        if which not in self._found:
            self._found[which] = work_out(self, resource[:2])
        found: T = self._found[which]
        return found

    def objects_like(self, instance: JsonPath) -> Sequence[LooseObject]:
        """Return the objects with the same address and deposed key as an object, in file order."""
        which = self._key(instance), self.string((*instance, "deposed"))
        return self.once(_grouped, instance).by_place.get(which, ())

    def objects_with_key(self, instance: JsonPath) -> Sequence[LooseObject]:
        """Return the current and deposed objects of the instance that an object belongs to."""
        return self.once(_grouped, instance).by_key.get(self._key(instance), ())

    def objects_of_block(self, block: JsonPath) -> Sequence[LooseObject]:
        """Return the objects of one block, in file order."""
        return self.once(_grouped, block).by_block.get(block[:2], ())

    def has_object(self, resource: JsonPath, key: InstanceKey, deposed: str = "") -> bool:
        """Return whether a resource has an object with a key and a deposed key."""
        return (key, deposed) in self.once(_grouped, resource).by_place

    def providers(self, resource: JsonPath) -> Sequence[AbsProviderInstance]:
        """Return the provider instances of a resource, the most used first."""
        return self.once(_providers, resource)

    def configurations(self, resource: JsonPath) -> Sequence[ConfigProviderConfig]:
        """Return the provider configurations of a resource, the most used first."""
        return self.once(_configurations, resource)

    def names_providers(self, block: JsonPath) -> bool:
        """Return whether an object of a block names its own provider."""
        return block in self.once(_grouped, block).naming

    def providers_of_type(self, resource: JsonPath) -> Sequence[ConfigProviderConfig]:
        """Return the provider configurations of the resource type in the module, else in the state.

        The most used come first.
        """
        module, _, kind, _ = self._identity(resource)
        return self._of_types.get((kind, module)) or self._of_types.get((kind, None), ())

    def old_entries(self, address: str) -> Sequence[JsonPath]:
        """Return the entries of a state of version 1 to 3 at an instance address, if there are several."""
        return self._old_entries.get(address, ())

    def object_id(self, instance: JsonPath) -> str:
        """Return the attribute `id` of an object; "" if it has none."""
        return self.string((*instance, "attributes", "id")) or self.string((*instance, "attributes_flat", "id"))

    @cached_property
    def _blocks(self) -> Mapping[_Identity, Sequence[JsonPath]]:
        found: dict[_Identity, list[JsonPath]] = {}
        for block in self.parts((RESOURCES,)):
            found.setdefault(self._identity(block), []).append(block)
        return found

    @cached_property
    def _old_entries(self) -> Mapping[str, Sequence[JsonPath]]:
        found = repeated_instances(self.data, int(self.raw(("version",)) or b"0"))
        return {address: tuple(map(path_of, pointers)) for address, pointers in found.items()}

    @cached_property
    def _by_address(self) -> Mapping[str, Sequence[JsonPath]]:
        return {self.resource_address(blocks[0]): blocks for blocks in self._blocks.values()}

    @cached_property
    def _of_types(self) -> Mapping[tuple[str, str | None], Sequence[ConfigProviderConfig]]:
        found: dict[tuple[str, str | None], Counter[ConfigProviderConfig]] = {}
        for identity, blocks in self._blocks.items():
            for one in self.objects(blocks[0]):
                if one.provider is not None:
                    for module in (identity.module, None):
                        found.setdefault((identity.type, module), Counter())[one.provider.config] += 1
        return {place: tuple(config for config, _ in counted.most_common()) for place, counted in found.items()}

    def _identity(self, resource: JsonPath) -> _Identity:
        block = resource[:2]
        if block not in self._identities:
            module = self.string((*block, "module"))
            mode, kind, name = (self.string((*block, member)) for member in ("mode", "type", "name"))
            self._identities[block] = _Identity(_canonical(module), mode, kind, name)
        return self._identities[block]

    def _objects_in(self, block: JsonPath) -> list[LooseObject]:
        config = read_config(self.string((*block, PROVIDER)))
        inherited = None if isinstance(config, Unreadable) else AbsProviderInstance(config, NO_KEY)
        found = []
        for path in self.parts((*block, INSTANCES)):
            own = self.string((*path, PROVIDER))
            provider = read_instance(own) if own else inherited
            bound = None if isinstance(provider, Unreadable) else provider
            found.append(LooseObject(path, self._key(path), self.string((*path, "deposed")), bool(own), bound))
        return found

    def _key(self, instance: JsonPath) -> InstanceKey | None:
        """Return the key as OpenTofu reads it; None if it is invalid."""
        raw = self.raw((*instance, "index_key")) or b"null"
        if raw == b"null":
            return NO_KEY
        if raw.startswith(b'"'):
            return StringKey(self.string((*instance, "index_key")))
        try:
            return IntKey(int_of_number(raw.decode("ascii", "replace")))
        except (ValueError, OverflowError):
            return None


def _canonical(module: str) -> str:
    try:
        return str(parse_module_instance(module)) if module else ""
    except AddressError:
        return module


class _Grouped(NamedTuple):
    """The objects of a resource by key and deposed key, by key, and by block."""

    by_place: dict[tuple[InstanceKey | None, str], list[LooseObject]]
    by_key: dict[InstanceKey | None, list[LooseObject]]
    by_block: dict[JsonPath, list[LooseObject]]
    # The blocks with an object that names its provider.
    naming: set[JsonPath]


def _grouped(state: LooseState, resource: JsonPath) -> _Grouped:
    found = _Grouped({}, {}, {}, set())
    for one in state.objects(resource):
        found.by_place.setdefault((one.key, one.deposed), []).append(one)
        found.by_key.setdefault(one.key, []).append(one)
        found.by_block.setdefault(one.block, []).append(one)
        if one.names_provider:
            found.naming.add(one.block)
    return found


def _providers(state: LooseState, resource: JsonPath) -> Sequence[AbsProviderInstance]:
    found = Counter(one.provider for one in state.objects(resource) if one.provider is not None)
    return [provider for provider, _ in found.most_common()]


def _configurations(state: LooseState, resource: JsonPath) -> Sequence[ConfigProviderConfig]:
    found = Counter(one.provider.config for one in state.objects(resource) if one.provider is not None)
    return [config for config, _ in found.most_common()]
