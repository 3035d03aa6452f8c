"""Writes many states in one transaction, for commands that make or take an operations file: options, questions,
reports.

`mv --to-state`, `split` and `join` make an operations file in memory, so that the change can be ended after a crash.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace
from typer import BadParameter

from statefmt.addrs import DEFAULT_HOST, TERRAFORM_HOST, AbsResourceInstance, ConfigProviderConfig, ConfigResource
from statefmt.cli.command import takes
from statefmt.cli.options.ending import ENDINGS
from statefmt.cli.options.shared import AgreedOption, seconds
from statefmt.cli.options.write import DryRunOption, LockOption, LockTimeoutOption, NoBackupOption
from statefmt.cli.outcome import FAILED, FINE
from statefmt.cli.run import command_line, repeatable_arguments, run_context
from statefmt.cli.streams import ADVICE, confirmed, message_terminal, result_terminal, say
from statefmt.cli.surgery import SurgeryOptions, show_outcome_as_blocks
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import (
    CommandOperations,
    EditOptions,
    Ending,
    FileOutcome,
    KeptDependency,
    MoveBlock,
    Passages,
    StateBlock,
    applied_in_memory,
    end_undo,
    ended_in_memory,
    fit_name,
    operations_text,
    paths_to_allow,
    undo_together,
    write_operations,
)
from statefmt.render.diff import Manner, diff_text
from statefmt.render.findings import findings_text
from statefmt.render.terminal import Terminal, counted, note_text
from statefmt.text import printable, shell_line

if TYPE_CHECKING:
    from statefmt.operations_files import Agreed
    from statefmt.providers import ProviderReferences


# Arguments that only apply to the first run of a command, and not to the end of an interrupted change.
_ONCE: Final = ("--yes", "-y", "-auto-approve", "--dry-run", *ENDINGS)


def anywhere(state: str | None) -> str:
    """Return the name of a state in a form for any folder; None is the state of the current folder."""
    if state is None:
        return str(Path.cwd())
    return state if "://" in state or state == STANDARD_INPUT else str(Path.cwd() / state)


def carry_out_operations(
    command: str,
    text: str,
    options: EditOptions,
    states: Collection[str] | Mapping[str, str] = (),
    more: Sequence[str] = (),
    *,
    ending: Ending | None,
    show_sensitive: bool,
    asks: Callable[[FileOutcome], bool] = lambda _: True,
    as_blocks: bool = False,
    references: Mapping[str, ProviderReferences] = MappingProxyType({}),
    create_options: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Run an operations file that a command made in memory, or end its change; return the exit status.

    States in the text have names from `anywhere`, and the same arguments must always give the same text. `states` are
    arguments, or values of options, that name states, optionally with their form for any folder. `more` are arguments
    that are the default only in this folder. `ending` ends an interrupted change. `asks` says whether to ask about an
    outcome. `as_blocks` prints blocks of configurations, and writes nothing. `references` are the configurations for
    checks of states, and `create_options` the options that create states, both by the short names of the states.
    """
    words = [_from_anywhere(word, states) for word in repeatable_arguments(command, _ONCE)]
    made = CommandOperations(text, (words[0], *more, *words[1:]), create_options)
    context = run_context()
    if ending is not None:
        return report_ended(command, ended_in_memory(context, made, ending, options), ending)
    if as_blocks:
        statuses: list[int] = []

        def shown(names: Mapping[str, str], outcome: FileOutcome) -> bool:
            statuses.append(show_outcome_as_blocks(names, outcome, show_sensitive=show_sensitive))
            return False

        applied_in_memory(
            context, made, dataclasses.replace(options, dry_run=True), references=references, agreed=shown
        )
        return statuses[0]
    return apply_shown(
        command,
        lambda agreed: applied_in_memory(context, made, options, references=references, agreed=agreed),
        options,
        Manner(show_sensitive=show_sensitive),
        asks=asks,
        references=references,
    )


