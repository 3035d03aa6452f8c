"""`statetool verify`: compares an apply with its plan."""

from __future__ import annotations

from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt import Severity
from statefmt.cli.command import declared
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import SchemasOption, load_plan, provider_schemas
from statefmt.cli.options.findings import CheckFormat, CheckFormatOption, FailOn, FailOnOption, print_report
from statefmt.cli.options.shared import ShowSensitiveOption
from statefmt.cli.outcome import FINE, FOUND
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.locations import STANDARD_INPUT, display_name
from statefmt.plans import verify
from statefmt.render.terminal import counted
from statefmt.rules import checked_state


@declared(
    paged=True,
    decrypts=True,
    connects=False,
    examples=(
        (
            "Check that an apply did what its plan says.",
            "statetool verify plan.json --before before.tfstate --after terraform.tfstate",
        ),
        ("Check the first apply, made without a state.", "statetool verify plan.json --after terraform.tfstate"),
        (
            "Compare values by their types: sets as sets, numbers as numbers.",
            "statetool verify plan.json --before before.tfstate --after terraform.tfstate --schemas schemas.json",
        ),
        (
            "Fail also on what OpenTofu tolerates for old providers.",
            "statetool verify plan.json --before before.tfstate --after terraform.tfstate --strict",
        ),
    ),
)
def verify_command(
    plan: Annotated[
        str, Argument(metavar="PLAN", help="The plan as JSON (tofu show -json PLANFILE), or - for standard input.")
    ],
    after: Annotated[str, Option("--after", metavar="STATE", help="The state after the apply, or -.")],
    before: Annotated[
        str | None,
        Option("--before", metavar="STATE", help="The state before the apply, or -; default: there was none."),
    ] = None,
    schemas: SchemasOption = None,
    strict: Annotated[
        bool, Option("--strict", help="Make what OpenTofu tolerates for old providers an error.")
    ] = False,
    fail_on: FailOnOption = None,
    output_format: CheckFormatOption = CheckFormat.TEXT,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Compare an apply with its plan, instance by instance.

    Each object must be as planned, and what the plan leaves alone as before. What only the provider decides may be
    anything that is known. Findings are those of the rules LIF (statetool rule LIF).

    Exit status 0: no findings at or above the failing severity; 1: findings; 2: failure.
    """
    if [plan, after, before].count(STANDARD_INPUT) > 1:
        raise BadParameter("only one of the files can come from standard input")
    planned = load_plan(plan)
    by_type = provider_schemas(schemas)
    old = None if before is None else opened_state(before)
    new = opened_state(after)
    run_context().phase("comparing")
    found = verify(
        planned,
        None if old is None else old.snapshot,
        new.snapshot,
        schemas=by_type,
        strict=strict,
        show_sensitive=show_sensitive,
    )
    checked = [checked_state(new.location, new.data, new.version, found.after)]
    if old is not None:
        checked.insert(0, checked_state(old.location, old.data, old.version, found.before))
    failing = Severity((fail_on or FailOn.ERROR).value)
    print_report(checked, (), output_format, failing)
    if planned.errored:
        say(f"statetool: warning: {display_name(plan)}: the plan is incomplete, since planning failed with an error")
    if found.not_made:
        say(f"statetool: {found.not_made} of {counted(found.planned, 'planned change')} not made")
    worst = max((finding.severity.rank for state in checked for finding in state.findings), default=-1)
    return FOUND if worst >= failing.rank else FINE
