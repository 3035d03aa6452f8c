"""Merges the encryption configurations of a run: what the user names over the environment over the module."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt.encryption import EncryptionConfiguration, Origin, merged
from statefmt.encryption.sources._module import module_configuration
from statefmt.encryption.sources._surroundings import read_surroundings
from statefmt.encryption.sources._text import text_configuration
from statefmt.hcl.syntax.json.body import LARGEST_FILE
from statefmt.model.errors import ConfigurationError
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from statefmt.configuration import VariableOption

# OpenTofu's variable for an encryption configuration.
_ENVIRONMENT: Final = "TF_ENCRYPTION"


class GivenText(NamedTuple):
    """A configuration that the user names: where it comes from, and what reads it."""

    origin: Origin
    content: Callable[[], bytes]

    @classmethod
    def of_file(cls, path: str) -> GivenText:
        """Return the configuration in a file. Reading it raises ConfigurationError."""

        def content() -> bytes:
            try:
                return read_bounded(path, LARGEST_FILE, pipes=True)
            except OSError as error:
                raise ConfigurationError(f"{path}: {reason_of(error)}") from error

        return cls(Origin.of_file(path), content)


def layered_configuration(
    given: GivenText | None,
    directory: str | None,
    options: tuple[VariableOption, ...],
    environment: Mapping[str, str],
    *,
    allow_external: bool = False,
) -> EncryptionConfiguration | None:
    """Merge the given configuration, TF_ENCRYPTION and that of the module in `directory`, in this order of precedence.

    `options` set variables of the module. Programs that the module names run only with `allow_external`. Returns None
    if nothing is configured. Raises ConfigurationError, with the place.
    """
    text = environment.get(_ENVIRONMENT, "").strip()
    if given is None and directory is None and not text:
        return None
    module = None if directory is None else Path(directory)
    surroundings = read_surroundings(module, environment, options, allow_external=allow_external)
    found = [] if module is None else [module_configuration(surroundings)]
    if text:
        content = text.encode("utf-8", "surrogateescape")
        found.append(text_configuration(Origin.of_environment(_ENVIRONMENT), content, surroundings))
    if given is not None:
        found.append(text_configuration(given.origin, given.content(), surroundings))
    layers = [one for one in found if one is not None]
    if not layers:
        raise ConfigurationError(f"{directory}: the module has no encryption block in a terraform block")
    over = layers[0]
    for one in layers[1:]:
        over = merged(over, one)
    return over
