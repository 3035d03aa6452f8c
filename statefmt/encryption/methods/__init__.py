"""The encryption methods, one file each. To add one, add a file and a line in `BUILDERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from statefmt.encryption.configuration.model import EncryptionConfiguration, MethodBlock
from statefmt.encryption.methods import aes_gcm, external, unencrypted
from statefmt.encryption.methods.method import Method

BUILDERS: Final[Mapping[str, Callable[[MethodBlock, EncryptionConfiguration], Method]]] = {
    "aes_gcm": aes_gcm.method,
    "external": external.method,
    "unencrypted": unencrypted.method,
}