def apply_shown(
    name: str,
    apply: Callable[[Agreed], FileOutcome],
    options: EditOptions,
    manner: Manner,
    *,
    asks: Callable[[FileOutcome], bool] = lambda _: True,
    advice: str = ADVICE,
    references: Mapping[str, ProviderReferences] = MappingProxyType({}),
) -> int:
    """Change states after showing the changes, and asking if the outcome `asks`; return the exit status.

    `advice` is for runs without a terminal. `references` are the configurations for checks of the edits, by the names
    of their states.
    """
    refused, paths = False, dict[str, str]()

    def agreed(names: Mapping[str, str], outcome: FileOutcome) -> bool:
        nonlocal refused
        paths.update(names)
        must_ask = not (options.yes or options.dry_run) and asks(outcome)
        show_outcome(names, outcome, manner, to_messages=must_ask, checked=references)
        refused = must_ask and not confirmed("Write these states?", name, "written", advice)
        return not refused

    outcome = apply(agreed)
    if options.dry_run:
        say(f"{name}: dry run; nothing was written")
        return FINE
    if refused:
        say(f"{name}: nothing was written")
        return FAILED
    changed = [short for short, one in outcome.outcomes.items() if one.changes]
    for short in changed:
        say(f"{paths[short]}: written")
    if not changed:
        say(f"{name}: no changes; nothing was written")
    return FINE


def report_ended(name: str, names: tuple[str, ...], ending: Ending) -> int:
    """Report the states that the end of a change wrote; return the exit status."""
    for one in names:
        say(f"{one}: {'as it was before' if ending is Ending.TAKE_BACK else 'written'}")
    if not names:
        say(f"{name}: the change has ended; no state was written")
    return FINE


def _from_anywhere(word: str, states: Collection[str] | Mapping[str, str]) -> str:
    """Return an argument of the command line in a form for any folder."""
    places = states if isinstance(states, Mapping) else {state: anywhere(state) for state in states}
    option, equals, value = word.partition("=")
    if word.startswith("-") and equals and value in places:
        return f"{option}={places[value]}"
    return places.get(word, word)


_OUTPUTS: Final = (
    "The configuration that has such a resource needs an output for what the other one reads of it, in each of its "
    "modules up to the root module; the other one reads it with the data source terraform_remote_state, or as a "
    "variable."
)
_APART: Final = (
    "Dependencies within a state are dropped, since their ends move one after the other. To keep them, move both ends "
    "in one block:"
)
_NO_BLOCKS: Final = "the configuration of {} has no blocks for these provider configurations"
_NO_OBJECTS: Final = (
    "the state {} had no objects of these provider configurations, so its configuration may lack blocks for them"
)


def show_outcome(
    names: Mapping[str, str],
    outcome: FileOutcome,
    manner: Manner,
    *,
    to_messages: bool,
    checked: Mapping[str, ProviderReferences] = MappingProxyType({}),
) -> None:
    """Print the changes to standard output or as messages; `names` are the states by their short names.

    `checked` are the configurations that the edits were compared with, by the names of their states.
    """
    terminal, stream = (message_terminal(), sys.stderr) if to_messages else (result_terminal(), sys.stdout)
    across = outcome.passages()
    for piece in (*_pieces(names, outcome, across, manner, terminal), *_across(outcome, across, terminal, checked)):
        print(piece, file=stream)
    # Keeps the order if both streams go to one file.
    stream.flush()


def _pieces(
    names: Mapping[str, str], outcome: FileOutcome, across: Mapping[str, Passages], manner: Manner, terminal: Terminal
) -> Iterator[str]:
    changed = {short: one for short in names if (one := outcome.outcomes.get(short)) and one.changes}
    for number, (short, one) in enumerate(changed.items()):
        separator = "\n" if number else ""
        # States without a short name are listed by their names.
        place = "" if short == names[short] else f": {names[short]}"
        named = printable(short + place) + " (new)" * (short in outcome.created)
        yield separator + terminal.paint(f"State {named}", "bold")
        yield from diff_text(one.changes, manner, terminal, across[short])
        yield from (f"\n{note_text(note, terminal)}" for note in dict.fromkeys(one.edit.notes))
        if one.findings:
            yield f"\nThis edit adds {counted(len(one.findings), 'finding')}:\n{findings_text(one.findings, terminal)}"


