"""Fixes the findings of `check` in states, or shows the fixes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from statefmt import StatetoolError, StoreError
from statefmt.cli.options.write import FixOptions
from statefmt.cli.outcome import FAILED, FINE, FOUND, kept_text, show_failure
from statefmt.cli.streams import result_terminal, say
from statefmt.locations import RemoteName, display_name, listed_states
from statefmt.render.diff import Manner, diff_text
from statefmt.render.findings import message
from statefmt.render.terminal import counted
from statefmt.rules import NO_STATE, CheckedState, Fixable, FixedState, Gate, mend_state
from statefmt.store.files import is_inside
from statefmt.store.reading import is_folder
from statefmt.text import printable

# A state may have thousands.
_MOST_FINDINGS: Final = 20
_OUTSIDE: Final = "a link leads out of the folder {}; nothing was written. If that is intended, name this state"


def fix_all(gate: Gate, names: Sequence[str], options: FixOptions, *, quiet: bool) -> int:
    """Fix the fixable findings of each state in a separate edit; return the exit status.

    Ignores missing and unreadable states, which the following check reports.
    """
    found: dict[str, str] = {}
    status = FINE
    for name in names:
        try:
            found |= {state: name for state in listed_states(gate.context, [name]) if state not in found}
        except StoreError as error:
            if options.shows:
                show_failure(error)
                status = FAILED
    manner = Manner()
    for name, checked in zip(found, gate.check_all(list(found)), strict=True):
        if not options.shows and _leads_outside(name, found[name]):
            show_failure(StoreError(f"{display_name(name)}: {_OUTSIDE.format(found[name])}"))
            status = FAILED
        elif isinstance(checked, CheckedState):
            status = max(status, _fixed(gate, name, checked, options, None if quiet else manner))
            if options.shows and (reasons := [each for each in checked.findings if each.code in NO_STATE]):
                # No check follows to report it.
                show_failure(StoreError(f"{display_name(name)}: {message(reasons[0])}"))
                status = FAILED
        elif options.shows:
            show_failure(StoreError(checked.message))
            status = FAILED
    return status


def _leads_outside(state: str, named: str) -> bool:
    """Return whether a state below the named folder is a link to a file outside it.

    A folder may come from a stranger, who must not choose other files to write.
    """
    return state != named and not isinstance(state, RemoteName) and is_folder(named) and not is_inside(state, named)


def _fixed(gate: Gate, name: str, checked: CheckedState, options: FixOptions, manner: Manner | None) -> int:
    """Fix one state. Locks only states with fixable findings. Without `manner`, shows nothing."""
    fixable = checked.fixable(Fixable.SAFE, *([Fixable.UNSAFE] if options.unsafe else []))
    others = () if options.unsafe else checked.fixable(Fixable.UNSAFE)
    where = display_name(name)
    status = FINE
    if fixable:
        try:
            status = _edited(gate, name, where, options, manner)
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
    if others and options.shows and manner is not None:
        # Otherwise the report includes them.
        more = counted(len(others), "more finding")
        say(f"{where}: {more} can be fixed with --unsafe-fixes; `statetool rule CODE` says how")
    return status


def _edited(gate: Gate, name: str, where: str, options: FixOptions, manner: Manner | None) -> int:
    def written(outcome: FixedState, backup: str | None) -> None:
        say(f"{where}: {_counts(outcome)} fixed{kept_text(backup, 'state')}")

    outcome = mend_state(gate, name, options.write.for_state(name), unsafe=options.unsafe, written=written)
    if outcome.reason:
        say(f"{where}: {outcome.reason}")
    if not options.shows or not outcome.mended:
        return FINE
    if manner is not None:
        _show(where, outcome, manner)
    return FOUND


def _show(where: str, outcome: FixedState, manner: Manner) -> None:
    terminal = result_terminal()
    print(terminal.paint(f"{printable(where)}: {_counts(outcome)} would be fixed", "bold"))
    for finding in outcome.mended[:_MOST_FINDINGS]:
        print(terminal.wrap(f"{finding.code} {message(finding)}", "  ", hanging="  "))
    if len(outcome.mended) > _MOST_FINDINGS:
        print(f"  … and {len(outcome.mended) - _MOST_FINDINGS} more")
    if outcome.changes:
        for piece in diff_text(outcome.changes, manner, terminal):
            print(piece)
    if outcome.is_canonical:
        print("The state would be rewritten in canonical form.")


def _counts(outcome: FixedState) -> str:
    counts = Counter(finding.code for finding in outcome.mended)
    each = ", ".join(f"{number} {code}" for code, number in sorted(counts.items()))
    return f"{counted(len(outcome.mended), 'finding')} ({each})"
