"""The options for comparing a state with a configuration and its variables, a plan, schemas or a release."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, NamedTuple

from typer import BadParameter, Option

from statefmt import Finding, ReleaseError, Severity, StoreError
from statefmt.cli.options.shared import CONFIGURATION
from statefmt.cli.outcome import UsageError
from statefmt.cli.run import options_in_order, run_context
from statefmt.cli.streams import message_terminal

if TYPE_CHECKING:
    from statefmt.configuration import VariableOption
    from statefmt.plans import ShownPlan
    from statefmt.provider_schemas import ProviderSchemas
    from statefmt.providers import ProviderReferences
    from statefmt.releases import Release


class ConfigurationOptions(NamedTuple):
    """The --config directory or None, and the `--var` and `--var-file` options in command line order.

    A variable is an option name and its value.
    """

    directory: str | None
    variables: tuple[tuple[str, str], ...]

    def loaded(
        self,
        without: Collection[str] = (),
        earlier: Sequence[VariableOption] = (),
        release: Release | None = None,
        contents: Mapping[str, bytes] = MappingProxyType({}),
        workspace: str | None = None,
        unknown_inputs: str = "",
        plan: ShownPlan | None = None,
        plan_name: str = "",
    ) -> ProviderReferences | None:
        """Load the configuration with its provider references; None without --config. Raises StoreError.

        --config may name a plan file. The configuration in the plan file of `plan`, whose name is `plan_name`, stands
        for --config; both must agree.

        `without` holds keys to remove from every `for_each`. `earlier` are values of variables, which override all
        files and are overridden by the options. `release` is the release that reads the configuration, if known.
        `contents` replace the contents of files, by their names in the directory. `workspace` is used without
        --workspace. `unknown_inputs` is the reason why variables without an option are unknown, if they are.
        """
        inside = None if plan is None or not plan.file else plan
        if self.directory is None and inside is None:
            return None
        from statefmt.configuration import LoadOptions, load
        from statefmt.plans import configuration_in_plan, is_plan_file, refuse_other_configuration
        from statefmt.providers import ProviderReferences

        if self.directory is None or is_plan_file(self.directory):
            if self.variables:
                raise UsageError("--var and --var-file do not apply: the plan file has the values of the variables")
            given = inside if self.directory is None else load_plan(self.directory)
            assert given is not None
            return ProviderReferences(configuration_in_plan(given, self.directory or plan_name, inside), without)
        if not Path(self.directory).is_dir():
            raise no_directory(self.directory)
        context = run_context()
        options = LoadOptions(
            variables=(*earlier, *map(variable_option, self.variables)),
            environment=context.environment,
            workspace=(None if context.backend is None else context.backend.workspace) or workspace,
            release=release,
            contents=contents,
            unknown_inputs=unknown_inputs,
            # The configuration may come from a stranger, and findings print values.
            allowed_paths=() if context.backend is None else context.backend.allowed_paths,
        )
        found = load(Path(self.directory), options)
        if inside is not None:
            refuse_other_configuration(inside, found, plan_name)
        return ProviderReferences(found, without)


def configuration_options(
    config: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="Compare with the configuration in DIR, or in a plan file; the encryption block in DIR opens "
            "encrypted states.",
            rich_help_panel=CONFIGURATION,
        ),
    ] = None,
    var: Annotated[
        list[str] | None,
        Option(
            metavar="NAME=VALUE",
            help="With --config: set an input variable, but not a passphrase.",
            rich_help_panel=CONFIGURATION,
        ),
    ] = None,
    var_file: Annotated[
        list[str] | None,
        Option(
            metavar="FILE",
            help="With --config or --encryption: set input variables from FILE.",
            rich_help_panel=CONFIGURATION,
        ),
    ] = None,
) -> ConfigurationOptions:
    """Return the options as one value. `use_encryption` has already rejected contradictions."""
    return ConfigurationOptions(config, tuple(options_in_order("--var", "--var-file")))


def no_directory(name: str) -> StoreError:
    """Return the error for a configuration that is not a directory."""
    return StoreError(f"{name}: not a directory; name the directory of the root module")


def report_problems(problems: Sequence[Finding]) -> bool:
    """Print the problems that hide a part of the configuration to standard error; return whether there are errors."""
    if problems:
        from statefmt.render.findings import configuration_problems_text

        print(configuration_problems_text(problems, message_terminal()), file=sys.stderr)
    return any(problem.severity is Severity.ERROR for problem in problems)


def variable_option(option: tuple[str, str]) -> VariableOption:
    """Convert a `--var` or `--var-file` and its value for the configuration loader."""
    from statefmt.configuration import VariableOption

    kind, text = option
    if kind == "--var-file":
        return VariableOption(file=text)
    name, _, value = text.partition("=")
    return VariableOption(name=name, value=value)


SchemasOption = Annotated[
    str | None,
    Option(
        "--schemas",
        metavar="FILE",
        help="Use the provider schemas in FILE, the output of tofu (or terraform) providers schema -json.",
        rich_help_panel=CONFIGURATION,
    ),
]


def provider_schemas(file: str | None) -> ProviderSchemas | None:
    """Read the file of --schemas, which can be a pipe; None without the option. Raises StoreError and SchemaError."""
    if file is None:
        return None
    # Imported late: most runs have no schemas.
    from statefmt.provider_schemas import open_schemas

    return open_schemas(file)


def load_plan(name: str, schemas: ProviderSchemas | None = None) -> ShownPlan:
    """Read a plan file, or a plan in JSON, from a file, or from standard input for `-`.

    Raises StoreError, with the name of the file, if it cannot be read or is not a plan, and EncryptionError.
    """
    from statefmt.plans import open_plan

    return open_plan(name, run_context(), schemas)


def parsed_release(name: str, option: str = "--for") -> Release:
    """Parse the release that an option names. Raises BadParameter."""
    # Imported late: most runs name no release.
    from statefmt.releases import parse_release

    try:
        return parse_release(name)
    except ReleaseError as error:
        raise BadParameter(str(error), param_hint=option) from error