def _across(
    outcome: FileOutcome, across: Mapping[str, Passages], terminal: Terminal, checked: Mapping[str, ProviderReferences]
) -> Iterator[str]:
    edits = outcome.edits
    for short, configs in edits.new_providers.items():
        lacking = _lacking(configs, checked.get(short))
        if lacking:
            what = _NO_BLOCKS if short in checked else _NO_OBJECTS
            yield "\n" + terminal.wrap(f"Warning: {what.format(short)}: {', '.join(lacking)}", "")
    dropped = list(outcome.dropped(across))
    joined = [one for one in dropped if one.state == one.other]
    left = [one for one in dropped if one.state != one.other]
    if joined:
        yield "\n" + terminal.wrap(_APART, "")
        yield from (f"  {one.dependant} needs {one.needs} in {one.state}" for one in joined)
    if left:
        yield "\nDependencies that would lead from one state to another are dropped:"
        yield from _needs(left)
    if edits.kept:
        yield "\nDependencies that lead from one state to another are kept:"
        yield from _needs(edits.kept)
    if left or edits.kept:
        yield "\n" + terminal.wrap(_OUTPUTS, "")


def _lacking(configs: Iterable[ConfigProviderConfig], references: ProviderReferences | None) -> list[str]:
    """Return provider configurations that are new to a state; with `references`, only those without a block."""
    known = () if references is None else frozenset(map(_without_host, references.tree.declared))
    # The builtin provider needs no configuration.
    others = (config for config in configs if not config.provider.is_builtin)
    return [str(config) for config in others if _without_host(config) not in known]


def _without_host(config: ConfigProviderConfig) -> ConfigProviderConfig:
    """Return a provider configuration with one host for both public registries, since a block may be for either
    program.
    """
    if config.provider.hostname != TERRAFORM_HOST:
        return config
    return replace(config, provider=replace(config.provider, hostname=DEFAULT_HOST))


def _needs(found: Iterable[KeptDependency]) -> Iterator[str]:
    """Yield a line for each resource that another state needs."""
    dependants: dict[tuple[str, str, ConfigResource], list[AbsResourceInstance]] = {}
    for one in found:
        dependants.setdefault((one.state, one.other, one.needs), []).append(one.dependant)
    for (here, there, needs), instances in dependants.items():
        more = f" and {len(instances) - 1:,} more" if len(instances) > 1 else ""
        yield f"  {here} needs {needs} in {there}, for {instances[0]}{more}"


def apply_options(
    *,
    no_backup: NoBackupOption = False,
    lock: LockOption = True,
    lock_timeout: LockTimeoutOption = "0s",
    yes: AgreedOption = False,
) -> EditOptions:
    """Return the options for writing several states. Raises BadParameter."""
    return EditOptions(
        command=command_line(),
        yes=yes,
        keep_backup=not no_backup,
        lock=lock,
        lock_timeout=seconds(lock_timeout, "--lock-timeout"),
    )


@takes(options=apply_options)
def joint_write_options(*, dry_run: DryRunOption = False, options: EditOptions) -> EditOptions:
    """Return the options for writing several states, perhaps as a dry run."""
    return dataclasses.replace(options, dry_run=dry_run)


def refuse_options(options: EditOptions, why: str, others: Mapping[str, bool] = MappingProxyType({})) -> None:
    """Raise BadParameter with `why` for options that only fit an edit of one state, and for given `others`."""
    given = [f"--{name.replace('_', '-')}" for name in options.of_one_state]
    for option in (*given, *(option for option, is_given in others.items() if is_given)):
        raise BadParameter(why, param_hint=option)


# Returns the path of a state in an operations file; None is the state of the current folder.
StatePlacer: TypeAlias = Callable[[str | None], str]

# File names that do not distinguish states.
_USUAL: Final = ("terraform", "default", "")


def place_in(out: str | None) -> StatePlacer:
    """Return the function that names states in a file `out`; None means a file in memory, with paths for any folder."""
    if out is None or out == STANDARD_INPUT:
        return anywhere if out is None else lambda state: "." if state is None else state
    folder = Path(out).parent

    def relative(state: str | None) -> str:
        if state is not None and ("://" in state or Path(state).is_absolute()):
            return state
        return os.path.relpath(state or ".", folder)

    return relative


def source_block(state: str | None, place: StatePlacer) -> StateBlock:
    """Return the block of an existing state, with the workspace of the command line if it names a folder."""
    path = place(state)
    options = run_context().backend
    is_folder = state is None or Path(state).is_dir()
    return StateBlock(path, workspace=options.workspace if options is not None and is_folder else None)


