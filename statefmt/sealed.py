"""Decrypts states as they are read and encrypts them again before they are written.

Stores only ever see encrypted bytes, so backups, journals and histories are encrypted, too. The layers above see
plain bytes and write them nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from statefmt.context import RunContext
from statefmt.model.errors import ConfigurationError, EncryptionError, Wording
from statefmt.store.reading import display_name

if TYPE_CHECKING:
    from statefmt.encryption import EncryptionConfiguration, Opened


class Seal(Struct, frozen=True):
    """An encrypted file: its bytes, its decrypted content, and the configuration that encrypts new content."""

    stored: bytes
    opened: Opened
    configuration: EncryptionConfiguration

    def __repr__(self) -> str:
        # Keep the decrypted content out of logs and tracebacks.
        return "Seal()"

    def sealed(self, plain: bytes) -> bytes:
        """Encrypt `plain` with the configured method, in the layout of the file. Raises EncryptionError.

        Returns the stored bytes if the content has not changed.
        """
        from statefmt.encryption import SystemRandomness, encrypt_checked

        if plain == self.opened.plain:
            return self.stored
        assert self.opened.envelope is not None
        return encrypt_checked(plain, self.configuration, SystemRandomness(), self.opened.envelope.layout)


def opened(context: RunContext, name: str, data: bytes, *, tolerant: bool = False) -> Opened | None:
    """Decrypt a state with the configuration of the run; None if there is no configuration or the state is plain.

    With `tolerant`, also accepts plain states, and serials and lineages that differ between the envelope and the
    decrypted state. Raises EncryptionError, naming the file, if the state is encrypted and cannot be decrypted, and
    ConfigurationError if the configuration is invalid.
    """
    if context.encryption is None:
        return None
    # Imported late because it loads the cryptography package.
    from statefmt.encryption import decrypt, examine, glance

    try:
        with about(name):
            if not tolerant and glance(data) is None:
                return None
            # Not read earlier: the module may have no configuration, and its passphrase may be unavailable.
            found = context.configuration()
            return None if found is None else (examine if tolerant else decrypt)(data, found)
    except ConfigurationError:
        if tolerant and _is_plain(data):
            # A plain state does not need the configuration.
            return None
        raise


def opened_plan(context: RunContext, name: str, data: bytes) -> bytes:
    """Decrypt a plan file with the configuration of the run; return any other bytes unchanged.

    Raises EncryptionError, naming the file, if the plan file is encrypted and cannot be decrypted, and
    ConfigurationError if the configuration is invalid.
    """
    if b'"encrypted_data"' not in data:
        return data
    # Imported late because it loads the cryptography package.
    from statefmt.encryption import PLAN, examine, glance

    with about(name):
        if glance(data) is None:
            return data
        found = context.configuration()
        if found is not None:
            return examine(data, found, PLAN).plain
    needed = Wording("name its configuration with --encryption or --encryption-config", "give its configuration")
    raise EncryptionError(f"{display_name(name)}: the plan file is encrypted; ", needed)


@contextmanager
def about(name: str) -> Iterator[None]:
    """Prefix EncryptionError messages with the name of the state. ConfigurationError passes unchanged."""
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
