"""What rules look at: all that reading a file gave, and its parts one by one.

The parts come from the parsed document, so that they are there also where no snapshot can be made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct

from statefmt.formats.reading.inspect import CURRENT_VERSION, Inspection
from statefmt.formats.releases.releases import Release
from statefmt.formats.versions.v4 import InstanceObjectV4, ResourceV4
from statefmt.formats.writing.is_canonical import is_canonical
from statefmt.model.addrs import IntKey, StringKey
from statefmt.model.codes import NO_STATE, Code
from statefmt.model.errors import EncryptionError
from statefmt.model.findings import Command, Fix

if TYPE_CHECKING:
    # Most runs have no configuration, and load nothing of this.
    from statefmt.configuration.providers.references import ProviderReferences
    from statefmt.encryption import Envelope, Opened

T = TypeVar("T")


class ResourcePart(Struct, frozen=True, gc=False):
    """One entry of `resources`: its address as it reads, also where the address is not valid."""

    document: ResourceV4
    address: str
    pointer: str


class ObjectPart(Struct, frozen=True, gc=False):
    """One entry of a resource's `instances`; `address` is that of the instance, a deposed key not included."""

    document: InstanceObjectV4
    resource: ResourcePart
    address: str
    pointer: str


@dataclass(frozen=True)
class Subject:
    """A state to be checked, perhaps for a release. Everything is worked out once, when a rule first asks for it.

    `name` is that of its file, `-` for standard input; None where nobody said. `configuration` is what the state is
    to be held against, if anything, and `opened` what an encryption configuration has made of the file.
    """

    inspection: Inspection
    release: Release | None = None
    name: str | None = None
    configuration: ProviderReferences | None = None
    opened: Opened | None = None
    _found: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def command(self, name: str, *arguments: str, mends: bool = False) -> Fix:
        """A command of statetool on this state, with when it can be run.

        What keeps a state from being read must be mended first, unless this command `mends` it; and an older format
        must be upgraded before anything else is done to it.
        """
        state = () if self.name is None else ("--state", self.name)
        command = Command(name, (*arguments, *state))
        if not self._can_be_read and not mends:
            return Fix.of(command, ", once the state can be read")
        if self.inspection.version != CURRENT_VERSION and name != "upgrade":
            return Fix.of(command, ", once the state is upgraded")
        return Fix.of(command)

    def command_on(self, name: str, address: str, *arguments: str) -> Fix:
        """A command on one instance; where its address means others too, what to do first."""
        if address not in self._ambiguous:
            return self.command(name, address, *arguments)
        rekeying = self.command("rekey", address, "--map", "=KEY")
        return Fix.of(f"{address} means all instances of the resource, so first ", rekeying)

    def rewriting(self, *options: str, mends: bool = False) -> Fix:
        """The command that writes the same state anew in canonical form; it takes the options of `fmt`."""
        is_current = self.inspection.version == CURRENT_VERSION
        command = ("fmt",) if is_current else ("upgrade", "--in-place")
        return self.command(*command, *options, mends=mends)

    def once(self, work_out: Callable[[Subject], T]) -> T:
        """What a function gives for this state: worked out when the first rule asks for it, for all rules."""
        if work_out not in self._found:
            self._found[work_out] = work_out(self)
        found: T = self._found[work_out]
        return found

    @cached_property
    def resources(self) -> tuple[ResourcePart, ...]:
        """The entries of `resources`, in the order of the file."""
        document = self.inspection.document
        found = []
        for number, given in enumerate((document.resources if document else None) or ()):
            resource = given or ResourceV4()
            found.append(ResourcePart(resource, resource.address(), f"/resources/{number}"))
        return tuple(found)

    @cached_property
    def objects(self) -> tuple[ObjectPart, ...]:
        """The entries of all `instances`, in the order of the file."""
        found: list[ObjectPart] = []
        for resource in self.resources:
            for number, given in enumerate(resource.document.instances or ()):
                obj = given or InstanceObjectV4()
                key = "" if obj.index_key is None else key_text(obj)
                address = f"{resource.address}{'[?]' if key is None else key}"
                found.append(ObjectPart(obj, resource, address, f"{resource.pointer}/instances/{number}"))
        return tuple(found)

    @cached_property
    def envelope(self) -> Envelope | None:
        """The envelope of an encrypted state, opened or not; None where there is none, or it cannot be read."""
        if self.opened is not None:
            return self.opened.envelope
        if not self.is_encrypted:
            return None
        # Imported here, since nearly every state is plain.
        from statefmt.encryption import glance

        try:
            return glance(self.inspection.data)
        except EncryptionError:
            return None

    @cached_property
    def is_encrypted(self) -> bool:
        """Whether the bytes are an envelope that nobody has opened."""
        return any(finding.code == Code.ENCRYPTED for finding in self.inspection.findings)

    @cached_property
    def _can_be_read(self) -> bool:
        """Whether commands other than `check` take this for a state."""
        inspection = self.inspection
        return inspection.snapshot is not None and not any(found.code in NO_STATE for found in inspection.findings)

    @cached_property
    def _ambiguous(self) -> frozenset[str]:
        """The addresses that resources share with an instance without a key, beside which there are others."""
        keyless = {part.address for part in self.objects if part.address == part.resource.address}
        return frozenset(part.resource.address for part in self.objects if part.address not in keyless) & keyless

    @cached_property
    def is_canonical(self) -> bool:
        """Whether the bytes are what OpenTofu would write, in the file's own style; False where that is unknown."""
        inspection = self.inspection
        if inspection.snapshot is None:
            return False
        return is_canonical(inspection.data, inspection.snapshot, inspection.style, keep_unknown=True)


def key_text(obj: InstanceObjectV4) -> str | None:
    """An object's instance key as it stands in addresses, "" for none; None where it is no key."""
    key = obj.index_key
    if isinstance(key, str):
        return str(StringKey(key))
    if isinstance(key, (int, float)) and not isinstance(key, bool):
        return str(IntKey(int(key)))
    return "" if key is None else None
