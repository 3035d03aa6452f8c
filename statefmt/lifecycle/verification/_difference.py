"""Models a difference between a planned value and the actual one."""

from __future__ import annotations

from enum import Enum
from typing import Final, TypeAlias

from msgspec import Struct

from statefmt.model.cty import Number

# JSON as the comparison decodes it: whole numbers are int, others Number.
Decoded: TypeAlias = "bool | int | Number | str | list[Decoded] | dict[str, Decoded] | None"
# The steps to a part: names and positions.
PathSteps: TypeAlias = tuple[str | int, ...]


class Absent(Enum):
    """Stands for a value that does not exist; its only member is `ABSENT`."""

    ABSENT = None


ABSENT: Final = Absent.ABSENT


class DifferenceKind(Enum):
    """How two values differ."""

    VALUE = "value"
    LENGTH = "length"
    ELEMENTS = "elements"
    ORDER = "order"
    MISSING = "missing"
    ADDED = "added"
    UNKNOWN = "unknown"
    TYPE = "type"


class Difference(Struct, frozen=True):
    """A part of a value that differs.

    `path` is its place in the plan, `tokens` its place in the state, where a value of a dynamic attribute is a member
    of its own. `UNKNOWN` is a part that should be known after apply and is not, `TYPE` one that has another type than
    `wanted`, the name of a type. `ORDER` is a list whose elements have another order. With `by_position`, blocks were
    compared with those at the same positions, as there were too many to pair them by content.
    """

    kind: DifferenceKind
    path: PathSteps
    tokens: PathSteps
    planned: Decoded | Absent = ABSENT
    actual: Decoded | Absent = ABSENT
    wanted: str = ""
    by_position: bool = False
