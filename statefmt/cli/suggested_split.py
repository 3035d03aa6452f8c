"""`split --suggest`: shows ways to divide a state."""

from __future__ import annotations

from enum import StrEnum

from typer import BadParameter

from statefmt import State
from statefmt.cli.run import run_context
from statefmt.cli.streams import result_terminal, say, write_result
from statefmt.partitions import Partition, PartitionKind, suggest_partitions


class SuggestionFormat(StrEnum):
    """The output format."""

    TEXT = "text"
    JSON = "json"
    DOT = "dot"
    MERMAID = "mermaid"


def show_suggestions(state: State, by: str | None, output_format: SuggestionFormat | None) -> Partition | None:
    """Show ways to divide a state; return the best one, or the one by `by`, None if there is none.

    Without a format, nothing goes to standard output. With JSON, that says why there is none.
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
