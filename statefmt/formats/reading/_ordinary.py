"""Converts entries of `resources` that have nothing unusual, with little work. Nearly all are such entries."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple, cast

from msgspec import UNSET, Raw, UnsetType

from statefmt.formats.reading._members import DependencyReader, canonical_private, ordinary_key
from statefmt.formats.versions import InstanceObjectV4, ResourceV4
from statefmt.model.addrs import (
    NO_KEY,
    AbsProviderInstance,
    AbsResource,
    InstanceKey,
    ModuleInstance,
    Resource,
    ResourceMode,
    parse_module_instance,
)
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.errors import AddressError
from statefmt.model.provider_text import Unreadable, read_config, read_instance
from statefmt.model.resources import ObjectStatus, ResourceInstanceObject, ResourceState

MODES: Final = {"managed": ResourceMode.MANAGED, "data": ResourceMode.DATA}
ROOT: Final = ModuleInstance()
NO_PATHS: Final = b"[]"
STATUSES: Final = {status.value: status for status in ObjectStatus}
DEPOSED_KEY_BYTES: Final = 8
_HIGHEST_ORDINARY: Final = 2**63 - 1
# Size of the caches of addresses; all files of a run share them.
_KEPT: Final = 1024


class ModuleText(NamedTuple):
    """A parsed module address, and its canonical form if the file has a different one (else "")."""

    addr: ModuleInstance
    other_form: str


class OrdinaryLifter:
    """A converter that gives what the thorough way gives, or None if an entry needs a closer look."""

    def __init__(self, dependencies: DependencyReader) -> None:
        self._dependencies = dependencies

    def resource(self, number: int, given: ResourceV4) -> ResourceState | None:
        """Return the resource of the block at index `number`; None if anything in it is unusual."""
        mode = MODES.get(given.mode or "")
        module = read_module(given.module) if given.module else _IN_ROOT
        config = read_config(given.provider) if given.provider else None
        if (
            mode is None
            or given.each
            or isinstance(module, AddressError)
            or module.other_form
            or isinstance(config, Unreadable)
        ):
            return None
        objects: list[ResourceInstanceObject] = []
        for index, one in enumerate(given.instances or ()):
            provider_key: InstanceKey = NO_KEY
            key = None if one is None else ordinary_key(one.index_key)
            if one is None or key is None:
                return None
            if one.provider or not given.provider:
                bound = _own_provider(given, one)
                if bound is None or (objects and bound.config != config):
                    return None
                config, provider_key = bound.config, bound.key
            obj = self.object(one, key, provider_key, (number, index))
            if obj is None:
                return None
            objects.append(obj)
        if config is None or (len(objects) > 1 and not _are_distinct(objects, by_key=not given.provider)):
            return None
        return ResourceState(
            addr=AbsResource(module.addr, _resource(mode, given.type or "", given.name or "")),
            provider_config=config,
            objects=tuple(objects),
            unknown=given.unknown,
            origin=(number,),
        )

    def object(
        self, given: InstanceObjectV4, key: InstanceKey, provider_key: InstanceKey, origin: tuple[int, int]
    ) -> ResourceInstanceObject | None:
        """Return the object of an entry of `instances`; None if anything in it is unusual."""
        version, identity_version = given.schema_version, given.identity_schema_version
        if (
            given.depends_on
            or (given.attributes is UNSET) is (given.attributes_flat is None)
            or given.unknown
            or not (version is None or 0 <= version <= _HIGHEST_ORDINARY)
            or not (identity_version is None or 0 <= identity_version <= _HIGHEST_ORDINARY)
            or (identity_version and given.identity is UNSET)
        ):
            return None
        status = STATUSES.get(given.status) if given.status else ObjectStatus.READY
        deposed = given.deposed or ""
        if status is None or (deposed and (len(deposed) != DEPOSED_KEY_BYTES or not deposed.isascii())):
            return None
        private = _private(given.private) if given.private else ""
        paths = _paths(given.sensitive_attributes)
        dependencies = self._dependencies.plain(given.dependencies) if given.dependencies else ()
        if private is None or paths is None or dependencies is None:
            return None
        identity = None if given.identity is UNSET else given.identity
        return ResourceInstanceObject(
            key=key,
            deposed=deposed,
            provider_key=provider_key,
            status=status,
            schema_version=version or 0,
            attributes=None if given.attributes is UNSET else given.attributes,
            attributes_flat=strings(given.attributes_flat),
            sensitive_attributes=paths,
            private=private,
            dependencies=dependencies,
            create_before_destroy=given.create_before_destroy or False,
            skip_destroy=given.skip_destroy or False,
            identity=identity,
            identity_schema_version=None if identity is None else identity_version,
            origin=origin,
        )


@lru_cache(maxsize=_KEPT)
def read_module(text: str) -> ModuleText | AddressError:
    """Parse the module address of a resource."""
    try:
        module = parse_module_instance(text)
    except AddressError as error:
        return error
    return ModuleText(module, "" if str(module) == text else str(module))


def _own_provider(resource: ResourceV4, given: InstanceObjectV4) -> AbsProviderInstance | None:
    """Return the provider instance that an object names; None unless its resource names none."""
    bound = None if resource.provider or not given.provider else read_instance(given.provider)
    return None if isinstance(bound, Unreadable) else bound


def _are_distinct(objects: list[ResourceInstanceObject], *, by_key: bool) -> bool:
    """Return whether no object occurs twice and, if `by_key`, each is of an instance of its own."""
    if len({obj.key for obj in objects}) == len(objects):
        return True
    return not by_key and len({(obj.key, obj.deposed) for obj in objects}) == len(objects)


# A state has the same names in many modules.
@lru_cache(maxsize=_KEPT)
def _resource(mode: ResourceMode, type_: str, name: str) -> Resource:
    return Resource(mode, type_, name)


def strings(flat: dict[str, str | None] | None) -> dict[str, str] | None:
    """Return flat attributes with "" for null, as in Go; nearly always there is none."""
    if flat is None or None not in flat.values():
        return cast("dict[str, str] | None", flat)
    return {name: value or "" for name, value in flat.items()}


def _private(given: str | list[int]) -> str | None:
    try:
        return canonical_private(given)
    except ValueError:
        return None


def _paths(raw: Raw | UnsetType) -> bytes | None:
    if raw is UNSET or (len(raw) == len(NO_PATHS) and bytes(raw) == NO_PATHS):
        return NO_PATHS
    paths, problems = canonical_paths(bytes(raw))
    return None if problems else paths


_IN_ROOT: Final = ModuleText(ROOT, "")
