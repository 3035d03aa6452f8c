"""The options that name a configuration and give values to its variables."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Optional

import typer

from statefmt.cli.command_line import options_in_order
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal
from statefmt.model.errors import StoreError
from statefmt.model.findings import Finding, Severity

# Where OpenTofu, too, looks for an encryption configuration.
ENVIRONMENT = "TF_ENCRYPTION"

if TYPE_CHECKING:
    # Most runs have no configuration, and load nothing of this.
    from statefmt.configuration import VariableOption
    from statefmt.configuration.providers.references import ProviderReferences


class ConfigurationOptions(NamedTuple):
    """A directory, None where none was named, and what `--var` and `--var-file` say, in the order of the command line.

    A variable is a pair of `--var` or `--var-file` and its value.
    """

    directory: str | None
    variables: tuple[tuple[str, str], ...]

    def loaded(self, without: Collection[str] = ()) -> ProviderReferences | None:
        """The configuration with its provider references; None where none was named. Raises StoreError.

        `without` are keys to take out of every `for_each`.
        """
        if self.directory is None:
            return None
        if not Path(self.directory).is_dir():
            raise no_directory(self.directory)
        from statefmt.configuration import LoadOptions, load
        from statefmt.configuration.providers.references import ProviderReferences

        options = LoadOptions(
            variables=tuple(map(variable_option, self.variables)), environment=run_context().environment
        )
        return ProviderReferences(load(Path(self.directory), options), without)


def configuration_options(
    config: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--config",
            metavar="DIR",
            help="Hold it against the configuration in this directory, whose encryption block opens encrypted states.",
        ),
    ] = None,
    var: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--var", metavar="NAME=VALUE", help="With --config: the value of an input variable, but of no passphrase."
        ),
    ] = None,
    var_file: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option(
            "--var-file", metavar="FILE", help="With --config or --encryption: a file with values of input variables."
        ),
    ] = None,
) -> ConfigurationOptions:
    """The options as one value. What contradicts itself in them `encryption_files` has refused."""
    return ConfigurationOptions(config, tuple(options_in_order("--var", "--var-file")))


def no_directory(name: str) -> StoreError:
    """The error for a --config that is none."""
    return StoreError(f"{name}: no directory; --config takes that of the root module")


def report_problems(problems: Sequence[Finding]) -> bool:
    """Say on standard error what keeps a configuration from being known in full; whether there are errors among it."""
    if problems:
        from statefmt.render.configuration_problems import configuration_problems_text

        print(configuration_problems_text(problems, message_terminal()), file=sys.stderr)
    return any(problem.severity is Severity.ERROR for problem in problems)


def variable_option(option: tuple[str, str]) -> VariableOption:
    """A `--var` or `--var-file` with its value, as the reader of configurations takes it."""
    from statefmt.configuration import VariableOption

    kind, text = option
    if kind == "--var-file":
        return VariableOption(file=text)
    name, _, value = text.partition("=")
    return VariableOption(name=name, value=value)
