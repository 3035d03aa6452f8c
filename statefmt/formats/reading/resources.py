"""Converts the `resources` of a v4 document to resources and objects, and reports their problems.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple, cast

from msgspec import UNSET, Raw, Struct
from msgspec.structs import replace

from statefmt.formats.reading._members import (
    DependencyReader,
    address_findings,
    canonical_private,
    lift_key,
    normalised,
    ordinary_key,
)
from statefmt.formats.versions import (
    INVALID_METADATA,
    InstanceObjectV4,
    InvalidDocument,
    ResourceV4,
    StateV4,
    check_uint64,
)
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    InstanceKey,
    ModuleInstance,
    Resource,
    ResourceMode,
)
from statefmt.model.addrs.parsing import parse_module_instance
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.provider_binding import (
    BlockProviders,
    Lifted,
    ObjectProvider,
    Unreadable,
    lift,
    lift_inherited,
    read_config,
    read_instance,
)
from statefmt.model.snapshot import ObjectStatus, ResourceInstanceObject, ResourceState

_MODES: Final = {"managed": ResourceMode.MANAGED, "data": ResourceMode.DATA}
_ROOT: Final = ModuleInstance()
_NO_PATHS: Final = b"[]"
_STATUSES: Final = {status.value: status for status in ObjectStatus}
_DEPOSED_KEY_BYTES: Final = 8
_HIGHEST_ORDINARY: Final = 2**63 - 1
# Size of the caches of addresses; all files of a run share them.
_KEPT: Final = 1024
_EMPTY_OBJECT: Final = Raw(b"{}")


class _ModuleText(NamedTuple):
    """A parsed module address, and its canonical form if the file has a different one (else "")."""

    addr: ModuleInstance
    other_form: str


class _Instance(Struct, frozen=True, gc=False):
    """An entry of `instances` with a valid key, and its index in the block."""

    number: int
    key: InstanceKey
    document: InstanceObjectV4


class _Block(Struct, frozen=True, gc=False):
    """An entry of `resources`, its index in the document, and its address."""

    number: int
    addr: AbsResource
    document: ResourceV4
    instances: list[_Instance]

    @property
    def pointer(self) -> str:
        return f"/resources/{self.number}"


class SeveralBlocks(Exception):  # noqa: N818 - not an error; never leaves this package
    """A resource has several blocks, so that the blocks cannot be converted one after the other."""


class ResourceLifter:
    """A converter for the resources of one document; it appends problems to `findings`.

    `exact_keys` means that numeric instance keys come from an upgrade, not from JSON.
    """

    def __init__(self, *, exact_keys: bool = False) -> None:
        self.findings: list[Finding] = []
        # Findings about provider addresses that only Terraform reads; their resources are included.
        self.refused_by_opentofu: list[Finding] = []
        self.added = 0
        self._found: list[ResourceState] = []
        # Blocks in canonical order belong to different resources.
        self._in_order = True
        self._last = ("", "", "", "")
        # Resources of unusual blocks; None if they are refused.
        self._unusual: dict[AbsResource, ResourceState | None] = {}
        # Problems with the positions of objects are reported before problems with their contents.
        self._of_places: list[Finding] = []
        self._exact_keys = exact_keys
        self._objects = _ObjectLifter(DependencyReader(self.findings))

    def lift(self, resources: Sequence[ResourceV4 | None]) -> tuple[ResourceState, ...]:
        """Return the resources, each once, in the order of their first blocks."""
        try:
            for given in resources:
                self.add(given)
            return self.found()
        except (InvalidDocument, SeveralBlocks):
            self.findings.clear()
            self.refused_by_opentofu.clear()
            return self._each(resources)

    def add(self, given: ResourceV4 | None) -> None:
        """Convert the next block of the document, and discard it.

        Raises InvalidDocument if a member has an impossible value, perhaps not the first one in the order of
        OpenTofu, and SeveralBlocks, as found() does.
        """
        number = self.added
        self.added += 1
        resource = None if given is None else self._ordinary(number, given)
        if given is None or resource is None:
            self._in_order = False
            resource = self._of_unusual(number, given or ResourceV4())
        elif self._in_order:
            place = (given.module or "", given.mode or "", given.type or "", given.name or "")
            self._in_order, self._last = place > self._last, place
        if resource is not None:
            self._found.append(resource)

    def found(self) -> tuple[ResourceState, ...]:
        """Return the resources of all blocks. Raises SeveralBlocks if a resource has more than one."""
        self.findings[:0] = self._of_places
        if not self._in_order:
            addresses = {resource.addr for resource in self._found}
            addresses.update(self._unusual)
            refused = sum(resource is None for resource in self._unusual.values())
            if len(addresses) < len(self._found) + refused:
                raise SeveralBlocks
        return tuple(self._found)

    def _ordinary(self, number: int, given: ResourceV4) -> ResourceState | None:
        """Return the resource of the block at index `number`; None if anything in it is unusual."""
        mode = _MODES.get(given.mode or "")
        module = _read_module(given.module) if given.module else _IN_ROOT
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
                bound = None if given.provider or not one.provider else read_instance(one.provider)
                if bound is None or isinstance(bound, Unreadable) or (objects and bound.config != config):
                    return None
                config, provider_key = bound.config, bound.key
            obj = self._objects.lift(one, key, provider_key, (number, index))
            if obj is None:
                return None
            objects.append(obj)
        if config is None:
            return None
        # The objects of one instance have the provider of their resource, and differ in their deposed keys.
        if (
            len(objects) > 1
            and len({obj.key for obj in objects}) < len(objects)
            and (not given.provider or len({(obj.key, obj.deposed) for obj in objects}) < len(objects))
        ):
            return None
        return ResourceState(
            addr=AbsResource(module.addr, _resource(mode, given.type or "", given.name or "")),
            provider_config=config,
            objects=tuple(objects),
            unknown=given.unknown,
            origin=(number,),
        )

    def _of_unusual(self, number: int, document: ResourceV4) -> ResourceState | None:
        told = len(self.findings)
        block = self._block(number, document)
        self._of_places += self.findings[told:]
        del self.findings[told:]
        if block is None:
            return None
        if block.addr in self._unusual:
            raise SeveralBlocks
        self._unusual[block.addr] = self._resource(block.addr, [block])
        return self._unusual[block.addr]

    def _each(self, resources: Sequence[ResourceV4 | None]) -> tuple[ResourceState, ...]:
        blocks: dict[AbsResource, list[_Block]] = {}
        for number, given in enumerate(resources):
            block = self._block(number, given or ResourceV4())
            if block is not None:
                blocks.setdefault(block.addr, []).append(block)
        lifted = [self._resource(addr, parts) for addr, parts in blocks.items()]
        return tuple([resource for resource in lifted if resource is not None])

    def _block(self, number: int, document: ResourceV4) -> _Block | None:
        """Return a block with its address and its instances; None if the address is invalid."""
        pointer, name = f"/resources/{number}", f"{document.type or ''}.{document.name or ''}"
        mode = _MODES.get(document.mode or "")
        if mode is None:
            detail = (
                f'Resource "{document.type or ""}" "{document.name or ""}" has the mode "{document.mode or ""}"; '
                'it must be "managed" or "data".'
            )
            self._add(Code.INVALID_MODE, "Invalid resource mode in state", detail, name, f"{pointer}/mode")
            return None
        module = _read_module(document.module) if document.module else _IN_ROOT
        place = f"{pointer}/module"
        if isinstance(module, AddressError):
            self.findings += address_findings(Code.MODULE_ADDRESS_INVALID, module, "module address", name, place)
            return None
        if module.other_form:
            what = f"the module address {document.module!r}"
            self.findings.append(normalised(what, module.other_form, name, place))
        addr = AbsResource(module.addr, Resource(mode, document.type or "", document.name or ""))
        instances = []
        for index, given in enumerate(document.instances or ()):
            obj = given or InstanceObjectV4()
            key = ordinary_key(obj.index_key)
            if key is None:
                place = f"{pointer}/instances/{index}/index_key"
                key = lift_key(obj.index_key, str(addr), place, self.findings, exact=self._exact_keys)
            if key is not None:
                instances.append(_Instance(index, key, obj))
        return _Block(number, addr, document, instances)

    def _resource(self, addr: AbsResource, blocks: list[_Block]) -> ResourceState | None:
        binding = _binding(addr, blocks)
        self.findings += binding.findings
        self.refused_by_opentofu += binding.refused_by_opentofu
        errors = sum(finding.severity is Severity.ERROR for finding in binding.findings)
        refused = errors > len(binding.refused_by_opentofu)
        objects: list[ResourceInstanceObject] = []
        for block, keys in zip(blocks, binding.keys, strict=True):
            if keys is None:
                continue
            # If the binding is refused, the objects are only read to report their own problems.
            provider_keys = (NO_KEY,) * len(block.instances) if refused else keys
            for instance, provider_key in zip(block.instances, provider_keys, strict=True):
                origin = (block.number, instance.number)
                lift_object = partial(self._objects.lift, instance.document, instance.key, provider_key, origin)
                place = f"{block.pointer}/instances/{instance.number}"
                obj = lift_object() or lift_object(_Problems(self.findings, f"{addr}{instance.key}", place))
                if obj is not None:
                    objects.append(obj)
        if len(objects) > 1 and len({(obj.key, obj.deposed) for obj in objects}) < len(objects):
            objects = self._first_ones(str(addr), objects)
        for block in blocks:
            if block.document.each:
                detail = (
                    f'Resource {addr} has the member "each", which Terraform 0.12 wrote; the instance keys imply it, '
                    "so it is dropped when the file is written."
                )
                place = f"{block.pointer}/each"
                self._add(Code.NORMALISED_VALUE, "Obsolete member in state", detail, str(addr), place)
        if len(blocks) > 1:
            detail = (
                f'Resource {addr} is split over {len(blocks)} entries of "resources"; writing the file merges them.'
            )
            summary = "Resource spread over several blocks"
            self._add(Code.RESOURCE_SPREAD, summary, detail, str(addr), blocks[1].pointer)
        if refused:
            return None
        return ResourceState(
            addr=addr,
            provider_config=binding.config,
            objects=tuple(objects),
            unknown=tuple([member for block in blocks for member in block.document.unknown]),
            origin=tuple([block.number for block in blocks]),
        )

    def _first_ones(self, resource: str, objects: list[ResourceInstanceObject]) -> list[ResourceInstanceObject]:
        """Return the objects without duplicates: keep the first of each, and report the others."""
        first: dict[tuple[InstanceKey, str], ResourceInstanceObject] = {}
        for obj in objects:
            if first.setdefault((obj.key, obj.deposed), obj) is obj:
                continue
            assert obj.origin is not None
            address, pointer = f"{resource}{obj.key}", f"/resources/{obj.origin[0]}/instances/{obj.origin[1]}"
            which = f'The deposed object "{obj.deposed}" of instance' if obj.deposed else "Instance"
            detail = f"{which} {address} appears more than once in the state."
            self._add(Code.DUPLICATE_INSTANCE, "Duplicate resource instance in state", detail, address, pointer)
        return list(first.values())

    def _add(self, code: Code, summary: str, detail: str, address: str, pointer: str) -> None:
        self.findings.append(code.notice(summary, detail, address, pointer))


def _binding(addr: AbsResource, blocks: list[_Block]) -> Lifted:
    first = blocks[0]
    provider = first.document.provider
    with_own = [instance for instance in first.instances if instance.document.provider]
    if provider and len(blocks) == 1 and not with_own:
        inherited = lift_inherited(provider, len(first.instances))
        if inherited is not None:
            return inherited
    named = []
    for block in blocks:
        objects = [
            ObjectProvider(one.key, one.document.provider or "", f"{block.pointer}/instances/{one.number}")
            for one in block.instances
        ]
        named.append(BlockProviders(block.document.provider or "", objects, block.pointer))
    return lift(str(addr), named)


@lru_cache(maxsize=_KEPT)
def _read_module(text: str) -> _ModuleText | AddressError:
    try:
        module = parse_module_instance(text)
    except AddressError as error:
        return error
    return _ModuleText(module, "" if str(module) == text else str(module))


# A state has the same names in many modules.
@lru_cache(maxsize=_KEPT)
def _resource(mode: ResourceMode, type_: str, name: str) -> Resource:
    return Resource(mode, type_, name)


class _Problems(NamedTuple):
    """A collector of the problems of one object: findings, instance address, and the object's pointer."""

    findings: list[Finding]
    address: str
    pointer: str

    def has(self, code: Code, summary: str, what: str, member: str) -> None:
        """Report a problem of the instance, in a member."""
        self.add(code, summary, f"Instance {self.address} has {what}", member)

    def add(self, code: Code, summary: str, detail: str, member: str) -> None:
        self.findings.append(code.notice(summary, detail, self.address, f"{self.pointer}/{member}"))


