"""Words the parts of a message that differ between the command line and a program.

A message that names an option must fit both readers: `--force-type` on the command line, `force_type=True` in a
program.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias


class Wording(NamedTuple):
    """A part of a message in two wordings, such as `--force-type` and `force_type=True`."""

    on_command_line: str
    in_program: str

    def __str__(self) -> str:
        return self.in_program


# A part of a message: one text for all readers, or a Wording.
MessagePart: TypeAlias = str | Wording


def for_programs(parts: Iterable[MessagePart]) -> str:
    """Join the parts of a message as a program reads it."""
    return "".join(map(str, parts))


def for_command_line(parts: Iterable[MessagePart]) -> str:
    """Join the parts of a message as a user of the command line reads it."""
    return "".join(part.on_command_line if isinstance(part, Wording) else part for part in parts)
