"""`statetool simulate`: what a change of a configuration's variables would leave without a provider."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final, Optional

import typer

from statefmt.cli.exit_status import FINE, FOUND
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options, report_problems
from statefmt.cli.options.shared import (
    FormatOption,
    OutputFormat,
    StateArgument,
    StateOption,
    one_state,
)
from statefmt.cli.options.takes import takes
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal
from statefmt.edit.session import load, state_name
from statefmt.render.printable import printable

if TYPE_CHECKING:
    from statefmt.configuration.providers.references import ProviderReferences

# How many keys a message names.
_SHOWN: Final = 10


@takes(configuration=configuration_options)
def command(
    state: StateArgument = None,
    state_option: StateOption = None,
    without: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--without", metavar="KEY", help="Take this key out of every for_each; can be repeated."),
    ] = None,
    output_format: FormatOption = OutputFormat.TEXT,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Tell what would lose its provider if a key were gone from every for_each, or a variable had another value.

    Compares the configuration in --config as it is with the one after the change: without the keys of --without, and
    with the values of --var; those of --var-file count before and after. Nothing is run or written. Exit status 0:
    nothing would; 1: something would, or the configuration has errors that hide it.
    """
    changed = any(kind == "--var" for kind, _ in configuration.variables)
    if configuration.directory is None:
        raise typer.BadParameter("name the configuration", param_hint="--config")
    if not without and not changed:
        raise typer.BadParameter("say what is to change, with --without or --var", param_hint="--without")
    files = tuple(option for option in configuration.variables if option[0] == "--var-file")
    before = configuration._replace(variables=files).loaded()
    after = configuration.loaded(without or ())
    assert before is not None and after is not None
    _refuse_unknown_keys(without or (), before)
    loaded = load(run_context(), state_name(run_context(), one_state(state, state_option)))
    from statefmt.lint.simulation import simulate

    found = simulate(loaded.data, loaded.result.snapshot, before, after, name=loaded.name)
    hidden = report_problems(found.problems)
    if output_format is OutputFormat.JSON:
        from statefmt.render.simulation.json import simulation_json

        sys.stdout.buffer.write(simulation_json(found))
    else:
        from statefmt.render.simulation.text import simulation_text

        print(simulation_text(found, result_terminal()))
    return FOUND if found.orphaned or hidden else FINE


def _refuse_unknown_keys(without: Sequence[str], references: ProviderReferences) -> None:
    """A key that no for_each has is a mistake of writing: that it takes nothing away would be no answer."""
    if not without:
        return
    from statefmt.analysis.providers.for_each_keys import for_each_keys

    keys = for_each_keys(references)
    for key in without:
        if key in keys.known:
            continue
        if keys.complete:
            shown = [*map(printable, sorted(keys.known)[:_SHOWN]), *(["…"] if len(keys.known) > _SHOWN else [])]
            there = f"there are: {', '.join(shown)}" if shown else "there are no keys at all"
            raise typer.BadParameter(f"no for_each has the key {printable(key)}; {there}", param_hint="--without")
        print(f"statetool: no for_each that is known has the key {printable(key)}", file=sys.stderr)
