"""The encryption options of commands that read states: --encryption FILE over TF_ENCRYPTION over --encryption-config.

The configuration of --config, which some commands compare a state with, opens the state unless --encryption-config
names another. A passphrase is never an argument, since all users of a machine can see those.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from typer import BadParameter, Option

from statefmt import ConfigurationError
from statefmt.cli.options.shared import ENCRYPTION
from statefmt.cli.run import current_run, options_in_order, run_context, use_run
from statefmt.locations import STANDARD_INPUT

if TYPE_CHECKING:
    from statefmt import RunContext
    from statefmt.encryption import EncryptionConfiguration


# OpenTofu's variable for an encryption configuration.
ENVIRONMENT: Final = "TF_ENCRYPTION"
# Only the value 1 acts like --allow-external.
_ALLOWING: Final = "STATETOOL_ALLOW_EXTERNAL"
EXTERNAL_HELP: Final = "Run programs that an encryption block or a backend names. Use only for trusted configurations."
_VALUES: Final = {"var": "--var", "var_file": "--var-file"}


def encryption_options(
    *,
    encryption: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Open and write encrypted states with this configuration (HCL or JSON); it overrides TF_ENCRYPTION.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None,
    encryption_config: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Open and write encrypted states with the encryption block of the module in DIR.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None,
    var: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=VALUE",
            help="With --encryption-config: set an input variable, but not a passphrase.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None,
    var_file: Annotated[
        list[str] | None,
        Option(
            metavar="FILE",
            help="With --encryption or --encryption-config: set input variables from FILE.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None,
    allow_external: Annotated[bool, Option("--allow-external", help=EXTERNAL_HELP, rich_help_panel=ENCRYPTION)] = False,
) -> None:
    """The options that open encrypted states; use_encryption() applies them."""


def use_encryption(given: Mapping[str, Any]) -> None:
    """Set up how to open encrypted states with the options of a command.

    Reads nothing before the first state, except --encryption FILE.
    """
    run = current_run()
    # The configuration that a state is compared with also opens it.
    file, directory = given.get("encryption"), given.get("encryption_config") or _config_directory(given.get("config"))
    _check_values(given, run.context.environment)
    variables = options_in_order(*_VALUES.values())
    context = _opening_with(run.context, file, directory, variables, allow_external=allows_external(given))
    use_run(run._replace(context=context))
    if directory is not None and not Path(directory).is_dir():
        from statefmt.cli.options.configuration import no_directory

        raise no_directory(directory)
    if file is not None:
        # An explicit configuration must be valid, even if the state is plain.
        context.configuration()


def _config_directory(given: str | None) -> str | None:
    """Return the directory of --config; None for a plan file, whose encryption block is a stranger's."""
    if given is None:
        return None
    from statefmt.plans import is_plan_file

    return None if is_plan_file(given) else given


def use_environment(context: RunContext) -> RunContext:
    """Return a context that opens encrypted states with what its environment says."""
    return _opening_with(context, None, None, (), allow_external=context.environment.get(_ALLOWING) == "1")


def _opening_with(
    context: RunContext,
    file: str | None,
    directory: str | None,
    variables: Sequence[tuple[str, str]],
    *,
    allow_external: bool,
) -> RunContext:
    environment = context.environment
    if file is directory is None and not environment.get(ENVIRONMENT, "").strip():
        return context
    read = functools.partial(configuration_from, file, directory, variables, environment, allow_external=allow_external)
    return replace(context, encryption=_read_once(read))


def _read_once(read: Callable[[], EncryptionConfiguration | None]) -> Callable[[], EncryptionConfiguration | None]:
    """Return a function that reads on first use, and reports the same error for every state without reading again."""

    @functools.cache
    def result() -> EncryptionConfiguration | ConfigurationError | None:
        try:
            return read()
        except ConfigurationError as error:
            return error

    def configured() -> EncryptionConfiguration | None:
        found = result()
        if isinstance(found, ConfigurationError):
            raise found
        return found

    return configured


def encryption_words() -> tuple[str, ...]:
    """Return the given options that open an encrypted state, for a command to be copied; values of variables differ."""
    return tuple(word for option in options_in_order("--encryption", "--encryption-config") for word in option)


def allows_external(given: Mapping[str, Any]) -> bool:
    """Return whether programs that a configuration names may run, by the options of a command."""
    return bool(given.get("allow_external")) or current_run().context.environment.get(_ALLOWING) == "1"


def _check_values(given: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Raise BadParameter if variables are unused or malformed. Their values are not shown: they may be secrets."""
    sources = [given.get(name) for name in ("encryption", "encryption_config", "config")]
    for name, option in _VALUES.items():
        if given.get(name) and all(source is None for source in (*sources, environment.get(ENVIRONMENT))):
            raise BadParameter("requires a configuration", param_hint=option)
    if any("=" not in text for text in given.get("var") or ()):
        raise BadParameter("must be NAME=VALUE", param_hint="--var")


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
    # Imported late: nearly every state is plain.
    from statefmt.cli.options.configuration import variable_option
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
