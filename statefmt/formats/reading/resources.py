"""Converts the `resources` of a v4 document to resources and their objects.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import UNSET, Raw, Struct

from statefmt.formats.raw_json import equals
from statefmt.formats.reading._members import (
    DependencyReader,
    address_findings,
    canonical_private,
    lift_key,
    normalised,
    ordinary_key,
)
from statefmt.formats.reading._ordinary import (
    DEPOSED_KEY_BYTES,
    MODES,
    NO_PATHS,
    ROOT,
    STATUSES,
    OrdinaryLifter,
    read_module,
    strings,
)
from statefmt.formats.versions import (
    INVALID_METADATA,
    InstanceObjectV4,
    InvalidDocument,
    ResourceV4,
    StateV4,
    check_uint64,
)
from statefmt.model.addrs import NO_KEY, AbsResource, InstanceKey, ModuleInstance, Resource
from statefmt.model.codes import Code
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding, Severity
from statefmt.model.provider_binding import BlockProviders, Lifted, ObjectProvider, lift, lift_inherited
from statefmt.model.resources import ObjectStatus, ResourceInstanceObject, ResourceState


class _Instance(Struct, frozen=True, gc=False):
    """An entry of `instances` with a valid key, and its index in the block."""

    number: int
    key: InstanceKey
    document: InstanceObjectV4


class _Block(Struct, frozen=True, gc=False):
    """An entry of `resources`, and its index in the document."""

    number: int
    document: ResourceV4
    instances: list[_Instance]

    @property
    def pointer(self) -> str:
        return f"/resources/{self.number}"


class SeveralBlocks(Exception):  # noqa: N818 - not an error; never leaves this package
    """A resource is spread over several blocks, so that one block after the other is not enough to convert them."""


class ResourceLifter:
    """A converter for the resources of one document; it appends problems to `findings`.

    `exact_keys` means that numeric instance keys come from an upgrade, not from JSON.
    """

    def __init__(self, *, exact_keys: bool = False) -> None:
        self.findings: list[Finding] = []
        # Of provider addresses that Terraform reads: their resources are among those found.
        self.refused_by_opentofu: list[Finding] = []
        self.added = 0
        self._found: list[ResourceState] = []
        # Blocks in the order of canonical files are of different resources.
        self._in_order = True
        self._last = ("", "", "", "")
        # Those of unusual blocks; None if they are refused.
        self._unusual: dict[AbsResource, ResourceState | None] = {}
        # What concerns the places of objects is reported before their contents.
        self._of_places: list[Finding] = []
        self._exact_keys = exact_keys
        dependencies = DependencyReader(self.findings)
        self._ordinary = OrdinaryLifter(dependencies)
        self._objects = ObjectLifter(self.findings, dependencies)

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
        """Convert the next block of the document, and forget it.

        Raises InvalidDocument if a member has an impossible value, perhaps not the first one in the order of OpenTofu,
        and SeveralBlocks, as found() does.
        """
        number = self.added
        self.added += 1
        resource = None if given is None else self._ordinary.resource(number, given)
        if given is None or resource is None:
            self._in_order = False
            resource = self._of_unusual(number, given or ResourceV4())
        elif self._in_order:
            place = (given.module or "", given.mode or "", given.type or "", given.name or "")
            self._in_order, self._last = place > self._last, place
        if resource is not None:
            self._found.append(resource)

    def found(self) -> tuple[ResourceState, ...]:
        """Return the resources of all blocks. Raises SeveralBlocks if one has more than one."""
        self.findings[:0] = self._of_places
        if not self._in_order:
            addresses = {resource.addr for resource in self._found}
            addresses.update(self._unusual)
            refused = sum(resource is None for resource in self._unusual.values())
            if len(addresses) < len(self._found) + refused:
                raise SeveralBlocks
        return tuple(self._found)

    def _of_unusual(self, number: int, document: ResourceV4) -> ResourceState | None:
        pointer, told = f"/resources/{number}", len(self.findings)
        addr = self._address(document, pointer)
        block = None if addr is None else _Block(number, document, self._instances(document, addr, pointer))
        self._of_places += self.findings[told:]
        del self.findings[told:]
        if addr is None or block is None:
            return None
        if addr in self._unusual:
            raise SeveralBlocks
        self._unusual[addr] = self._resource(addr, [block])
        return self._unusual[addr]

    def _each(self, resources: Sequence[ResourceV4 | None]) -> tuple[ResourceState, ...]:
        blocks: dict[AbsResource, list[_Block]] = {}
        for number, given in enumerate(resources):
            document = given or ResourceV4()
            pointer = f"/resources/{number}"
            addr = self._address(document, pointer)
            if addr is not None:
                block = _Block(number, document, self._instances(document, addr, pointer))
                others = blocks.setdefault(addr, [block])
                if others[0] is not block:
                    others.append(block)
        lifted = [self._resource(addr, parts) for addr, parts in blocks.items()]
        return tuple([resource for resource in lifted if resource is not None])

    def _address(self, document: ResourceV4, pointer: str) -> AbsResource | None:
        kind, name = document.type or "", document.name or ""
        mode = MODES.get(document.mode or "")
        if mode is None:
            detail = f'Resource "{kind}" "{name}" has the mode "{document.mode or ""}"; it must be "managed" or "data".'
            self._add(Code.INVALID_MODE, "Invalid resource mode in state", detail, f"{kind}.{name}", f"{pointer}/mode")
            return None
        module = self._module(document.module or "", f"{kind}.{name}", f"{pointer}/module")
        return None if module is None else AbsResource(module, Resource(mode, kind, name))

    def _module(self, text: str, resource: str, pointer: str) -> ModuleInstance | None:
        if not text:
            return ROOT
        module = read_module(text)
        if isinstance(module, AddressError):
            self.findings += address_findings(Code.MODULE_ADDRESS_INVALID, module, "module address", resource, pointer)
            return None
        if module.other_form:
            self.findings.append(normalised(f"the module address {text!r}", module.other_form, resource, pointer))
        return module.addr

    def _instances(self, document: ResourceV4, addr: AbsResource, pointer: str) -> list[_Instance]:
        instances = []
        for number, given in enumerate(document.instances or ()):
            obj = given or InstanceObjectV4()
            key = ordinary_key(obj.index_key)
            if key is None:
                place = f"{pointer}/instances/{number}/index_key"
                key = lift_key(obj.index_key, str(addr), place, self.findings, exact=self._exact_keys)
            if key is not None:
                instances.append(_Instance(number, key, obj))
        return instances

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
                obj = self._ordinary.object(instance.document, instance.key, provider_key, origin) or self._object(
                    str(addr), block, instance, provider_key
                )
                if obj is not None:
                    objects.append(obj)
        if len(objects) > 1 and len({(obj.key, obj.deposed) for obj in objects}) < len(objects):
            objects = self._first_ones(str(addr), objects)
        for block in blocks:
            if block.document.each:
                self._old_member(str(addr), block)
        if len(blocks) > 1:
            self._add(
                Code.RESOURCE_SPREAD,
                "Resource spread over several blocks",
                f'Resource {addr} is split over {len(blocks)} entries of "resources"; writing the file merges them.',
                str(addr),
                blocks[1].pointer,
            )
        if refused:
            return None
        return ResourceState(
            addr=addr,
            provider_config=binding.config,
            objects=tuple(objects),
            unknown=tuple([member for block in blocks for member in block.document.unknown]),
            origin=tuple([block.number for block in blocks]),
        )

    def _old_member(self, resource: str, block: _Block) -> None:
        self._add(
            Code.NORMALISED_VALUE,
            "Obsolete member in state",
            f'Resource {resource} has the member "each", which Terraform 0.12 wrote; the instance keys imply it, '
            "so it is dropped when the file is written.",
            resource,
            f"{block.pointer}/each",
        )

    def _object(
        self, resource: str, block: _Block, instance: _Instance, provider_key: InstanceKey
    ) -> ResourceInstanceObject | None:
        return self._objects.lift(
            instance.document,
            instance.key,
            provider_key,
            resource if instance.key is NO_KEY else f"{resource}{instance.key}",
            f"{block.pointer}/instances/{instance.number}",
            (block.number, instance.number),
        )

    def _first_ones(self, resource: str, objects: list[ResourceInstanceObject]) -> list[ResourceInstanceObject]:
        """Return the objects without duplicates: the first of each is kept, the others are reported."""
        first: dict[tuple[InstanceKey, str], ResourceInstanceObject] = {}
        for obj in objects:
            if first.setdefault((obj.key, obj.deposed), obj) is not obj:
                self._duplicate(resource, obj)
        return list(first.values())

    def _duplicate(self, resource: str, obj: ResourceInstanceObject) -> None:
        assert obj.origin is not None
        block, number = obj.origin
        address = f"{resource}{obj.key}"
        which = f'The deposed object "{obj.deposed}" of instance' if obj.deposed else "Instance"
        self._add(
            Code.DUPLICATE_INSTANCE,
            "Duplicate resource instance in state",
            f"{which} {address} appears more than once in the state.",
            address,
            f"/resources/{block}/instances/{number}",
        )

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
    return lift(str(addr), [_providers(block) for block in blocks])


def _providers(block: _Block) -> BlockProviders:
    """Return the providers that one block names, as input for the binding."""
    return BlockProviders(
        block.document.provider or "",
        [
            ObjectProvider(
                instance.key, instance.document.provider or "", f"{block.pointer}/instances/{instance.number}"
            )
            for instance in block.instances
        ],
        block.pointer,
    )


_EMPTY_OBJECT: Final = Raw(b"{}")


class ObjectLifter:
    """A converter for instance objects; it appends problems to `findings`."""

    def __init__(self, findings: list[Finding], dependencies: DependencyReader) -> None:
        self._findings = findings
        self._dependencies = dependencies

    def lift(
        self,
        given: InstanceObjectV4,
        key: InstanceKey,
        provider_key: InstanceKey,
        address: str,
        pointer: str,
        origin: tuple[int, int],
    ) -> ResourceInstanceObject | None:
        """Return the object, or None if it is refused. `address` is that of its instance.

        Raises InvalidDocument if a member has an impossible value.
        """
        paths = self._sensitive_paths(given, address, pointer)
        if paths is None:
            return None
        status = self._status(given, address, pointer) if given.status else ObjectStatus.READY
        if status is None:
            return None
        dependencies = self._dependencies.resources(given.dependencies, address, pointer) if given.dependencies else ()
        depends_on = self._dependencies.instances(given.depends_on, address, pointer) if given.depends_on else ()
        deposed = given.deposed or ""
        if deposed and len(deposed.encode()) != DEPOSED_KEY_BYTES:
            self._notice(
                Code.INVALID_DEPOSED_KEY,
                INVALID_METADATA,
                f'Instance {address} has an object with the deposed key "{deposed}"; '
                f"such keys have exactly {DEPOSED_KEY_BYTES} bytes.",
                address,
                f"{pointer}/deposed",
            )
            return None
        attributes, attributes_flat = self._attributes(given, address, pointer)
        identity, identity_version = self._identity(given, address, pointer)
        return ResourceInstanceObject(
            key=key,
            deposed=deposed,
            provider_key=provider_key,
            status=status,
            schema_version=check_uint64(given.schema_version, f"{pointer}/schema_version"),
            attributes=attributes,
            attributes_flat=attributes_flat,
            sensitive_attributes=paths,
            private=_private(given, address, pointer) if given.private else "",
            dependencies=dependencies,
            depends_on=depends_on,
            create_before_destroy=given.create_before_destroy or False,
            skip_destroy=given.skip_destroy or False,
            identity=identity,
            identity_schema_version=identity_version,
            unknown=given.unknown,
            origin=origin,
        )

    def _sensitive_paths(self, given: InstanceObjectV4, address: str, pointer: str) -> bytes | None:
        raw = given.sensitive_attributes
        if raw is UNSET or equals(raw, NO_PATHS):
            return NO_PATHS
        paths, problems = canonical_paths(bytes(raw))
        for problem in problems:
            self._notice(
                Code.INVALID_SENSITIVE_PATHS,
                problem.summary,
                f"{problem.detail} (in the sensitive attributes of {address})",
                address,
                f"{pointer}/sensitive_attributes",
            )
        return None if problems else paths

    def _status(self, given: InstanceObjectV4, address: str, pointer: str) -> ObjectStatus | None:
        status = STATUSES.get(given.status or "")
        if status is None:
            self._notice(
                Code.INVALID_STATUS,
                INVALID_METADATA,
                f'Instance {address} has the status "{given.status}"; it must be "tainted" or left out.',
                address,
                f"{pointer}/status",
            )
        return status

    def _attributes(
        self, given: InstanceObjectV4, address: str, pointer: str
    ) -> tuple[Raw | None, dict[str, str] | None]:
        raw, flat = given.attributes, given.attributes_flat
        if raw is UNSET:
            if flat is None:
                return _EMPTY_OBJECT, None
            return None, strings(flat)
        if flat is not None:
            self._notice(
                Code.BOTH_ATTRIBUTE_FORMS,
                "Both attribute forms on one object",
                f'Instance {address} has "attributes" and "attributes_flat". Only "attributes" counts; '
                "the flat form is dropped when the file is written.",
                address,
                f"{pointer}/attributes_flat",
            )
        return raw, None

    def _identity(self, given: InstanceObjectV4, address: str, pointer: str) -> tuple[Raw | None, int | None]:
        raw, version = given.identity, given.identity_schema_version
        if version is not None:
            check_uint64(version, f"{pointer}/identity_schema_version")
        if raw is not UNSET:
            return raw, version
        # Version 0 is not reported: Terraform 1.12 and later write it for every object.
        if version:
            self._notice(
                Code.NORMALISED_VALUE,
                "Identity schema version without an identity",
                f'Instance {address} has "identity_schema_version" but no "identity"; '
                "it is dropped when the file is written.",
                address,
                f"{pointer}/identity_schema_version",
            )
        return None, None

    def _notice(self, code: Code, summary: str, detail: str, address: str, pointer: str) -> None:
        self._findings.append(code.notice(summary, detail, address, pointer))


def _private(given: InstanceObjectV4, address: str, pointer: str) -> str:
    try:
        return canonical_private(given.private)
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/private", f"it is {error}", address, Code.PRIVATE_INVALID) from error


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
