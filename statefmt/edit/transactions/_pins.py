"""What a state must be, and become, for a change to go on."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from msgspec import Struct

from statefmt.edit.session import LoadedState
from statefmt.edit.transactions._contents import hash_before
from statefmt.model.errors import ChangedError
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import Stored
from statefmt.store.reading import display_name

_DIGITS: Final = 32


class Pin(Struct, frozen=True):
    """What is known of a state; None where anything is allowed.

    `hash` is the SHA-256 of its plain content, `stored` that of its bytes, `version` the store's. `result` is the hash
    of the plain content that the change makes.
    """

    lineage: str | None = None
    serial: int | None = None
    hash: str | None = None
    stored: str | None = None
    version: str | None = None
    result: str | None = None

    def refuse_other(self, state: LoadedState, stored: Stored) -> None:
        """Raise ChangedError if the state is another one than was pinned, or was changed."""
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
        """Raise ChangedError if the change makes another content than was pinned."""
        if self.result not in (None, result):
            raise ChangedError(
                f"{display_name(name)}: the operations have another result than before, perhaps with another version "
                "of statetool; nothing was written. Plan again",
                self.result or "",
            )


def version_text(version: Hashable) -> str:
    """Return the version of a store as a string; "" if it has none, or one that changes without a write."""
    # That of a local file has its time, and is None where it is read without a lock.
    if version is None or isinstance(version, tuple):
        return ""
    return version if isinstance(version, str) else checksum(repr(version).encode())[:_DIGITS]
