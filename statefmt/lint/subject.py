"""The input of the rules: the whole content of a file, and its parts.

The parts come from the parsed document, so they exist even if the document cannot become a snapshot. Besides Subject,
this module has functions that read a part: its key, its address and its sensitive paths.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import UNSET, Raw, Struct

from statefmt.formats.providers import short_addresses
from statefmt.formats.raw_json import equals
from statefmt.formats.reading import CURRENT_VERSION, Inspection
from statefmt.formats.releases import Release
from statefmt.formats.versions import InstanceObjectV4, ResourceV4
from statefmt.formats.writing import is_canonical
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.cty.data import GetAttr, Path
from statefmt.model.cty.paths import decode_paths
from statefmt.model.errors import EncryptionError
from statefmt.model.findings import NO_STATE, Code, Command, Fix
from statefmt.redaction.object_value import DecodedOnce
from statefmt.redaction.partial import path_text, step_key
from statefmt.store.backends import state_words

if TYPE_CHECKING:
    from statefmt.configuration.provider_instances import ProviderReferences
    from statefmt.encryption import Envelope, Opened
    from statefmt.lifecycle.schema import ProviderSchemas


T = TypeVar("T")

_NULL: Final = InstanceObjectV4()
# The members of a value of a dynamic type.
_DYNAMIC: Final = {"value", "type"}


class ResourcePart(Struct, frozen=True, gc=False):
    """One entry of `resources`. Its `address` is set even if it is invalid."""

    document: ResourceV4
    address: str
    number: int

    @property
    def pointer(self) -> str:
        """The JSON pointer to the entry."""
        return f"/resources/{self.number}"


class ObjectPart(Struct, frozen=True, gc=False):
    """One entry of a resource's `instances`. Most have no findings, so address and pointer are built on demand."""

    document: InstanceObjectV4
    resource: ResourcePart
    number: int

    @property
    def address(self) -> str:
        """The address of the instance, even if it is invalid, without a deposed key."""
        key = key_text(self.document)
        return f"{self.resource.address}{'[?]' if key is None else key}"

    @property
    def pointer(self) -> str:
        """The JSON pointer to the entry."""
        return f"{self.resource.pointer}/instances/{self.number}"


@dataclass(frozen=True)
class Subject:
    """A state to check, optionally for a release. Everything is computed once, on first use.

    `name` is its file, `-` for standard input, or None if unknown. `configuration` is the configuration to compare
    with the state, `opened` the decrypted file, and `schemas` the schemas of the state's providers, each if any. With
    `json_schema`, the state is also validated against the JSON schema of its format.
    """

    inspection: Inspection
    release: Release | None = None
    name: str | None = None
    configuration: ProviderReferences | None = None
    opened: Opened | None = None
    schemas: ProviderSchemas | None = None
    json_schema: bool = False
    _found: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def command(self, name: str, *arguments: str, mends: bool = False) -> Fix:
        """Return a statetool command on this state, with the condition for running it, if any.

        A state that cannot be read must be fixed first, and a state in an older format upgraded, unless this command
        does so (`mends`).
        """
        state = () if self.name is None else state_words(self.name)
        command = Command(name, (*arguments, *state))
        if not self.can_be_read and not mends:
            return Fix.of(command, ", once the state can be read")
        if self.inspection.version != CURRENT_VERSION and name != "upgrade" and not mends:
            return Fix.of(command, ", once the state is upgraded")
        return Fix.of(command)

    def repairing(self) -> Fix:
        """Return the command that lists the repairs of a state that cannot be read."""
        return Fix.of(self.command("repair", mends=True), " shows the choices.")

    def command_on(self, name: str, address: str, *arguments: str) -> Fix:
        """Return a command on one instance; if its address selects other instances too, the command to run first."""
        if address not in self._ambiguous:
            return self.command(name, address, *arguments)
        rekeying = self.command("rekey", address, "--map", "=KEY")
        return Fix.of(f"{address} selects all instances of the resource, so first ", rekeying)

    def rewriting(self, *options: str, mends: bool = False) -> Fix:
        """Return the command that rewrites the state in canonical form, with options of `fmt`.

        If the state names providers only by type, the user has to choose the ENGINE.
        """
        is_current = self.inspection.version == CURRENT_VERSION
        command = ("fmt",) if is_current else ("upgrade", "--in-place")
        engine = ("--registry", "ENGINE") if self.has_short_addresses and "--registry" not in options else ()
        return self.command(*command, *engine, *options, mends=mends)

    def rewriting_or_repairing(self, purpose: str) -> Fix:
        """Return the command that rewrites the state, after its purpose; the repairs if the state cannot be read."""
        return Fix.of(purpose, self.rewriting(), ".") if self.can_be_read else self.repairing()

    @cached_property
    def has_short_addresses(self) -> bool:
        """Whether provider addresses in the form before Terraform 0.13 name only a type."""
        document = self.inspection.document
        return document is not None and bool(short_addresses(document))

    def once(self, compute: Callable[[Subject], T]) -> T:
        """Return the result of a function for this state, computed on first use and shared by all rules."""
        if compute not in self._found:
            self._found[compute] = compute(self)
        found: T = self._found[compute]
        return found

    @cached_property
    def resources(self) -> tuple[ResourcePart, ...]:
        """The entries of `resources`, in the order of the file."""
        document = self.inspection.document
        given = (resource or ResourceV4() for resource in (document.resources if document else None) or ())
        return tuple([ResourcePart(resource, resource.address(), number) for number, resource in enumerate(given)])

    @cached_property
    def blocks_by_address(self) -> Mapping[str, Sequence[ResourcePart]]:
        """The blocks of each resource by address, in the order of the file."""
        blocks: dict[str, list[ResourcePart]] = {}
        for resource in self.resources:
            blocks.setdefault(resource.address, []).append(resource)
        return blocks

    @cached_property
    def objects(self) -> tuple[ObjectPart, ...]:
        """The entries of all `instances`, in the order of the file."""
        return tuple(
            [
                ObjectPart(obj or InstanceObjectV4(), resource, number)
                for resource in self.resources
                for number, obj in enumerate(resource.document.instances or ())
            ]
        )

    @cached_property
    def envelope(self) -> Envelope | None:
        """The envelope of an encrypted state, decrypted or not; None if there is none or it cannot be read."""
        if self.opened is not None:
            return self.opened.envelope
        if not self.is_encrypted:
            return None
        # Imported late: nearly every state is plain.
        from statefmt.encryption import glance

        try:
            return glance(self.inspection.data)
        except EncryptionError:
            return None

    @cached_property
    def is_encrypted(self) -> bool:
        """Whether the bytes are an envelope that was not decrypted."""
        return any(finding.code == Code.ENCRYPTED for finding in self.inspection.findings)

    @cached_property
    def is_record(self) -> bool:
        """Whether the file is the record of `init`, to which advice about states does not apply."""
        return any(finding.code == Code.BACKEND_CONFIGURATION for finding in self.inspection.findings)

    @cached_property
    def can_be_read(self) -> bool:
        """Whether commands other than `check` accept this as a state."""
        inspection = self.inspection
        is_read = inspection.snapshot is not None or inspection.in_terraform is not None
        return is_read and not any(found.code in NO_STATE for found in inspection.findings)

    @cached_property
    def _ambiguous(self) -> frozenset[str]:
        """The addresses of resources that have an instance without a key and also other instances."""
        keyless = {part.resource.address for part in self.objects if part.document.index_key is None}
        keyed = {part.resource.address for part in self.objects if part.document.index_key is not None}
        return frozenset(keyless & keyed)

    @cached_property
    def is_canonical(self) -> bool:
        """Whether the bytes equal OpenTofu's output, in the file's own style; False if unknown."""
        inspection = self.inspection
        if inspection.snapshot is None:
            return False
        return is_canonical(inspection.data, inspection.snapshot, inspection.style, keep_unknown=True)


