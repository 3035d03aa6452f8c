"""The key providers, one file each. To add one, add a file and a line in `BUILDERS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from statefmt.encryption.configuration.arguments import Arguments
from statefmt.encryption.configuration.model import KeyProviderBlock
from statefmt.encryption.configuration.values import ArgumentValue
from statefmt.encryption.key_providers import elsewhere, external, pbkdf2
from statefmt.encryption.key_providers.keys import KeySource

# Takes the block and a function that resolves an argument to its keys.
Builder: TypeAlias = Callable[[KeyProviderBlock, Callable[[Arguments, str, ArgumentValue], KeySource]], KeySource]

BUILDERS: Final[Mapping[str, Builder]] = {
    "pbkdf2": pbkdf2.key_provider,
    "external": external.key_provider,
    **dict.fromkeys(elsewhere.SERVICES, elsewhere.key_provider),
}
