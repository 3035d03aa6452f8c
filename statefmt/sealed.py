"""States that are encrypted in their file: opened as they are read, and sealed again before they are written.

The store below sees encrypted bytes only, so that backups, journals and histories of them are encrypted, too; what is
above sees plain ones, and writes them nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.model.errors import ConfigurationError, EncryptionError
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    from statefmt.encryption import EncryptionConfiguration, Opened


class Seal(Struct, frozen=True):
    """How a file keeps an encrypted state: its bytes, what they say, and how other content is written."""

    stored: bytes
    opened: Opened
    configuration: EncryptionConfiguration

    def __repr__(self) -> str:
        # Nothing of what is sealed.
        return "Seal()"

    def sealed(self, plain: bytes) -> bytes:
        """What to write for some content: it is encrypted by the method that writes. Raises EncryptionError.

        The layout is that of the file; content that is as before stays as it is.
        """
        from statefmt.encryption import SystemRandomness, encrypt_checked

        if plain == self.opened.plain:
            return self.stored
        assert self.opened.envelope is not None
        return encrypt_checked(plain, self.configuration, SystemRandomness(), self.opened.envelope.layout)


def opened(context: RunContext, name: str, data: bytes, *, tolerant: bool = False) -> Opened | None:
    """What the configuration of a run makes of a state; None where there is none, or nothing for it to open.

    A `tolerant` caller wants to know what is wrong: it gets plain states opened, too, and serials and lineages that
    differ outside and inside. Raises EncryptionError, with the name of the file, where the state is encrypted and
    cannot be opened, and ConfigurationError.
    """
    if context.encryption is None:
        return None
    # Imported once it is certain to be needed: it takes cryptography with it.
    from statefmt.encryption import decrypt, examine, glance

    try:
        with about(name):
            if not tolerant and glance(data) is None:
                return None
            # The configuration is read only now: a module may have none, and a passphrase may not be there.
            found = context.configuration()
            return None if found is None else (examine if tolerant else decrypt)(data, found)
    except ConfigurationError:
        if tolerant and _is_plain(data):
            # Nobody needs the configuration for a plain state.
            return None
        raise


@contextmanager
def about(name: str) -> Iterator[None]:
    """Puts the name of a state before what is wrong with it; what is wrong with the configuration stays as it is."""
    try:
        yield
    except ConfigurationError:
        raise
    except EncryptionError as error:
        raise EncryptionError(f"{display_name(name)}: {error}") from None


def _is_plain(data: bytes) -> bool:
    from statefmt.encryption import glance

    try:
        return glance(data) is None
    except EncryptionError:
        return False