def key_text(obj: InstanceObjectV4) -> str | None:
    """Return an object's instance key as written in addresses, "" for no key, or None if it is invalid."""
    key = obj.index_key
    if isinstance(key, str):
        return str(StringKey(key))
    if isinstance(key, (int, float)) and not isinstance(key, bool):
        return str(IntKey(int(key)))
    return "" if key is None else None


def objects_of(resource: ResourcePart) -> Sequence[InstanceObjectV4]:
    """Return the objects of one block; a null entry reads as an empty object."""
    return [obj or _NULL for obj in resource.document.instances or ()]


def instance_address(resource: ResourcePart, obj: InstanceObjectV4) -> str:
    """Return the address of an object's instance; omits an invalid key."""
    return f"{resource.address}{key_text(obj) or ''}"


def sensitive_paths(obj: InstanceObjectV4) -> tuple[Path, ...]:
    """Return the paths in `sensitive_attributes`; none if OpenTofu refuses the list, which INS003 reports."""
    raw = obj.sensitive_attributes
    return () if raw is UNSET or equals(raw, b"[]") else _paths(bytes(raw))


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    return () if problems else paths


def missing_steps(attributes: Raw, paths: Sequence[Path]) -> Iterator[int | None]:
    """Yield, for each path, the index of the first missing step; None if all exist or it is ambiguous.

    Nothing below a null counts as missing: it is just not set.
    """
    decoded = DecodedOnce()
    return (_missing(attributes, path, 0, decoded) for path in paths)


def _missing(value: Raw, path: Path, place: int, decoded: DecodedOnce) -> int | None:
    if place == len(path):
        return None
    first = memoryview(value)[0]
    key = step_key(path[place])
    if first == ord("n"):
        return None
    if first == ord("{"):
        members = decoded.members(value)
        if members.keys() == _DYNAMIC and _missing(members["value"], path, place, decoded) is None:
            return None
        found = members.get(key) if isinstance(key, str) else None
        return place if found is None else _missing(found, path, place + 1, decoded)
    if first != ord("[") or isinstance(path[place], GetAttr):
        return place
    if not isinstance(key, int):
        # Paths identify an element of a set by its value.
        return None
    elements = decoded.list_elements(value)
    if elements is None:
        return None
    return _missing(elements[key], path, place + 1, decoded) if 0 <= key < len(elements) else place


def shown_path(path: Path, missing: int) -> str:
    """Format a path up to its missing step. Omits a missing key, which may be the value of a set element."""
    steps = [key for step in path[: missing + 1] if isinstance(key := step_key(step), (str, int))]
    last = path[missing]
    if isinstance(last, GetAttr) or isinstance(last.key, int):
        return path_text(steps)
    return f"{path_text(steps[:missing])}[…]"
