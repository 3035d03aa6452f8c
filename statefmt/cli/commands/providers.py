"""`statetool providers`: shows provider configurations, their instances, and what is bound to each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Option

from statefmt import SelectionError, Snapshot, State
from statefmt.addrs import NO_KEY
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options, report_problems
from statefmt.cli.options.shared import FormatOption, OutputFormat, StateArgument, StateOption, one_state
from statefmt.cli.outcome import FINE, FOUND
from statefmt.cli.streams import result_columns, result_terminal
from statefmt.locations import STANDARD_INPUT, RemoteName
from statefmt.providers import ConfigurationUse, ProviderRemoval, provider_use, removal
from statefmt.render.providers import (
    Rows,
    provider_declarations_json,
    provider_declarations_text,
    provider_use_json,
    provider_use_table,
    provider_use_tree,
    removal_json,
    removal_text,
)

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.providers import ProviderReferences


@examples(
    ("Show which provider instances are in use.", "statetool providers"),
    ("Show the numbers of each module.", "statetool providers --modules"),
    (
        "List what must be destroyed or rebound before a region is removed.",
        """statetool providers --remove 'aws.by_region["eu-west-1"]'""",
    ),
    ("Find provider instances that the configuration lacks.", "statetool providers --config ."),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(configuration=configuration_options)
def providers_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    tree: Annotated[bool, Option("--tree", help="Show a tree: source, configuration, key, module.")] = False,
    modules: Annotated[bool, Option("--modules", help="Show the numbers for each module.")] = False,
    resources: Annotated[bool, Option("--resources", help="Show the numbers for each resource.")] = False,
    remove: Annotated[
        str | None,
        Option(
            metavar="PROVIDER",
            help="Show what to destroy or rebind before this configuration or instance can be removed: "
            'a full address, or a short form such as aws.by_region["eu-west-1"].',
        ),
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Show the provider configurations and their instances, with the number of resource instances bound to each.

    The numbers are totals over all modules. With --config, also show what the configuration declares.

    Exit status 1: with --config, a provider instance is missing, or errors hide it; with --remove, something is bound
    to it. 2: the state has no such provider; with --config, an unused one must be declared.
    """
    detailed = tree or modules or resources
    if remove is not None and detailed:
        raise BadParameter("cannot be combined with --tree, --modules or --resources", param_hint="--remove")
    if configuration.directory is not None and detailed:
        raise BadParameter("cannot be combined with --tree, --modules or --resources", param_hint="--config")
    named = one_state(state, state_option)
    references = configuration.loaded()
    state_read = opened_state(named)
    snapshot = state_read.snapshot
    if references is not None and remove is None:
        return _show_declarations(snapshot, references, output_format)
    uses = provider_use(snapshot)
    if remove is not None:
        found = _removal(uses, remove, references)
        if output_format is OutputFormat.JSON:
            sys.stdout.buffer.write(removal_json(found))
        else:
            print(removal_text(found, result_terminal(), _hinted(state_read, named)))
        return FOUND if found.objects else FINE
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(provider_use_json(uses))
        return FINE
    if not uses:
        print("statetool: the state names no provider", file=sys.stderr)
        return FINE
    if tree:
        print(provider_use_tree(uses, result_terminal(), resources=resources))
    else:
        rows = Rows.RESOURCES if resources else Rows.MODULES if modules else Rows.INSTANCES
        print(provider_use_table(uses, result_terminal(), rows=rows, columns=result_columns()))
    return FINE


def _show_declarations(snapshot: Snapshot, references: ProviderReferences, output_format: OutputFormat) -> int:
    from statefmt.providers import provider_declarations, provider_fates
    from statefmt.rules import CONFIGURATION_NOT_KNOWN, check_configuration

    found = provider_declarations(references, provider_fates(snapshot, references))
    problems = check_configuration(references, select=CONFIGURATION_NOT_KNOWN)
    wrong = report_problems(problems)
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(provider_declarations_json(found, references.configuration.directory, problems))
    elif found:
        print(provider_declarations_text(found, result_terminal(), result_columns()))
    else:
        print("statetool: neither the configuration nor the state names a provider", file=sys.stderr)
    missing = any(one.missing for declaration in found for one in declaration.instances)
    return FOUND if missing or wrong else FINE


def _removal(uses: list[ConfigurationUse], text: str, references: ProviderReferences | None) -> ProviderRemoval:
    try:
        return removal(uses, text)
    except SelectionError as error:
        if references is None:
            raise
        from statefmt.providers import declared_provider

        declared = declared_provider(references, text)
        if declared is None:
            raise SelectionError(*error.parts, "\nThe configuration does not declare it either.") from error
        return ProviderRemoval(text, declared.key is NO_KEY, (), (), ())


def _hinted(state: State, named: str | None) -> str | None:
    """Return the name of the state for suggested commands; None for the current state and for standard input."""
    if isinstance(state.location, RemoteName):
        return state.location
    return None if named == STANDARD_INPUT else named