def short_names(states: Iterable[str | None]) -> dict[str | None, str]:
    """Return a name for each state: the name of its file or, if it is a usual name, of its folder."""
    names: dict[str | None, str] = {}
    for state in dict.fromkeys(states):
        path = PurePosixPath((state or "").partition("?")[0])
        stem = path.name.removesuffix(".json").removesuffix(".tfstate")
        wanted = fit_name(path.parent.name if stem in _USUAL and path.parent.name else stem)
        name, number = wanted, 1
        while name in names.values():
            number += 1
            name = f"{wanted}-{number}"
        names[state] = name
    return names


def save_operations(out: str, text: str) -> None:
    """Write an operations file to a new file, or to standard output for `-`. Raises StoreError."""
    if out == STANDARD_INPUT:
        print(text, end="")
        return
    write_operations(out, text)
    say(f"{out}: written; `{apply_line(out, 'plan')}` shows what it does, `{apply_line(out)}` does it")


def apply_line(path: str, command: str = "apply") -> str:
    """Return the command line that applies an operations file or a plan, with permissions for its places."""
    allowing = (word for place in paths_to_allow(path) for word in ("--allow-path", place))
    return shell_line(["statetool", command, *allowing, path])


def move_across(
    selector: str,
    destination: str | None,
    options: SurgeryOptions,
    ending: Ending | None,
    *,
    from_state: str | None,
    to_state: str,
    rebind: bool,
    create: bool,
    allow_plain: bool,
    as_blocks: bool,
    allow_mismatch: bool,
) -> int:
    """Move between two states, all or nothing, or end an interrupted move; return the exit status.

    `from_state` is None for the state of the current folder. With `create`, the target does not exist yet. With
    `allow_plain`, only one state may be encrypted. With `allow_mismatch`, objects may be bound to provider instances of
    another account or region.
    """
    refuse_options(options.write, "is for one state, and cannot be combined with --to-state")
    target = StateBlock(anywhere(to_state), create=create, allow_plain=allow_plain)
    source = StateBlock(anywhere(from_state))
    # The same names in any folder, so that --resume produces the same text.
    here, there = (*short_names((source.path, target.path)).values(), "target")[:2]
    goal = f"state.{there}" if destination is None else f"state.{there}.{destination}"
    move = MoveBlock(f"state.{here}.{selector}", goal, rebind=rebind)
    text = operations_text({here: source, there: target}, [move])
    given = [state for state in (from_state, to_state) if state is not None]
    more = () if from_state is not None else ("--from-state", anywhere(None))
    references = options.configuration.loaded()
    return carry_out_operations(
        "mv",
        text,
        dataclasses.replace(options.write, allow_mismatch=allow_mismatch),
        given,
        more,
        ending=ending,
        show_sensitive=options.show_sensitive,
        asks=_must_be_confirmed,
        as_blocks=as_blocks,
        references={} if references is None else {there: references},
        create_options={there: "--create"},
    )


def _must_be_confirmed(outcome: FileOutcome) -> bool:
    """Return whether the outcome has changes that the user may not expect."""
    edits = outcome.edits
    return bool(edits.crossing or any(edit.joins for edit in edits.edits.values()))


_ADVICE: Final = "Use --dry-run to see the changes, --yes to write them, or --only for this state only"


def undo_all(name: str, to: int | None, options: SurgeryOptions, further: str, *, discard_changes: bool) -> int:
    """Undo edits of several states, including `name`, in all of them; return the exit status.

    `further` is advice on undoing further.
    """
    why = "the edit changed several states, and is undone in all of them; add --only for this state only"
    refuse_options(options.write, why, {"--discard-changes": discard_changes})
    manner = Manner(show_sensitive=options.show_sensitive)

    def apply(agreed: Agreed) -> FileOutcome:
        return undo_together(run_context(), name, to, options.write, agreed=agreed)

    dry_run = options.write.dry_run
    status = apply_shown(name if dry_run else "undo", apply, options.write, manner, advice=_ADVICE)
    if status == FINE and not dry_run:
        say(f"`statetool undo` of any of these states now reverts this undo in all of them{further}")
    return status


def end_together(name: str, ending: Ending, options: SurgeryOptions, others: dict[str, bool]) -> int:
    """End an undo of several states after a crash; return the exit status.

    `others` are further forbidden options, and whether they are given.
    """
    others |= {"--dry-run": options.write.dry_run}
    refuse_options(options.write, "cannot be combined with --resume, --abort or --leave", others)
    return report_ended(name, end_undo(run_context(), name, ending, options.write), ending)
