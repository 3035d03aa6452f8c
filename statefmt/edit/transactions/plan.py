"""Loads and pins the states of a change, and models the plan, the intent and the staged results.

The lineage of a new state is derived from the change and the states before it, so that it is the same in a plan, in an
apply and in its completion after a crash.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta, Struct, structs

from statefmt.context import RunContext
from statefmt.edit.pipeline import EditOptions
from statefmt.edit.session import LoadedState, loaded, loaded_plain
from statefmt.edit.transactions._participants import Participant
from statefmt.formats.writing import canonical
from statefmt.model.errors import ChangedError, SettingsError, StoreError
from statefmt.model.snapshot import Snapshot
from statefmt.pieces import Pieces
from statefmt.sealed import Seal
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import NOTHING, Stored
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    from statefmt.store.protocol import LockInfo


# A UUID derived from a name.
_VERSION: Final = 5


def before_change(
    context: RunContext, states: Mapping[str, Participant], change: str, contents: Mapping[str, bytes]
) -> dict[str, LoadedState]:
    """Return all states of a change before it; `contents` are their bytes, and `change` is the hash of the operations.

    Raises StatetoolError if a state cannot be read, if it does not exist, or if a state to create has content.
    """
    found = {
        name: loaded(context, one.store.name, contents[name])
        for name, one in states.items()
        if contents[name] or not one.is_created
    }
    if not found:
        one = next(iter(states.values()))
        raise StoreError(f"{display_name(one.store.name)}: no other state is named that its objects could come from")
    for name, state in found.items():
        states[name].refuse_existing(state.result.snapshot)
    hashes = {name: hash_before(state) for name, state in found.items()}

    def begun(name: str, one: Participant) -> LoadedState:
        if name in found:
            return found[name]
        unique = msgspec.json.encode([change, name, sorted(hashes.items())])
        return _begun(one, found, str(UUID(bytes=sha256(unique).digest()[:16], version=_VERSION)))

    return {name: begun(name, one) for name, one in states.items()}


def hash_before(state: LoadedState) -> str:
    """Return the SHA-256 of the plain content before the change; of no bytes for a state that does not exist yet."""
    return NOTHING if state.is_new else checksum(state.data)


def emptied(state: LoadedState) -> bytes:
    """Return the initial, empty content of a created state, for backends that cannot delete it."""
    now = state.result.snapshot
    return canonical(Snapshot(terraform_version=now.terraform_version, lineage=now.lineage), state.result.style)


def _begun(one: Participant, found: Mapping[str, LoadedState], lineage: str) -> LoadedState:
    """Return an empty state modelled on the first state that its objects come from.

    It is encrypted if any of these states is.
    """
    sources = [found[name] for name in one.created_from or ()] or list(found.values())
    first = sources[0].result
    content = canonical(Snapshot(terraform_version=first.snapshot.terraform_version, lineage=lineage), first.style)
    sealed = next((state.seal for state in sources if state.seal is not None), None)
    seal = None if sealed is None else Seal(b"", replace(sealed.opened, plain=b""), sealed.configuration)
    return structs.replace(loaded_plain(one.store.name, content, seal=seal), is_new=True)


class Intent(Struct, frozen=True):
    """A change of several states: the path of the operations file, and the SHA-256 of its content.

    `options` apply to each state: the command line, the locks and the backups. A change without an operations file has
    a unique `key`, and `file` is its name in messages. `words` are the command that ends it after a crash, with
    --resume or --abort. `undoes` is the ID of the undone change, and `back_to` has the number of the first undone edit
    of each state. Raises StoreError for options that only fit an edit of one state.
    """

    file: str
    checksum: str
    options: EditOptions
    key: str = ""
    words: tuple[str, ...] = ()
    undoes: str = ""
    back_to: Mapping[str, int] = MappingProxyType({})

    def __post_init__(self) -> None:
        if self.options.of_one_state:
            raise StoreError(f"{self.options.of_one_state[0]}: this option is for an edit of one state")

    @property
    def path(self) -> str:
        """The canonical path of the file, or the key; links are not resolved, as states are relative to the folder of
        the link.
        """
        file = Path(self.file)
        return self.key or str(Path(os.path.realpath(file.parent), file.name))

    @property
    def ending(self) -> tuple[str, ...]:
        """The command that ends the change; see `ways_out`."""
        return self.words or ("apply", self.path)

    @property
    def what(self) -> str:
        """The name of the change in messages."""
        return self.ending[0] if self.key else "apply of this file"

    def lock_info(self, context: RunContext, name: str) -> LockInfo:
        """Return the lock information for a state."""
        return context.lock_info(name, self.ending[0], self.options.command)


_DIGITS: Final = 32


class Pin(Struct, frozen=True):
    """The expected identity of a state; None allows any value.

    `hash` is the SHA-256 of its plain content, `stored` of its bytes, `version` is the version of the store. `result`
    is the hash of the new plain content.
    """

    lineage: str | None = None
    serial: int | None = None
    hash: str | None = None
    stored: str | None = None
    version: str | None = None
    result: str | None = None

    def refuse_other(self, state: LoadedState, stored: Stored) -> None:
        """Raise ChangedError if the state does not match the pin."""
        snapshot = state.result.snapshot
        name = display_name(state.name)
        if self.lineage not in (None, snapshot.lineage):
            raise ChangedError(
                f"{name}: the lineage is {snapshot.lineage}, not {self.lineage}: this is another state; nothing was "
                "written",
                self.lineage or "",
            )
        if self.serial not in (None, snapshot.serial):
            raise ChangedError(
                f"{name}: the serial is {snapshot.serial}, not {self.serial}: the state was changed; nothing was "
                "written",
                self.serial or 0,
            )
        expected = (self.hash, hash_before(state)), (self.stored, checksum(state.stored))
        wrong = next((one for one, found in expected if one is not None and one.lower() != found), None)
        if wrong is not None:
            raise ChangedError(f"{name}: the content was changed; nothing was written", wrong)
        if self.version is not None and (now := version_text(stored.version)) not in ("", self.version):
            raise ChangedError(
                f"{name}: the state was written, and has the same content again; nothing was written. Its version is "
                f"{now}, not {self.version}",
                self.version,
            )

    def refuse_other_result(self, name: str, result: str) -> None:
        """Raise ChangedError if the new content does not match the pin."""
        if self.result not in (None, result):
            raise ChangedError(
                f"{display_name(name)}: the operations have another result than before, perhaps with another version "
                "of statetool; nothing was written. Plan again",
                self.result or "",
            )


def version_text(version: Hashable) -> str:
    """Return the version of a store as a string; "" if it has none, or if it changes without a write."""
    # The version of a local file includes its time, and is None without a lock.
    if version is None or isinstance(version, tuple):
        return ""
    return version if isinstance(version, str) else checksum(repr(version).encode())[:_DIGITS]


R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Write:
    """A write of a state, by its short name: the plain content, and its pieces if it is derived from the content
    before.
    """

    state: str
    content: bytes
    pieces: Pieces | None = None

    def __repr__(self) -> str:
        # The content may have secrets.
        return f"Write(state={self.state!r})"


@dataclass(frozen=True, slots=True)
class Staged(Generic[R]):
    """The writes in order, and the outcome for display. A state may be written twice; the last write is its result."""

    writes: tuple[Write, ...]
    outcome: R


# Computes the results from the states before; a pure function, which may run again to finish after a crash.
Staging: TypeAlias = Callable[[Mapping[str, LoadedState]], Staged[R]]


# A plan of an operations file, for review before an apply: each state, and its result. It has hashes and no content, so
# no value that the operations set. `schemas/operations-plan.schema.json` describes it.

_FORMAT: Final = "1.0"


class PlannedState(Struct, frozen=True, forbid_unknown_fields=True):
    """A state when it was planned; hashes are the SHA-256 of plain contents.

    `location` is its path, relative to the operations file, or its URL without credentials. `version` is the version of
    the store, "" if it has none. `result` is the hash of the new content. A state to create has the hash of no bytes.
    """

    location: str
    lineage: str
    serial: int
    hash: str
    version: str
    result: str

    @property
    def pin(self) -> Pin:
        """The condition that the state must meet when the plan is applied."""
        return Pin(self.lineage, self.serial, self.hash, version=self.version or None, result=self.result)


class PlannedFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The operations file of a plan: its path, relative to the plan, and the SHA-256 of its content."""

    path: Annotated[str, Meta(pattern=r"^[^\0]+$")]
    hash: str


class OperationsPlan(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A plan: the operations file, and its states by their short names."""

    format_version: str = _FORMAT
    operations_file: PlannedFile
    states: Mapping[str, PlannedState]


def encoded_plan(plan: OperationsPlan) -> bytes:
    """Return a plan as JSON."""
    return msgspec.json.format(msgspec.json.encode(plan), indent=2) + b"\n"


def is_plan(content: bytes) -> bool:
    """Return whether the content of a file is a plan, and not operations."""
    try:
        return "format_version" in msgspec.json.decode(content, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def read_plan(name: str, content: bytes) -> OperationsPlan:
    """Read a plan. Raises SettingsError if it is invalid."""
    try:
        version = msgspec.json.decode(content, type=_Version).format_version
        if version != _FORMAT:
            raise SettingsError(f"{name}: the plan has format {version!r}, from another statetool; plan again")
        return msgspec.json.decode(content, type=OperationsPlan)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{name}: invalid plan: {error}") from None


def relative(path: str, folder: Path) -> str:
    """Return a path relative to a folder, with slashes."""
    return Path(os.path.relpath(os.path.realpath(path), os.path.realpath(folder))).as_posix()


class _Version(Struct):
    format_version: str
