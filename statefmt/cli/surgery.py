"""What all commands of surgery share: on which state they work, what they ask, and what they show."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Optional, get_type_hints

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.duration import seconds
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.options import ShowSensitiveOption, StateOption, YesOption
from statefmt.cli.selecting import filters
from statefmt.cli.streams import message_terminal, result_terminal
from statefmt.errors import SelectionError, StoreError
from statefmt.operate import Outcome, Terms, operate
from statefmt.render.diff_text import diff_text
from statefmt.render.diff_values import Manner
from statefmt.render.terminal import Terminal
from statefmt.selection import Criteria, select
from statefmt.session import state_name
from statefmt.states import ResourceInstance, Snapshot, instances
from statefmt.store.reading import STANDARD_INPUT
from statefmt.surgery.edit import Edit

WholeResourceOption = Annotated[
    bool, typer.Option("--whole-resource", help="Take all instances of a resource along with those that are selected.")
]


class Plan(NamedTuple):
    """What a command wants done: the name of the operation, what it does, and whether it asks first.

    `said` is the command without what must stay secret in it, where that is not how it was typed. `state` is the name
    of the state, where it was an argument. `checksum` is what the file's must be, and `changed` what to say if not.
    """

    name: str
    operation: Callable[[Snapshot], Edit]
    asks: bool = False
    said: str = ""
    state: str | None = None
    checksum: str | None = None
    changed: str = ""


def _shared(
    *,
    state: StateOption = None,
    out: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--out", "-o", metavar="PATH", help="Write the result here, and leave STATE; - is standard output."
        ),
    ] = None,
    backup: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--backup", metavar="PATH", help="Keep the state as it was here; default: beside it."),
    ] = None,
    no_backup: Annotated[
        bool, typer.Option("--no-backup", help="With --out: keep nothing of a file that is replaced.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would change, and write nothing.")] = False,
    lock: Annotated[
        bool, typer.Option("--lock/--no-lock", show_default=False, help="Lock the state as OpenTofu does; the default.")
    ] = True,
    lock_timeout: Annotated[
        str,
        typer.Option(metavar="DURATION", show_default=False, help="How long to wait for the lock: 10s; default: 0s."),
    ] = "0s",
    expect_serial: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option(metavar="N", help="Do it only if the state has this serial."),
    ] = None,
    expect_hash: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="SHA256", help="Do it only if the file has this SHA-256."),
    ] = None,
    show_sensitive: ShowSensitiveOption = False,
    yes: YesOption = False,
) -> None:
    """The options of every command of surgery."""


def surgery(plan: Callable[..., Plan]) -> Callable[..., int]:
    """A command out of a function that takes the command's own arguments and says what is to be done.

    Where it has a parameter `chosen`, the command has the options that select, and this is what they say. Its own
    parameters go before others of the same name; a command with its own `state` names the state in its plan.
    """
    own = dict(inspect.signature(plan).parameters)
    selecting = _not_among(own, filters) if own.pop("chosen", None) else {}
    shared = _not_among(own, _shared)

    def command(**given: Any) -> int:
        arguments = {name: given[name] for name in own}
        if selecting:
            arguments["chosen"] = filters(**{name: given[name] for name in selecting})
        return _run(plan(**arguments), **{"state": None, **{name: given[name] for name in shared}})

    hints = {"return": int}
    for function in (_shared, filters, plan):
        hints |= get_type_hints(function, include_extras=True)
    parameters = [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])
        for part in (own, selecting, shared)
        for one in part.values()
    ]
    # typer reads the options from the signature and their meaning from the annotations.
    vars(command)["__signature__"] = inspect.Signature(parameters, return_annotation=int)
    command.__annotations__ = hints | {"return": int}
    command.__doc__ = plan.__doc__
    return command


def _not_among(own: Mapping[str, object], function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    return {name: one for name, one in inspect.signature(function).parameters.items() if name not in own}


def choose(snapshot: Snapshot, chosen: Criteria, selectors: Sequence[str] | None = None) -> list[ResourceInstance]:
    """The instances that were chosen on the command line. Raises SelectionError where they are none, or all of them."""
    wanted = replace(chosen, selectors=tuple(selectors or ()))
    if wanted == Criteria():
        raise SelectionError("nothing says which: give an address, a pattern, or an option that selects; '**' is all")
    return select(instances(snapshot), wanted)


def _run(
    plan: Plan,
    *,
    state: str | None,
    out: str | None,
    backup: Path | None,
    no_backup: bool,
    dry_run: bool,
    lock: bool,
    lock_timeout: str,
    expect_serial: int | None,
    expect_hash: str | None,
    show_sensitive: bool,
    yes: bool,
) -> int:
    if out is not None and backup is not None:
        raise typer.BadParameter("--out leaves the state as it is: nothing is to be kept", param_hint="--backup")
    if no_backup and out is None:
        raise typer.BadParameter("goes with --out only", param_hint="--no-backup")
    terms = Terms(
        name=plan.state or state_name(state),
        operation=plan.name,
        command=plan.said or command_line(),
        out=out,
        backup=backup,
        keeps_replaced=not no_backup,
        dry_run=dry_run,
        lock=lock,
        timeout=seconds(lock_timeout, "--lock-timeout"),
        replace=yes,
        serial=expect_serial,
        checksum=expect_hash or plan.checksum,
        **({"changed": plan.changed} if plan.changed and not expect_hash else {}),
    )
    manner = Manner(show_sensitive=show_sensitive)
    asks = plan.asks and not yes
    refused: list[Outcome] = []

    def agreed(outcome: Outcome) -> bool:
        if not asks:
            return True
        _show(outcome, manner, message_terminal(), to_messages=True)
        if _agreed(terms):
            return True
        refused.append(outcome)
        return False

    outcome = operate(terms, plan.operation, agreed)
    if refused:
        print(f"{terms.name}: nothing was written", file=sys.stderr)
        return FAILED
    writes_here = not dry_run and not terms.in_place and (out or STANDARD_INPUT) == STANDARD_INPUT
    if not asks or not terms.in_place:
        _show(outcome, manner, message_terminal() if writes_here else result_terminal(), to_messages=writes_here)
    # In this order also where both go to one file.
    sys.stdout.flush()
    print(message_terminal().wrap(_ending(terms, outcome), "", "  "), file=sys.stderr)
    return FINE


def _agreed(terms: Terms) -> bool:
    """Whether somebody says yes. Raises StoreError where nobody can."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
        raise StoreError(
            f"{terms.name}: {terms.operation} asks before it writes, and there is no terminal to ask on; nothing was "
            "written. --dry-run shows what would change, and --yes does it"
        )
    return typer.confirm(f"Write this to {terms.name}?", err=True)


def _show(outcome: Outcome, manner: Manner, terminal: Terminal, *, to_messages: bool) -> None:
    stream = sys.stderr if to_messages else sys.stdout
    for piece in diff_text(outcome.changes, manner, terminal):
        print(piece, file=stream)
    for note in outcome.edit.notes:
        sentence, *listed = note.split("\n")
        print("\n".join(["", terminal.wrap(sentence, "", ""), *listed]), file=stream)


def _ending(terms: Terms, outcome: Outcome) -> str:
    """What became of it, in a sentence."""
    if terms.dry_run:
        return f"{terms.name}: this was a dry run; nothing was written"
    if not outcome.changes and terms.in_place:
        return f"{terms.name}: nothing to change; nothing was written"
    kept = f"; the state as it was is kept in {outcome.backup}" if outcome.backup else ""
    target = terms.name if terms.in_place else terms.out or STANDARD_INPUT
    return f"{'standard output' if target == STANDARD_INPUT else target}: written{kept}"
