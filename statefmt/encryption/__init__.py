"""OpenTofu's state encryption, from bytes to bytes: envelopes, methods, key providers, and their configuration."""

from __future__ import annotations

from statefmt.encryption._cipher import (
    Opened,
    check_configuration,
    decrypt,
    encrypt,
    encrypt_checked,
    encrypts,
    examine,
    identity_differs,
)
from statefmt.encryption.configuration.merge import merged
from statefmt.encryption.configuration.model import EncryptionConfiguration, configuration_of
from statefmt.encryption.configuration.values import (
    ArgumentBlock,
    ArgumentValue,
    Reference,
    Unread,
)
from statefmt.encryption.envelope import (
    Envelope,
    EnvelopeLayout,
    glance,
    parse_envelope,
    version_of,
    write_envelope,
)
from statefmt.encryption.origin import Origin, OriginKind
from statefmt.encryption.randomness import Randomness, SystemRandomness

__all__ = [
    "ArgumentBlock",
    "ArgumentValue",
    "EncryptionConfiguration",
    "Envelope",
    "EnvelopeLayout",
    "Opened",
    "Origin",
    "OriginKind",
    "Randomness",
    "Reference",
    "SystemRandomness",
    "Unread",
    "check_configuration",
    "configuration_of",
    "decrypt",
    "encrypt",
    "encrypt_checked",
    "encrypts",
    "examine",
    "glance",
    "identity_differs",
    "merged",
    "parse_envelope",
    "version_of",
    "write_envelope",
]