class _ObjectLifter:
    """A converter for the entries of `instances`."""

    def __init__(self, dependencies: DependencyReader) -> None:
        self._dependencies = dependencies

    def lift(
        self,
        given: InstanceObjectV4,
        key: InstanceKey,
        provider_key: InstanceKey,
        origin: tuple[int, int],
        problems: _Problems | None = None,
    ) -> ResourceInstanceObject | None:
        """Return the object, or None if it is refused or, without `problems`, if it has anything to report.

        Raises InvalidDocument, only with `problems`, if a member has an impossible value.
        """
        version, identity_version = given.schema_version, given.identity_schema_version
        raw_paths = given.sensitive_attributes
        attributes = None if given.attributes is UNSET else given.attributes
        flat = given.attributes_flat
        identity = None if given.identity is UNSET else given.identity
        # Nearly all objects take this path, which makes no calls for missing members.
        if problems is None and (
            given.depends_on
            or (attributes is None) is (flat is None)
            or not (version is None or 0 <= version <= _HIGHEST_ORDINARY)
            or not (identity_version is None or 0 <= identity_version <= _HIGHEST_ORDINARY)
            or (identity_version and identity is None)
        ):
            return None
        paths = _NO_PATHS
        if raw_paths is not UNSET and not (len(raw_paths) == len(_NO_PATHS) and bytes(raw_paths) == _NO_PATHS):
            given_paths = _sensitive_paths(bytes(raw_paths), problems)
            if given_paths is None:
                return None
            paths = given_paths
        status = _STATUSES.get(given.status) if given.status else ObjectStatus.READY
        if status is None:
            if problems is not None:
                what = f'the status "{given.status}"; it must be "tainted" or left out.'
                problems.has(Code.INVALID_STATUS, INVALID_METADATA, what, "status")
            return None
        dependencies = self._dependencies.plain(given.dependencies) if given.dependencies else ()
        depends_on: tuple[AbsResourceInstance, ...] = ()
        if problems is None:
            if dependencies is None:
                return None
        else:
            if dependencies is None:
                texts = given.dependencies or ()
                dependencies = self._dependencies.resources(texts, problems.address, problems.pointer)
            depends_on = self._dependencies.instances(given.depends_on or (), problems.address, problems.pointer)
        deposed = given.deposed or ""
        if deposed and len(deposed.encode()) != _DEPOSED_KEY_BYTES:
            if problems is not None:
                what = f'an object with the deposed key "{deposed}"; such keys have exactly {_DEPOSED_KEY_BYTES} bytes.'
                problems.has(Code.INVALID_DEPOSED_KEY, INVALID_METADATA, what, "deposed")
            return None
        if problems is not None:
            _report_ignored(given, problems)
        try:
            private = canonical_private(given.private) if given.private else ""
        except ValueError as error:
            if problems is None:
                return None
            place = f"{problems.pointer}/private"
            raise InvalidDocument(place, f"it is {error}", problems.address, Code.PRIVATE_INVALID) from error
        obj = ResourceInstanceObject(
            key=key,
            deposed=deposed,
            provider_key=provider_key,
            status=status,
            schema_version=version or 0,
            attributes=_EMPTY_OBJECT if attributes is None and flat is None else attributes,
            attributes_flat=None if flat is None or attributes is not None else _strings(flat),
            sensitive_attributes=paths,
            private=private,
            dependencies=dependencies,
            create_before_destroy=given.create_before_destroy or False,
            skip_destroy=given.skip_destroy or False,
            identity=identity,
            identity_schema_version=None if identity is None else identity_version,
            origin=origin,
        )
        # Each further member would take a tenth of the total time, and hardly any object has these.
        return replace(obj, depends_on=depends_on, unknown=given.unknown) if depends_on or given.unknown else obj


