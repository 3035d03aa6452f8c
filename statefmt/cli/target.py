"""Rewrites a whole state to standard output, another file or the same file, and reports it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, TypeAlias

from typer import Option

from statefmt.cli.options.provider_sources import ProviderSources
from statefmt.cli.options.write import WriteOptions, store_of
from statefmt.cli.run import run_context
from statefmt.cli.streams import message_terminal
from statefmt.edit.pipeline import Operation, edit
from statefmt.edit.session import LoadedState
from statefmt.locations import STANDARD_INPUT, display_name

InPlaceOption = Annotated[bool, Option("--in-place", "-i", help="Write the result back to STATE, after a backup.")]

# The rewritten state and its report.
Rewriting: TypeAlias = tuple[LoadedState, str]


def rewrite_state(
    name: str,
    sources: ProviderSources,
    options: WriteOptions,
    in_place: bool,
    operation: Operation[Rewriting],
    verb: str,
) -> LoadedState:
    """Rewrite the state `name`, print the report and where the result went, and return the state as it was."""
    target = options.target(name, in_place)
    terms = options.terms(name, verb, to=target)
    done: list[str] = []

    def written(outcome: Rewriting, backup: str | None) -> None:
        if target == STANDARD_INPUT:
            done.append(printed_text(name, options))
        else:
            done.append(f"written to {target or name}{kept_text(backup)}")
        _print(outcome[1], done[0])

    outcome = edit(
        run_context(),
        store_of(name),
        terms,
        operation,
        opening=lambda data: sources.opened(name, data),
        written=written,
    )
    if not done:
        _print(outcome[1], f"{why_not(target, dry_run=terms.dry_run)}; nothing was written")
    return outcome[0]


def printed_text(name: str, options: WriteOptions) -> str:
    """Return a sentence that the result was only printed, and how to write it; "" if there is no file to write."""
    if name == STANDARD_INPUT:
        return ""
    way = "; add --in-place to write the result to it" if options.out is None else ""
    return f"printed to standard output; {display_name(name)} was not written{way}"


def why_not(target: str | None, *, dry_run: bool) -> str:
    """Return why nothing was written to another file, or to the state."""
    if dry_run:
        return "dry run"
    return f"{target} already has this content" if target else "nothing to change"


def kept_text(backup: str | Path | None, what: str = "file") -> str:
    """Return the end of a message that names the backup of the previous `file` or `state`."""
    return f"; the previous {what} is kept in {backup}" if backup else ""


def _print(report: str, line: str) -> None:
    ending = [message_terminal().wrap(line, "  ")] if line else []
    print("\n".join([report, *ending]), file=sys.stderr)
