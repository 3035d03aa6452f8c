"""Implements OpenTofu's state encryption on bytes: envelopes, methods, key providers and their configuration."""

from __future__ import annotations

from statefmt.encryption._cipher import (
    PLAN as PLAN,
    Opened as Opened,
    check_configuration as check_configuration,
    decrypt as decrypt,
    encrypt as encrypt,
    encrypt_checked as encrypt_checked,
    encrypts as encrypts,
    examine as examine,
    identity_differs as identity_differs,
)
from statefmt.encryption._configuration import (
    ArgumentBlock as ArgumentBlock,
    ArgumentValue as ArgumentValue,
    EncryptionConfiguration as EncryptionConfiguration,
    Reference as Reference,
    Unread as Unread,
    configuration_of as configuration_of,
    merged as merged,
)
from statefmt.encryption._keys import Randomness as Randomness, SystemRandomness as SystemRandomness
from statefmt.encryption._program import Origin as Origin, OriginKind as OriginKind
from statefmt.encryption.envelope import (
    Envelope as Envelope,
    EnvelopeLayout as EnvelopeLayout,
    glance as glance,
    parse_envelope as parse_envelope,
    version_of as version_of,
    write_envelope as write_envelope,
)
