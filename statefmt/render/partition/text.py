"""Prints ways to divide a state as tables: all of them, and the parts of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from statefmt.analysis.partition import NeededResource, Partition, PartitionPart, Suggestions
from statefmt.render.counted import counted
from statefmt.render.printable import printable
from statefmt.render.table import table
from statefmt.render.terminal import Terminal

# So many are in each list.
_MOST: Final = 20
_MOST_CONTENTS: Final = 3


def partitions_text(found: Suggestions, chosen: Partition, terminal: Terminal) -> Iterator[str]:
    """Yield the lines of the table of partitions, and those of the chosen one: its parts, and what others need."""
    rows = [_row(partition) for partition in found.partitions]
    headings = ("BY", "PARTS", "LARGEST", "OUTPUTS", "SECRETS", "APPLIES", "DIVIDED", "SCORE")
    yield table(headings, rows, terminal, right="lrrrrrrr")
    for kind, reason in found.without.items():
        yield f"No suggestion by {kind.value}: {printable(reason)}."
    yield ""
    yield terminal.paint(f"By {chosen.kind.value}:", "bold")
    parts = [_part(part) for part in chosen.parts]
    yield table(("PART", "INSTANCES", "NEEDS", "CONTENTS"), parts, terminal, right="lr")
    if chosen.needed:
        yield ""
        yield "Other parts need outputs for:"
        yield from (f"  {_needed(one)}" for one in chosen.needed[:_MOST])
        if len(chosen.needed) > _MOST:
            yield f"  and {counted(len(chosen.needed) - _MOST, 'more resource')}"
    if chosen.divided:
        yield ""
        yield "Modules with resources in several parts:"
        yield from (f"  {line}" for line in _few([printable(str(module)) for module in chosen.divided], _MOST))


def _row(partition: Partition) -> tuple[str, ...]:
    return (
        partition.kind.value,
        f"{len(partition.parts):,}",
        f"{partition.largest:.0%}",
        f"{partition.outputs:,}",
        f"{partition.secrets:,}",
        f"{partition.applies:,}",
        f"{len(partition.divided):,}",
        f"{partition.score:.1f}",
    )


def _part(part: PartitionPart) -> tuple[str, ...]:
    contents = ", ".join(_few([printable(one) for one in part.contents], _MOST_CONTENTS))
    return f"{part.name}{' (stays)' if part.stays else ''}", f"{part.instances:,}", ", ".join(part.needs), contents


def _needed(one: NeededResource) -> str:
    secret = " (has sensitive attributes)" if one.is_secret else ""
    return f"{printable(one.resource)} in {one.part}{secret}, for {', '.join(one.needed_by)}"


def _few(texts: Sequence[str], most: int) -> list[str]:
    return [*texts[:most], f"and {len(texts) - most:,} more"] if len(texts) > most else list(texts)
