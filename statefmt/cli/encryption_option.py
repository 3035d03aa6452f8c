"""Where the encryption configuration of a run comes from: --encryption FILE over TF_ENCRYPTION.

A passphrase is never an argument, since everybody on a machine can see those.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Final, Optional

import typer

from statefmt.encryption import Configuration, check_configuration, configuration_of, merged, parse_json
from statefmt.errors import ConfigurationError, EncryptionError
from statefmt.store.reading import STANDARD_INPUT, display_name, read_bytes

EncryptionOption = Annotated[
    Optional[str],  # noqa: UP045 - typer reads the annotation at run time
    typer.Option("--encryption", metavar="FILE", help="The inside of the encryption block; default: TF_ENCRYPTION."),
]
_ENVIRONMENT: Final = "TF_ENCRYPTION"
_VARIABLE: Final = "TF_VAR_"


def configuration_from(file: str | None, environment: Mapping[str, str] = os.environ) -> Configuration | None:
    """The configuration in a file, over that in the environment; None where there is neither.

    Raises ConfigurationError, with the name of the place, where it cannot be used.
    """
    if file == STANDARD_INPUT:
        raise typer.BadParameter("must be a file, not standard input", param_hint="--encryption")
    texts = {}
    if environment.get(_ENVIRONMENT, "").strip():
        texts[_ENVIRONMENT] = environment[_ENVIRONMENT].encode("utf-8", "surrogateescape")
    if file is not None:
        texts[file] = read_bytes(file)
    found: Configuration | None = None
    for place, text in texts.items():
        over = _parsed(place, text, environment)
        found = over if found is None else merged(found, over)
    return found


def needed_configuration(file: str | None) -> Configuration:
    """The same. Raises ConfigurationError where there is none, or nothing can be written with it."""
    found = configuration_from(file)
    if found is None:
        raise ConfigurationError(f"there is no encryption configuration: --encryption FILE or {_ENVIRONMENT} gives one")
    check_configuration(found)
    return found


@contextmanager
def about(name: str) -> Iterator[None]:
    """Puts the name of a state before what is wrong with it."""
    try:
        yield
    except ConfigurationError:
        raise
    except EncryptionError as error:
        raise EncryptionError(f"{display_name(name)}: {error}") from None


def _parsed(place: str, text: bytes, environment: Mapping[str, str]) -> Configuration:
    text = text.strip()
    if not text.startswith(b"{"):
        raise ConfigurationError(
            f'{place}: only the JSON syntax of the configuration language is read: {{"key_provider": {{…}}, '
            '"method": {…}, "state": {…}}'
        )
    variables = {
        name.removeprefix(_VARIABLE): value for name, value in environment.items() if name.startswith(_VARIABLE)
    }
    try:
        return configuration_of(parse_json(text, variables))
    except ConfigurationError as error:
        raise ConfigurationError(f"{place}: {error}") from None