def _report_ignored(given: InstanceObjectV4, problems: _Problems) -> None:
    """Report members that are dropped. Raises InvalidDocument if a schema version is an impossible number."""
    if given.attributes is not UNSET and given.attributes_flat is not None:
        what = (
            '"attributes" and "attributes_flat". Only "attributes" counts; the flat form is dropped when the file is '
            "written."
        )
        problems.has(Code.BOTH_ATTRIBUTE_FORMS, "Both attribute forms on one object", what, "attributes_flat")
    version = check_uint64(given.identity_schema_version, f"{problems.pointer}/identity_schema_version")
    # Version 0 is not reported: Terraform 1.12 and later write it for every object.
    if version and given.identity is UNSET:
        summary, member = "Identity schema version without an identity", "identity_schema_version"
        what = f'"{member}" but no "identity"; it is dropped when the file is written.'
        problems.has(Code.NORMALISED_VALUE, summary, what, member)
    check_uint64(given.schema_version, f"{problems.pointer}/schema_version")


def _sensitive_paths(raw: bytes, problems: _Problems | None) -> bytes | None:
    """Return the paths in canonical form; None if they are not valid, which is reported."""
    paths, found = canonical_paths(raw)
    if problems is not None:
        for problem in found:
            detail = f"{problem.detail} (in the sensitive attributes of {problems.address})"
            problems.add(Code.INVALID_SENSITIVE_PATHS, problem.summary, detail, "sensitive_attributes")
    return None if found else paths


