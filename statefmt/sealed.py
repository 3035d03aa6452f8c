"""States that are encrypted in their file: opened as they are read, and sealed again before they are written.

The store below sees encrypted bytes only, so that backups, journals and histories of them are encrypted, too; what is
above sees plain ones, and writes them nowhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

from statefmt.errors import ConfigurationError, EncryptionError
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    from statefmt.encryption import Configuration, Layout, Opened

# Reads the configuration once it is needed; None where there is none.
Configured: TypeAlias = "Callable[[], Configuration | None]"

_configured: ContextVar[Configured | None] = ContextVar("configured", default=None)


def use_configuration(configured: Configured | None) -> None:
    """Open encrypted states with this configuration from now on."""
    _configured.set(configured)


def configuration() -> Configuration | None:
    """The configuration that encrypted states are opened with; None where there is none. Raises ConfigurationError."""
    configured = _configured.get()
    return None if configured is None else configured()


class Seal(Struct, frozen=True):
    """How a file keeps a state that is encrypted: what is in it, what that says, and how to write something else."""

    stored: bytes
    plain: bytes
    layout: Layout
    configuration: Configuration

    def __repr__(self) -> str:
        # Nothing of what is sealed.
        return "Seal()"

    def sealed(self, plain: bytes) -> bytes:
        """What to write for some content: it is encrypted by the method that writes. Raises EncryptionError.

        The layout is that of the file; content that is as before stays as it is.
        """
        from statefmt.encryption import SystemRandomness, encrypt_checked

        if plain == self.plain:
            return self.stored
        return encrypt_checked(plain, self.configuration, SystemRandomness(), self.layout)


def opened(name: str, data: bytes) -> Seal | None:
    """The seal of bytes that are encrypted; None where they are plain, or there is no configuration.

    Raises EncryptionError, with the name of the file, where they cannot be opened, and ConfigurationError.
    """
    if _configured.get() is None:
        return None
    # Imported once it is certain to be needed: it takes cryptography with it.
    from statefmt.encryption import decrypt, glance

    try:
        envelope = glance(data)
        # The configuration is read only now: a module may have none, and a passphrase may not be there.
        found = None if envelope is None else configuration()
        if envelope is None or found is None:
            return None
        return Seal(data, decrypt(data, found).plain, envelope.layout, found)
    except EncryptionError as error:
        raise EncryptionError(f"{display_name(name)}: {error}") from None


def plain(name: str, data: bytes) -> bytes:
    """The plain bytes of a state, opened where that is needed and possible. Raises EncryptionError."""
    seal = opened(name, data)
    return data if seal is None else seal.plain


def examined(name: str, data: bytes) -> Opened | None:
    """What the configuration makes of a state, for who tells what is wrong with it; None where there is none.

    Raises EncryptionError, with the name of the file, where it is encrypted and cannot be opened.
    """
    try:
        found = configuration()
        if found is None:
            return None
        # Imported once it is needed, as above.
        from statefmt.encryption import examine

        with about(name):
            return examine(data, found)
    except ConfigurationError:
        # Nobody needs the configuration for a plain state.
        if _is_plain(data):
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
