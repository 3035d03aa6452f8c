"""Reads the encryption configuration that a program gives for a state."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from statefmt.context import RunContext
from statefmt.model.errors import ConfigurationError

if TYPE_CHECKING:
    from statefmt.encryption import EncryptionConfiguration

# A path, the text of a configuration, its structure as in JSON, or one that was already read.
Encryption: TypeAlias = "str | os.PathLike[str] | bytes | Mapping[str, object] | EncryptionConfiguration"

# The place of a configuration without a file, for messages.
_ARGUMENT: Final = "encryption="


def encryption_loader(
    encryption: Encryption | None, context: RunContext
) -> Callable[[], EncryptionConfiguration | None] | None:
    """Return what loads the encryption configuration of a run; None if there is none.

    A given configuration is read at once and merged over TF_ENCRYPTION of the context's environment. Without one, that
    of the context counts, else TF_ENCRYPTION, which is read when an encrypted state is opened. Raises
    ConfigurationError.
    """
    if encryption is None:
        if context.encryption is not None:
            return context.encryption
        if not context.environment.get("TF_ENCRYPTION", "").strip():
            return None
        return functools.cache(lambda: _read(None, context))
    found = _read(encryption, context)
    return lambda: found


def _read(encryption: Encryption | None, context: RunContext) -> EncryptionConfiguration | None:
    # Imported late, since nearly every state is plain.
    from statefmt.encryption import EncryptionConfiguration, Origin
    from statefmt.encryption.sources import GivenText, layered_configuration

    if isinstance(encryption, EncryptionConfiguration):
        return encryption
    given, directory = None, None
    if isinstance(encryption, Mapping):
        given = GivenText(Origin.of_file(_ARGUMENT), functools.partial(_json, encryption))
    elif isinstance(encryption, bytes) or (isinstance(encryption, str) and "{" in encryption):
        content = encryption if isinstance(encryption, bytes) else encryption.encode("utf-8", "surrogateescape")
        given = GivenText(Origin.of_file(_ARGUMENT), lambda: content)
    elif encryption is not None and os.path.isdir(encryption):  # noqa: PTH112 - Path.is_dir may raise
        directory = os.fspath(encryption)
    elif encryption is not None:
        given = GivenText.of_file(os.fspath(encryption))
    return layered_configuration(given, directory, (), context.environment)


def _json(configuration: Mapping[str, object]) -> bytes:
    import json

    try:
        return json.dumps(configuration, default=dict).encode()
    except (TypeError, ValueError, RecursionError):
        # Its message may quote a passphrase.
        raise ConfigurationError(f"{_ARGUMENT}: the mapping cannot be written as JSON") from None
