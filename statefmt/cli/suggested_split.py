"""`split --suggest`: shows how to divide a state, and writes an operations file that does it."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Final

import typer

from statefmt.cli.applying import anywhere
from statefmt.cli.exit_status import FINE, FOUND
from statefmt.cli.named_state import opened_state
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.locations import STANDARD_INPUT
from statefmt.operations_files import MoveBlock, StateBlock, operations_text, write_operations
from statefmt.partitions import Partition, PartitionKind, suggest_partitions


class SuggestionFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"


_HEAD: Final = """\
# Divides a state by {kind}. The part {stays} stays in it.
# New states are in files beside this one: change the paths if they belong elsewhere.

"""


def suggest_split(state: str | None, by: str | None, out: str | None, output_format: SuggestionFormat) -> int:
    """Show ways to divide a state, and write the best one, or the one by `by`, as an operations file to `out`."""
    opened = opened_state(state)
    run_context().phase("comparing")
    found = suggest_partitions(opened.snapshot)
    chosen = next((one for one in found.partitions if by is None or one.kind.value == by), None)
    if by is not None and by not in {kind.value for kind in PartitionKind}:
        kinds = ", ".join(kind.value for kind in PartitionKind)
        raise typer.BadParameter(f"with --suggest, give one of {kinds}", param_hint="--by")
    if output_format is SuggestionFormat.JSON:
        from statefmt.render.partition.json import partitions_json

        write_result(partitions_json(found))
    elif chosen is None:
        for kind, reason in found.without.items():
            if by in (None, kind.value):
                say(f"statetool: no suggestion by {kind.value}: {reason}")
    elif output_format is SuggestionFormat.TEXT:
        from statefmt.render.partition.text import partitions_text

        for line in partitions_text(found, chosen, result_terminal()):
            print(line)
    else:
        from statefmt.render.partition.graph import partition_dot, partition_mermaid

        print((partition_dot if output_format is SuggestionFormat.DOT else partition_mermaid)(chosen))
    if chosen is None:
        return FOUND
    if out is not None:
        write_operations(out, operations_of(chosen, state, out))
        say(f"{out}: written; see `statetool plan {out}`")
    return FINE


def operations_of(partition: Partition, state: str | None, out: str) -> str:
    """Return an operations file, to be written to `out`, that divides a state as a partition does."""
    states = {
        part.name: StateBlock(_beside(state, out)) if part.stays else StateBlock(f"{part.name}.tfstate", create=True)
        for part in partition.parts
    }
    stays = next(part.name for part in partition.parts if part.stays)
    moves = [
        MoveBlock(tuple(f"state.{stays}.{one}" for one in part.contents), f"state.{part.name}", keep_dependencies=True)
        for part in partition.parts
        if not part.stays
    ]
    return _HEAD.format(kind=partition.kind.value, stays=stays) + operations_text(states, moves)


def _beside(state: str | None, out: str) -> str:
    """Return the name of a state as an operations file has it."""
    name = anywhere(state)
    if name == STANDARD_INPUT or name.startswith("git:"):
        raise typer.BadParameter("requires a state that can be written", param_hint="--out")
    return name if "://" in name else os.path.relpath(name, Path(out).resolve().parent)
