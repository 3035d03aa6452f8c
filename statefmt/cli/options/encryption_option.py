"""Reads the encryption configuration of a run: --encryption FILE over TF_ENCRYPTION over --encryption-config DIR.

A passphrase is never an argument, since all users of a machine can see those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from typer import BadParameter

from statefmt import ConfigurationError
from statefmt.cli.options.configuration import ENVIRONMENT, variable_option
from statefmt.cli.run import run_context
from statefmt.locations import STANDARD_INPUT

if TYPE_CHECKING:
    from statefmt.encryption import EncryptionConfiguration

_EXAMPLE: Final = """\
  key_provider "pbkdf2" "main" {
    passphrase = var.passphrase
  }
  method "aes_gcm" "main" {
    keys = key_provider.pbkdf2.main
  }
  state {
    method = method.aes_gcm.main
  }"""


def configuration_from(
    file: str | None,
    directory: str | None,
    variables: Sequence[tuple[str, str]],
    environment: Mapping[str, str],
    *,
    allow_external: bool = False,
) -> EncryptionConfiguration | None:
    """Merge the configurations of the file, the environment and the module, in this order of precedence.

    `variables` are pairs of `--var` or `--var-file` and its value. Programs that the module names run only with
    `allow_external`. Returns None if nothing is configured. Raises ConfigurationError, with the place.
    """
    from statefmt.encryption.sources import GivenText, layered_configuration

    if file == STANDARD_INPUT:
        raise BadParameter("must be a file, not standard input", param_hint="--encryption")
    given = None if file is None else GivenText.of_file(file)
    options = tuple(map(variable_option, variables))
    return layered_configuration(given, directory, options, environment, allow_external=allow_external)


def needed_configuration() -> EncryptionConfiguration:
    """Return the configuration of this run. Raises ConfigurationError if there is none, or it cannot write."""
    from statefmt.encryption import check_configuration

    found = run_context().configuration()
    if found is None:
        raise ConfigurationError(
            "no encryption configuration: use --encryption FILE, "
            f"{ENVIRONMENT}, or --encryption-config DIR with a module that has an encryption block. "
            f"FILE can be as follows, with the passphrase in the variable TF_VAR_passphrase:\n{_EXAMPLE}"
        )
    check_configuration(found)
    return found