def _strings(flat: dict[str, str | None]) -> dict[str, str]:
    """Return flat attributes with "" for null, as in Go; nearly always there is none."""
    if None not in flat.values():
        return cast("dict[str, str]", flat)
    return {name: value or "" for name, value in flat.items()}


def impossible_values(document: StateV4) -> Iterator[Finding]:
    """Yield a finding for each impossible value, in file order."""
    yield from _problem(lambda: check_uint64(document.serial, "/serial"))
    for number, resource in enumerate(document.resources or ()):
        for place, given in enumerate((resource.instances if resource else None) or ()):
            if resource is not None and given is not None:
                yield from _of_object(given, resource.address(), f"/resources/{number}/instances/{place}")


def _of_object(given: InstanceObjectV4, address: str, pointer: str) -> Iterator[Finding]:
    if ordinary_key(given.index_key) is None:
        yield from _problem(lambda: lift_key(given.index_key, address, f"{pointer}/index_key", [], exact=False))
    yield from _problem(lambda: check_uint64(given.schema_version, f"{pointer}/schema_version"))
    yield from _problem(lambda: check_uint64(given.identity_schema_version, f"{pointer}/identity_schema_version"))
    if given.private:
        try:
            canonical_private(given.private)
        except ValueError as error:
            yield InvalidDocument(f"{pointer}/private", f"it is {error}", address, Code.PRIVATE_INVALID).finding()


def _problem(read: Callable[[], object]) -> Iterator[Finding]:
    try:
        read()
    except InvalidDocument as invalid:
        yield invalid.finding()


_IN_ROOT: Final = _ModuleText(_ROOT, "")
