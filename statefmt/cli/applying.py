"""Writes many states as one: shows what changes, asks, and reports; ends a change after a crash."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

from statefmt.cli.command_line import command_line, repeatable_arguments
from statefmt.cli.confirmation import ADVICE, confirmed
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.many_states import show_outcome
from statefmt.cli.options.ending import ENDINGS
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import (
    CommandOperations,
    Ending,
    FileOutcome,
    applied_in_memory,
    ended_in_memory,
    planned_in_memory,
)
from statefmt.render.diff.items import Manner

if TYPE_CHECKING:
    from statefmt.operations_files import Agreed
    from statefmt.providers import ProviderReferences

# Arguments that a command has once, and not when it is repeated to end what it began.
_ONCE: Final = ("--yes", "-y", "-auto-approve", "--dry-run", *ENDINGS)


class ApplyTerms(NamedTuple):
    """How a command writes many states. `timeout` is in seconds, for each lock, None for no locks.

    `advice` says what to do without a terminal to ask on. `asks` says whether to ask about an outcome. `ending` is set
    to end a change that was interrupted. `as_blocks` prints blocks of configurations, and writes nothing. `references`
    are configurations that states are checked against, by the short names of the states.
    """

    manner: Manner
    advice: str = ADVICE
    ending: Ending | None = None
    timeout: float | None = 0
    keeps_backup: bool = True
    asks: Callable[[FileOutcome], bool] = lambda _: True
    dry_run: bool = False
    as_blocks: bool = False
    references: Mapping[str, ProviderReferences] = MappingProxyType({})


def anywhere(state: str | None) -> str:
    """Return the name of a state on the command line as it is in any folder; None is that of the current folder."""
    if state is None:
        return str(Path.cwd())
    return state if "://" in state or state == STANDARD_INPUT else str(Path.cwd() / state)


def carry_out_operations(
    command: str,
    text: str,
    terms: ApplyTerms,
    states: Collection[str] | Mapping[str, str] = (),
    more: Sequence[str] = (),
    *,
    create_options: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Run an operations file that a command made in memory, or end that; return the exit status.

    States in the text have names as `anywhere` gives them, and the same arguments must always give the same text.
    `states` are arguments, or values of options, that name states, perhaps with what they are in any folder. `more` are
    arguments that are the default here, but not in other folders. `create_options` are the options that create states,
    by the short names of these.
    """
    words = [_from_anywhere(word, states) for word in repeatable_arguments(command, _ONCE)]
    made = CommandOperations(text, (words[0], *more, *words[1:]), create_options)
    context, timeout, keeps_backup = run_context(), terms.timeout, terms.keeps_backup
    if terms.ending is not None:
        names = ended_in_memory(context, made, terms.ending, timeout=timeout, keeps_backup=keeps_backup)
        return report_ended(command, names, terms.ending)
    if terms.as_blocks:
        return _as_blocks(made, terms)
    if terms.dry_run:
        planned_in_memory(context, made, _shown(terms), references=terms.references)
        say(f"{command}: dry run; nothing was written")
        return FINE
    return apply_shown(
        command,
        lambda agreed: applied_in_memory(
            context,
            made,
            command_line(),
            timeout=timeout,
            keeps_backup=keeps_backup,
            references=terms.references,
            agreed=agreed,
        ),
        terms,
    )


def apply_shown(name: str, apply: Callable[[Agreed], FileOutcome], terms: ApplyTerms) -> int:
    """Change states after showing how, and after asking if so agreed; return the exit status."""
    refused, paths = False, dict[str, str]()

    def agreed(names: Mapping[str, str], outcome: FileOutcome) -> bool:
        nonlocal refused
        paths.update(names)
        asks = terms.asks(outcome)
        show_outcome(names, outcome, terms.manner, to_messages=asks, checked=terms.references)
        refused = asks and not confirmed("Write these states?", name, "written", terms.advice)
        return not refused

    outcome = apply(agreed)
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
    """Say which states were written to end a change; return the exit status."""
    for one in names:
        say(f"{one}: {'as it was before' if ending is Ending.TAKE_BACK else 'written'}")
    if not names:
        say(f"{name}: the change has ended; no state was written")
    return FINE


def _from_anywhere(word: str, states: Collection[str] | Mapping[str, str]) -> str:
    """Return an argument of the command line that means the same in any folder."""
    places = states if isinstance(states, Mapping) else {state: anywhere(state) for state in states}
    option, equals, value = word.partition("=")
    if word.startswith("-") and equals and value in places:
        return f"{option}={places[value]}"
    return places.get(word, word)


def _as_blocks(made: CommandOperations, terms: ApplyTerms) -> int:
    from statefmt.cli.as_blocks import show_outcome_as_blocks

    statuses: list[int] = []

    def shown(names: Mapping[str, str], outcome: FileOutcome) -> bool:
        statuses.append(show_outcome_as_blocks(names, outcome, show_sensitive=terms.manner.show_sensitive))
        return False

    planned_in_memory(run_context(), made, shown, references=terms.references)
    return statuses[0]


def _shown(terms: ApplyTerms) -> Agreed:
    def shown(names: Mapping[str, str], outcome: FileOutcome) -> bool:
        show_outcome(names, outcome, terms.manner, to_messages=False, checked=terms.references)
        return False

    return shown
