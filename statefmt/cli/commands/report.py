"""`statetool report`: writes a page about states, to read in a browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from typer import BadParameter, Option

from statefmt import StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options
from statefmt.cli.options.findings import GateOptions
from statefmt.cli.options.shared import StateOption, StatesArgument
from statefmt.cli.outcome import FAILED, FINE, require_templates
from statefmt.cli.run import run_context
from statefmt.cli.streams import say, write_result
from statefmt.fleet import IndexOptions, index_states
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.render.terminal import counted
from statefmt.rules import Gate


@examples(
    ("Write a report on the state of this directory.", "statetool report -o report.html"),
    ("Write one on a remote state.", "tofu state pull | statetool report -o report.html -"),
    ("Report on several states together.", "statetool report -o report.html network.tfstate app.tfstate"),
    ("Report on all states of an index.", "statetool report --fleet statetool.duckdb -o fleet.html"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(rules=GateOptions, configuration=configuration_options)
def report_command(
    states: StatesArgument = None,
    state: StateOption = None,
    fleet: Annotated[
        Path | None, Option(metavar="FILE", help="Report on all states of this index, which `fleet index` makes.")
    ] = None,
    out: Annotated[
        str | None, Option("--out", "-o", metavar="FILE", help="Write the report to FILE; default: standard output.")
    ] = None,
    *,
    rules: GateOptions,
    configuration: ConfigurationOptions,
) -> int:
    """Write a page in HTML about a state: numbers, findings, providers, sizes, dependencies, resources and outputs.

    Of several states or an index, it shows releases, findings, sizes, duplicates, references and all states.

    The page is one file that works offline and loads nothing. It has no attributes, and sensitive outputs are hidden.
    An earlier report in FILE is replaced; any other file is not.

    Exit status 0: the report is complete; 2: failure, or one of several states could not be read.
    """
    names = [*(states or ()), *([state] if state else ())]
    several = fleet is not None or len(names) > 1
    if fleet is not None and names:
        raise BadParameter("cannot be combined with states", param_hint="--fleet")
    if several and configuration.directory is not None:
        raise BadParameter("requires one state", param_hint="--config")
    require_templates()
    gate = rules.gate()
    status = FINE
    if fleet is not None:
        report = _fleet(fleet, str(fleet), gate)
    elif several:
        report, status = _several(names, gate)
    else:
        report = _one(names[0] if names else None, gate, configuration)
    if out is None or out == STANDARD_INPUT:
        write_result(report)
    else:
        from statefmt.render.report import write_report

        write_report(out, report)
        say(f"{display_name(out)}: written")
    return status


def _one(name: str | None, gate: Gate, configuration: ConfigurationOptions) -> bytes:
    from statefmt.render.report.state_pages import state_page

    gate = replace(gate, configuration=configuration.loaded())
    opened = opened_state(name)
    checked = [gate.checked(opened.location, opened.data, opened.encryption)]
    if gate.configuration is not None:
        checked.append(gate.check_configuration())
    return state_page(opened, checked, run_context().clock())


def _several(names: list[str], gate: Gate) -> tuple[bytes, int]:
    """Return the report on several states, made with a temporary index, and the exit status."""
    with TemporaryDirectory(prefix="statetool-") as folder:
        into = Path(folder) / "report.duckdb"
        run = index_states(run_context(), names, into, IndexOptions())
        for message in [*run.missing, *(f"{uri}: {error}" for uri, error in run.failed)]:
            say(f"statetool: {message}")
        if not run.states:
            raise StoreError("no state could be found, so there is no report")
        return _fleet(into, counted(run.states, "state"), gate), FAILED if run.failed or run.missing else FINE


def _fleet(index: Path, name: str, gate: Gate) -> bytes:
    from statefmt.render.report.fleet_page import fleet_page

    return fleet_page(index, name, gate, run_context().clock())
