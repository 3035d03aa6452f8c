"""`statetool split`: moves parts of a state to new states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, NamedTuple

from typer import BadParameter, Option

from statefmt import Snapshot
from statefmt.cli.applying import ApplyTerms, anywhere, carry_out_operations
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.joint_write import joint_write_options
from statefmt.cli.made_operations import StatePlacer, place_in, save_operations, short_names, source_block
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.shared import StateArgument, StateOption, one_state
from statefmt.cli.options.takes import declared, takes
from statefmt.cli.run import run_context
from statefmt.cli.suggested_split import SuggestionFormat, show_suggestions
from statefmt.cli.usage_error import UsageError
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import Ending, MoveBlock, SplitBy, StateBlock, begun_text, operations_text, split_parts
from statefmt.text import pattern

_NAME: Final = "{name}"
_SUGGESTIONS: Final = "Suggestions"
# A key in an address may have an equals sign.
_SELECTED: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")+)=(.+)')


@declared(
    paged=False,
    decrypts=True,
    connects=True,
    examples=(
        ("Move a module to a new state.", "statetool split --select module.vpc=net/terraform.tfstate"),
        (
            "Make a state for each region, and review the operations first.",
            "statetool split --by provider --into 'regions/{name}.tfstate' --out split.stateops.hcl",
        ),
        ("Show good ways to divide a state.", "statetool split --suggest"),
        ("Make a state for each module.", "statetool split app.tfstate --by module --into '{name}/terraform.tfstate'"),
    ),
)
@takes(ending=ending_options, terms=joint_write_options)
def split_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    select: Annotated[
        list[str] | None,
        Option(
            "--select",
            metavar="SELECTOR=NEW",
            help="Move what an address or a pattern selects to the new state NEW. Repeat it for more states; each "
            "takes what is left.",
        ),
    ] = None,
    by: Annotated[
        SplitBy | None,
        Option(
            "--by",
            metavar="WHAT",
            help="Make a new state for each module, module-instance, provider (configurations with an alias, and their "
            "instances), region, or community of dependencies. The rest stays.",
        ),
    ] = None,
    into: Annotated[
        str | None, Option("--into", metavar="NEW", help="With --by, the new states, such as 'parts/{name}.tfstate'.")
    ] = None,
    suggest: Annotated[
        bool,
        Option(
            "--suggest",
            help="Write no state, but show ways to divide it: by modules, providers, regions and communities of "
            "dependencies, best first. --by chooses one, and --out writes it.",
            rich_help_panel=_SUGGESTIONS,
        ),
    ] = False,
    output_format: Annotated[
        SuggestionFormat,
        Option("--format", show_default=False, help="The output format; default: text.", rich_help_panel=_SUGGESTIONS),
    ] = SuggestionFormat.TEXT,
    drop_dependencies: Annotated[
        bool,
        Option(
            "--drop-dependencies", help="Drop dependencies on what is in another state. `join` cannot restore them."
        ),
    ] = False,
    out: Annotated[
        str | None, Option("--out", "-o", metavar="FILE", help="Write an operations file instead, or print it if -.")
    ] = None,
    *,
    ending: Ending | None,
    terms: ApplyTerms,
) -> int:
    """Move parts of a state to new states.

    Addresses stay the same, and so do outputs: they stay in STATE. Lists the outputs that the configurations then need
    of each other. All states are written, or none; `join` puts them together again.
    """
    state = one_state(state, state_option)
    if suggest:
        if select:
            raise BadParameter("cannot be combined with --suggest", param_hint="--select")
        if ending is not None:
            raise BadParameter("cannot be combined with --resume, --abort and --leave", param_hint="--suggest")
    elif output_format is not SuggestionFormat.TEXT:
        raise BadParameter("requires --suggest", param_hint="--format")
    elif bool(select) == (by is not None):
        raise UsageError("Give either --select or --by; --suggest shows good ways to divide the state.")
    if not suggest and (by is None) != (into is None):
        raise UsageError("--by and --into go together.")
    if into is not None and _NAME not in into:
        raise BadParameter(f"has no {_NAME}, which stands for the name of each part", param_hint="--into")
    if out is not None and ending is not None:
        raise BadParameter("cannot be combined with --resume, --abort and --leave", param_hint="--out")
    made = _Split(state, place_in(out), drop_dependencies)
    if suggest:
        return _suggest(made, by, into or f"{_NAME}.tfstate", out, output_format)
    given = {} if state is None else {state: anywhere(state)}
    if by is None or into is None:
        parts, words = _selected(select or ())
        text = made.text(parts)
        given |= words
    else:
        given[into] = anywhere(into)
        pattern_of_new, wanted = into, by

        def text_of(snapshot: Snapshot) -> str:
            return made.text(_placed(split_parts(snapshot, wanted), pattern_of_new))

        if ending is None:
            text = text_of(opened_state(state).snapshot)
        else:
            text = begun_text(run_context(), "split", state_name(state), text_of)
    if out is not None:
        save_operations(out, text)
        return FINE
    more = () if state is not None else (anywhere(None),)
    return carry_out_operations("split", text, terms._replace(ending=ending), given, more)


class _Split(NamedTuple):
    """How a state is divided."""

    state: str | None
    place: StatePlacer
    drops_dependencies: bool

    def text(self, parts: Mapping[str, Sequence[str]]) -> str:
        """Return the operations file; `parts` has the selectors of each new state."""
        names = short_names((self.state, *parts))
        source = names[self.state]
        states = {source: source_block(self.state, self.place)}
        states |= {names[new]: StateBlock(self.place(new), create=True) for new in parts}
        moves = [
            MoveBlock(
                tuple(f"state.{source}.{one}" for one in selectors),
                f"state.{names[new]}",
                keep_dependencies=not self.drops_dependencies,
            )
            for new, selectors in parts.items()
        ]
        return operations_text(states, moves)


def _suggest(made: _Split, by: SplitBy | None, into: str, out: str | None, output_format: SuggestionFormat) -> int:
    """Show ways to divide a state, and write one as an operations file."""
    opened = opened_state(made.state)
    shown = None if out == STANDARD_INPUT and output_format is SuggestionFormat.TEXT else output_format
    partition = show_suggestions(opened, None if by is None else by.value, shown)
    if partition is None:
        return FAILED
    if out is not None:
        save_operations(out, made.text(_placed(partition.new_states, into)))
    return FINE


def _placed(parts: Mapping[str, Sequence[str]], into: str) -> dict[str, Sequence[str]]:
    """Return the selectors of each new state, by its path."""
    return {into.replace(_NAME, name): selectors for name, selectors in parts.items()}


def _selected(given: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Return the selectors of each new state, and the arguments as they are in any folder."""
    parts: dict[str, list[str]] = {}
    words: dict[str, str] = {}
    for text in given:
        match = _SELECTED.fullmatch(text)
        if match is None:
            raise BadParameter(f"{text!r} is not SELECTOR=NEW", param_hint="--select")
        selector, new = match[1], match[2]
        parts.setdefault(new, []).append(selector)
        words[text] = f"{selector}={anywhere(new)}"
    return parts, words
