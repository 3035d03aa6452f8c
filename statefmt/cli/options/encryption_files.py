"""The encryption options of all commands that read states.

The configuration of --config, which some commands compare a state with, opens the state unless --encryption-config
names another.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

from typer import BadParameter, Option

from statefmt import ConfigurationError
from statefmt.cli.command_line import options_in_order
from statefmt.cli.options.configuration import ENVIRONMENT
from statefmt.cli.options.groups import ENCRYPTION
from statefmt.cli.run import current_run, use_run

if TYPE_CHECKING:
    from statefmt import RunContext
    from statefmt.encryption import EncryptionConfiguration

# Only the value 1 acts like --allow-external.
_ALLOWING: Final = "STATETOOL_ALLOW_EXTERNAL"
_FILE: Final = "encryption"
_DIRECTORY: Final = "encryption_config"
# The configuration that a state is compared with also opens it.
_COMPARED: Final = "config"
_ALLOW: Final = "allow_external"
EXTERNAL_HELP: Final = "Run programs that an encryption block or a backend names. Use only for trusted configurations."
_VALUES: Final = {"var": "--var", "var_file": "--var-file"}


class EncryptionOptions(NamedTuple):
    """The options."""

    encryption: Annotated[
        str | None,
        Option(
            metavar="FILE",
            help="Open and write encrypted states with this configuration (HCL or JSON); it overrides TF_ENCRYPTION.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None
    encryption_config: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Open and write encrypted states with the encryption block of the module in DIR.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None
    var: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=VALUE",
            help="With --encryption-config: set an input variable, but not a passphrase.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None
    var_file: Annotated[
        list[str] | None,
        Option(
            metavar="FILE",
            help="With --encryption or --encryption-config: set input variables from FILE.",
            rich_help_panel=ENCRYPTION,
        ),
    ] = None
    allow_external: Annotated[bool, Option("--allow-external", help=EXTERNAL_HELP, rich_help_panel=ENCRYPTION)] = False


def use_encryption(given: Mapping[str, Any]) -> None:
    """Set up how to open encrypted states with the options of a command.

    Reads nothing before the first state, except --encryption FILE.
    """
    run = current_run()
    environment = run.context.environment
    file, directory = given.get(_FILE), given.get(_DIRECTORY) or given.get(_COMPARED)
    allow_external = allows_external(given)
    _check_values(given, environment)
    if file is directory is None and not environment.get(ENVIRONMENT, "").strip():
        return

    def read() -> EncryptionConfiguration | None:
        # Imported here, since nearly every state is plain.
        from statefmt.cli.options.encryption_option import configuration_from

        variables = options_in_order(*_VALUES.values())
        return configuration_from(file, directory, variables, environment, allow_external=allow_external)

    configured = _read_once(read)
    use_run(replace(run, context=replace(run.context, encryption=configured)))
    if directory is not None and not Path(directory).is_dir():
        from statefmt.cli.options.configuration import no_directory

        raise no_directory(directory)
    if file is not None:
        # An explicit configuration must be valid, even if the state is plain.
        configured()


def use_environment(context: RunContext) -> RunContext:
    """Return a context that opens encrypted states with what its environment says."""
    environment = context.environment
    if not environment.get(ENVIRONMENT, "").strip():
        return context

    def read() -> EncryptionConfiguration | None:
        from statefmt.cli.options.encryption_option import configuration_from

        allow_external = environment.get(_ALLOWING) == "1"
        return configuration_from(None, None, (), environment, allow_external=allow_external)

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
    return bool(given.get(_ALLOW)) or current_run().context.environment.get(_ALLOWING) == "1"


def _check_values(given: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Raise BadParameter if variables are unused or malformed. Their values are not shown: they may be secrets."""
    for name, option in _VALUES.items():
        sources = (given.get(_FILE), given.get(_DIRECTORY), given.get(_COMPARED), environment.get(ENVIRONMENT))
        if given.get(name) and all(source is None for source in sources):
            raise BadParameter("requires a configuration", param_hint=option)
    if any("=" not in text for text in given.get("var") or ()):
        raise BadParameter("must be NAME=VALUE", param_hint="--var")
