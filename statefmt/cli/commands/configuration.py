"""`statetool simulate` and `schemas`: show what a change of a configuration would orphan, and print its schemas."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from typer import BadParameter, Option

from statefmt import StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import (
    ConfigurationOptions,
    configuration_options,
    no_directory,
    report_problems,
)
from statefmt.cli.options.shared import CONFIGURATION, FormatOption, OutputFormat, StateArgument, StateOption, one_state
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, write_result
from statefmt.text import printable

if TYPE_CHECKING:
    from statefmt.providers import ProviderReferences


# The number of keys in a message.
_SHOWN: Final = 10


@examples(
    ("Show what removing a region would orphan.", "statetool simulate --config . --without eu-west-1"),
    (
        "Show the effect of another value of a variable.",
        """statetool simulate --config . --var 'regions=["us-east-1"]'""",
    ),
    ("Do so for a remote state.", "tofu state pull | statetool simulate --config . --without eu-west-1 -"),
)
@declared(paged=True, decrypts=True, connects=True)
@takes(configuration=configuration_options)
def simulate_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    without: Annotated[
        list[str] | None, Option(metavar="KEY", help="Remove this key from every for_each; can be repeated.")
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Show what would lose its provider if for_each keys were removed or a variable had another value.

    Compares the configuration in --config before and after the change: without the keys of --without, and with the
    values of --var. The values of --var-file apply to both. Nothing is run or written.

    Exit status 0: nothing would lose its provider; 1: something would, or errors in the configuration hide it.
    """
    changed = any(kind == "--var" for kind, _ in configuration.variables)
    if configuration.directory is None:
        raise UsageError("Missing option '--config': the directory of the configuration.")
    if not without and not changed:
        raise UsageError(
            "Missing option '--without' or '--var': the change to simulate, either a for_each key to remove "
            "(--without KEY) or another value of an input variable (--var NAME=VALUE)."
        )
    files = tuple(option for option in configuration.variables if option[0] == "--var-file")
    before = configuration._replace(variables=files).loaded()
    after = configuration.loaded(without or ())
    assert before is not None and after is not None
    _refuse_unknown_keys(without or (), before)
    opened = opened_state(one_state(state, state_option))
    from statefmt.rules import simulate

    found = simulate(opened.data, opened.snapshot, before, after, name=opened.location)
    hidden = report_problems(found.problems)
    if output_format is OutputFormat.JSON:
        from statefmt.render.providers import simulation_json

        sys.stdout.buffer.write(simulation_json(found))
    else:
        from statefmt.render.providers import simulation_text

        print(simulation_text(found, result_terminal()))
    return FOUND if found.orphaned or hidden else FINE


def _refuse_unknown_keys(without: Sequence[str], references: ProviderReferences) -> None:
    """Raise BadParameter for a key that no for_each has: it is a typo, and removing it has no effect."""
    if not without:
        return
    from statefmt.providers import for_each_keys

    keys = for_each_keys(references)
    for key in without:
        if key in keys.known:
            continue
        if keys.complete:
            shown = [*map(printable, sorted(keys.known)[:_SHOWN]), *(["…"] if len(keys.known) > _SHOWN else [])]
            there = f"the keys are: {', '.join(shown)}" if shown else "there are no keys"
            raise BadParameter(f"no for_each has the key {printable(key)}; {there}", param_hint="--without")
        print(f"statetool: no known for_each has the key {printable(key)}", file=sys.stderr)


@examples(
    ("Collect the schemas of the providers in this directory.", "statetool schemas --run > schemas.json"),
    ("Print them again later, without running anything.", "statetool schemas > schemas.json"),
    ("Check a state against them.", "statetool check --schemas schemas.json"),
)
@declared(paged=False, decrypts=False, connects=False)
def schemas_command(
    config: Annotated[
        str | None,
        Option(
            metavar="DIR",
            help="The directory whose providers are asked; by default the current one.",
            rich_help_panel=CONFIGURATION,
        ),
    ] = None,
    run: Annotated[
        bool,
        Option(
            "--run", help="Run tofu or terraform in the directory, which runs its providers, to collect the schemas."
        ),
    ] = False,
) -> int:
    """Print the schemas of a configuration's providers, as `tofu providers schema -json` does.

    Collecting schemas runs the provider programs that `init` has installed in the directory, so it needs --run. The
    result is cached by the hashes in `.terraform.lock.hcl`; without --run, the command prints what is cached.
    """
    from statefmt.provider_schemas import SchemaSource, read_provider_schemas

    directory = "." if config is None else config
    if not Path(directory).is_dir():
        raise no_directory(directory)
    source = SchemaSource(Path(directory), run_context().environment)
    found = source.collect(read_provider_schemas) if run else source.cached()
    if found is None:
        raise StoreError(
            f"{directory}: no schemas are cached for the providers of this directory; "
            "--run collects them, which runs the provider programs in it"
        )
    write_result(found)
    return FINE
