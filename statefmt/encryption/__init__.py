"""OpenTofu's state encryption, from bytes to bytes: envelopes, methods, key providers, and their configuration."""

from __future__ import annotations

from statefmt.encryption.cipher import (
    Opened,
    check_configuration,
    decrypt,
    encrypt,
    encrypt_checked,
    encrypts,
    examine,
    identity_differs,
)
from statefmt.encryption.configuration import Configuration, configuration_of
from statefmt.encryption.envelope import Envelope, Layout, glance, parse_envelope, version_of, write_envelope
from statefmt.encryption.merge import merged
from statefmt.encryption.origin import Origin, OriginKind
from statefmt.encryption.randomness import Randomness, SystemRandomness
from statefmt.encryption.values import Block, Reference, Unread, Value

__all__ = [
    "Block",
    "Configuration",
    "Envelope",
    "Layout",
    "Opened",
    "Origin",
    "OriginKind",
    "Randomness",
    "Reference",
    "SystemRandomness",
    "Unread",
    "Value",
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
