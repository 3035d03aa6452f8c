"""`statetool plan-show`: shows the changes of a plan by provider instance."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from typer import Argument, BadParameter, Option

from statefmt.cli.command import declared, takes
from statefmt.cli.named_state import opened_state
from statefmt.cli.options.configuration import ConfigurationOptions, configuration_options, load_plan, report_problems
from statefmt.cli.options.shared import ShowSensitiveOption, StateOption
from statefmt.cli.outcome import FINE, FOUND, UsageError
from statefmt.cli.streams import result_terminal, write_result
from statefmt.locations import STANDARD_INPUT, display_name


class PlanFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    MARKDOWN = "markdown"
    JSON = "json"


@declared(
    paged=True,
    decrypts=True,
    connects=True,
    examples=(
        (
            "Show which provider instance makes each change.",
            "statetool plan-show plan.json --config . --state terraform.tfstate",
        ),
        ("Comment on a pull request.", "statetool plan-show plan.json --config . --format markdown"),
        (
            "Give a policy engine the provider instance of each change.",
            "tofu show -json plan.bin | statetool plan-show - --config . --format json",
        ),
    ),
)
@takes(configuration=configuration_options)
def plan_show_command(
    plan: Annotated[
        str, Argument(metavar="PLAN", help="A plan in JSON (tofu show -json PLANFILE), or - for standard input.")
    ],
    state: StateOption = None,
    output_format: Annotated[
        PlanFormat, Option("--format", show_default=False, help="The output format; default: text.")
    ] = PlanFormat.TEXT,
    show_sensitive: ShowSensitiveOption = False,
    *,
    configuration: ConfigurationOptions,
) -> int:
    """Show the changes of a plan by provider instance.

    The JSON form of a plan does not name provider instances. They come from the configuration in --config, with the
    variables of the plan, and for objects that no block declares from the state before the plan (--state). First come
    missing provider instances, changes of provider instance, and what is destroyed or forgotten. In JSON, the plan is
    unchanged except for the members provider_instance and what is hidden.

    Hidden are values that the plan marks as sensitive, what rules SEC001 to SEC004 and OUT004 take for a secret, the
    arguments of actions that the plan does not mark at all, and in JSON the members that statetool does not know.

    Exit status 0: every provider instance exists, as far as is known; 1: one is missing, or errors in the configuration
    hide it.
    """
    if configuration.directory is None:
        raise UsageError("Missing option '--config': the directory of the configuration.")
    if plan == state == STANDARD_INPUT:
        raise BadParameter("only one of the plan and the state can come from standard input")
    shown = load_plan(plan)
    # Imported late: a usage error and a wrong file need none of it.
    from statefmt.plans import PlanBindings, plan_variables
    from statefmt.render.diff import Manner
    from statefmt.rules import CONFIGURATION_NOT_KNOWN, check_configuration

    references = configuration.loaded(earlier=plan_variables(shown, display_name(plan)))
    assert references is not None
    snapshot = None if state is None else opened_state(state).snapshot
    bindings = PlanBindings(shown, references, snapshot)
    wrong = report_problems(check_configuration(references, select=CONFIGURATION_NOT_KNOWN))
    manner = Manner(show_sensitive=show_sensitive)
    if output_format is PlanFormat.JSON:
        from statefmt.render.plan_json import plan_json

        write_result(plan_json(shown, bindings, show_sensitive=show_sensitive))
    elif output_format is PlanFormat.MARKDOWN:
        from statefmt.render.plan import plan_markdown

        print(plan_markdown(shown, bindings, manner, display_name(plan)))
    else:
        from statefmt.render.plan import plan_text

        for piece in plan_text(shown, bindings, manner, result_terminal()):
            print(piece)
    missing = any(each.planned.is_missing for each in bindings.changes) or bindings.stranded
    return FOUND if missing or wrong else FINE
