"""`statetool split` and `join`: move parts of a state to new states, and everything in some states to another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Annotated, Final, NamedTuple

from typer import Argument, BadParameter, Option

from statefmt import Snapshot, State
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.many_states import (
    StatePlacer,
    anywhere,
    carry_out_operations,
    joint_write_options,
    place_in,
    save_operations,
    short_names,
    source_block,
)
from statefmt.cli.named_state import opened_state, state_name
from statefmt.cli.options.ending import ending_options
from statefmt.cli.options.shared import ShowSensitiveOption, StateArgument, StateOption, one_state
from statefmt.cli.outcome import FAILED, FINE, UsageError
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import (
    EditOptions,
    Ending,
    JoinBlock,
    MoveBlock,
    SplitBy,
    StateBlock,
    begun_text,
    operations_text,
    split_parts,
)
from statefmt.partitions import Partition, PartitionKind, suggest_partitions
from statefmt.text import pattern


class SuggestionFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"


def show_suggestions(state: State, by: str | None, output_format: SuggestionFormat | None) -> Partition | None:
    """Show ways to divide a state; return the best partition, or the partition by `by`; None if there is none.

    Without a format, nothing goes to standard output. JSON output includes the reason if there is none.
    """
    if by is not None and by not in {kind.value for kind in PartitionKind}:
        kinds = ", ".join(kind.value for kind in PartitionKind)
        raise BadParameter(f"cannot be suggested; give one of {kinds}", param_hint="--by")
    run_context().phase("comparing")
    found = suggest_partitions(state.snapshot)
    chosen = next((one for one in found.partitions if by is None or one.kind.value == by), None)
    if chosen is None and output_format is not SuggestionFormat.JSON:
        for kind, reason in found.without.items():
            if by in (None, kind.value):
                say(f"statetool: no suggestion by {kind.value}: {reason}")
    elif output_format is SuggestionFormat.JSON:
        from statefmt.render.partition import partitions_json

        write_result(partitions_json(found))
    elif chosen is not None and output_format is SuggestionFormat.TEXT:
        from statefmt.render.partition import partitions_text

        for line in partitions_text(found, chosen, result_terminal()):
            print(line)
    elif chosen is not None and output_format in (SuggestionFormat.DOT, SuggestionFormat.MERMAID):
        from statefmt.render.partition import partition_dot, partition_mermaid

        print((partition_dot if output_format is SuggestionFormat.DOT else partition_mermaid)(chosen))
    return chosen


_NAME: Final = "{name}"
_SUGGESTIONS: Final = "Suggestions"
# A key in an address may have an equals sign.
_SELECTED: Final = pattern(r'((?:[^="]|"(?:[^"\\]|\\.)*")+)=(.+)')


@examples(
    ("Move a module to a new state.", "statetool split --select module.vpc=net/terraform.tfstate"),
    (
        "Make a state for each region, and review the operations first.",
        "statetool split --by provider --into 'regions/{name}.tfstate' --out split.stateops.hcl",
    ),
    ("Show good ways to divide a state.", "statetool split --suggest"),
    ("Make a state for each module.", "statetool split app.tfstate --by module --into '{name}/terraform.tfstate'"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(ending=ending_options, options=joint_write_options)
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
    options: EditOptions,
    show_sensitive: ShowSensitiveOption = False,
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
    return carry_out_operations("split", text, options, given, more, ending=ending, show_sensitive=show_sensitive)


class _Split(NamedTuple):
    """The division of a state."""

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
    """Return the selectors of each new state, and the arguments in a form for any folder."""
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


@examples(
    ("Join two states into a third one.", "statetool join net app --into all"),
    (
        "Put what comes from a state into a module.",
        "statetool join eu.tfstate us.tfstate --into all.tfstate --create --prefix eu.tfstate=module.eu",
    ),
    ("Write the operations for a review.", "statetool join net --into app --out join.stateops.hcl"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(ending=ending_options, options=joint_write_options)
def join_command(
    states: Annotated[list[str], Argument(metavar="STATE...", help="The states to empty: files, folders or URLs.")],
    target: Annotated[str, Option("--into", metavar="TARGET", help="The state that everything goes to.")],
    create: Annotated[bool, Option("--create", help="Create TARGET.")] = False,
    prefix: Annotated[
        list[str] | None, Option("--prefix", metavar="STATE=MODULE", help="Put the objects of STATE into this module.")
    ] = None,
    outputs_from: Annotated[
        str | None, Option("--outputs-from", metavar="STATE", help="Keep the outputs of this state where two differ.")
    ] = None,
    allow_plain: Annotated[
        bool, Option("--allow-plain", help="Allow that TARGET is encrypted and a STATE is not, or the reverse.")
    ] = False,
    out: Annotated[
        str | None,
        Option("--out", "-o", metavar="FILE", help="Write an operations file instead; - is standard output."),
    ] = None,
    *,
    ending: Ending | None,
    options: EditOptions,
    show_sensitive: ShowSensitiveOption = False,
) -> int:
    """Move everything in some states to another one.

    TARGET keeps its lineage. The other states stay, without resources and outputs. An object that two states have under
    the same address stays once; different objects at one address are refused, and so are different outputs of one name.
    The outputs of a state with --prefix stay where they are: no state has outputs of modules. Instances of provider
    configurations with the same address become one configuration.
    """
    prefixes = _prefixes(prefix or (), states)
    known = (*states, target)
    if outputs_from is not None and outputs_from not in known:
        raise BadParameter(f"is none of the states: {', '.join(known)}", param_hint="--outputs-from")
    if out is not None and ending is not None:
        raise BadParameter("cannot be combined with --resume, --abort and --leave", param_hint="--out")
    place, names = place_in(out), short_names(known)
    blocks = {names[one]: source_block(one, place) for one in states}
    workspace = None if create else source_block(target, place).workspace
    blocks[names[target]] = StateBlock(path=place(target), workspace=workspace, create=create, allow_plain=allow_plain)
    chosen = None if outputs_from is None else f"state.{names[outputs_from]}"
    # The outputs of the chosen state must be present before others differ.
    ordered = sorted(states, key=lambda one: one != outputs_from)
    joins = [JoinBlock(f"state.{names[one]}", f"state.{names[target]}", prefixes.get(one), chosen) for one in ordered]
    text = operations_text(blocks, joins)
    if out is not None:
        save_operations(out, text)
        return FINE
    given = {one: anywhere(one) for one in known}
    given |= {f"{one}={module}": f"{anywhere(one)}={module}" for one, module in prefixes.items()}
    return carry_out_operations(
        "join",
        text,
        options,
        given,
        ending=ending,
        show_sensitive=show_sensitive,
        create_options={names[target]: "--create"},
    )


def _prefixes(given: Sequence[str], states: Sequence[str]) -> dict[str, str]:
    """Map states to the modules that receive their objects."""
    found: dict[str, str] = {}
    for text in given:
        # The longest name first: a path may have an equals sign.
        state = next((one for one in sorted(states, key=len, reverse=True) if text.startswith(f"{one}=")), None)
        if state is None:
            raise BadParameter(f"{text!r} is not STATE=MODULE with one of the states", param_hint="--prefix")
        if state in found:
            raise BadParameter(f"names {state} twice", param_hint="--prefix")
        found[state] = text.removeprefix(f"{state}=")
    return found
