"""Reads the encryption configuration of a run: --encryption FILE over TF_ENCRYPTION over --encryption-config DIR.

A passphrase is never an argument, since all users of a machine can see those.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from statefmt.cli.options.configuration import ENVIRONMENT, variable_option
from statefmt.cli.run import run_context
from statefmt.encryption import EncryptionConfiguration, Origin, check_configuration, merged
from statefmt.encryption.sources import module_configuration, read_surroundings, text_configuration
from statefmt.hcl.syntax.json.body import LARGEST_FILE
from statefmt.model.errors import ConfigurationError
from statefmt.store.reading import STANDARD_INPUT, reason_of
from statefmt.store.small_files import read_bounded

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
    if file == STANDARD_INPUT:
        raise click.BadParameter("must be a file, not standard input", param_hint="--encryption")
    text = environment.get(ENVIRONMENT, "").strip()
    if file is None and directory is None and not text:
        return None
    module = None if directory is None else Path(directory)
    options = tuple(map(variable_option, variables))
    surroundings = read_surroundings(module, environment, options, allow_external=allow_external)
    found = [] if module is None else [module_configuration(surroundings)]
    if text:
        content = text.encode("utf-8", "surrogateescape")
        found.append(text_configuration(Origin.of_environment(ENVIRONMENT), content, surroundings))
    if file is not None:
        found.append(text_configuration(Origin.of_file(file), _content(file), surroundings))
    layers = [one for one in found if one is not None]
    if not layers:
        raise ConfigurationError(f"{directory}: the module has no encryption block in a terraform block")
    over = layers[0]
    for one in layers[1:]:
        over = merged(over, one)
    return over


def _content(file: str) -> bytes:
    try:
        return read_bounded(file, LARGEST_FILE, pipes=True)
    except OSError as error:
        raise ConfigurationError(f"{file}: {reason_of(error)}") from error


def needed_configuration() -> EncryptionConfiguration:
    """Return the configuration of this run. Raises ConfigurationError if there is none, or it cannot write."""
    found = run_context().configuration()
    if found is None:
        raise ConfigurationError(
            "no encryption configuration: use --encryption FILE, "
            f"{ENVIRONMENT}, or --encryption-config DIR with a module that has an encryption block. "
            f"FILE can be as follows, with the passphrase in the variable TF_VAR_passphrase:\n{_EXAMPLE}"
        )
    check_configuration(found)
    return found
