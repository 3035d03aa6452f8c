"""The values of expressions: cty values with parts that may be unknown or sensitive."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem
from statefmt.model.cty import DYNAMIC, Number, Type


class UnknownKind(Enum):
    """Why a value is unknown."""

    VARIABLE = "variable"  # an input variable without a usable value, or one that may be declared elsewhere
    LOCAL = "local"  # a local value that may be declared in an unreadable file
    WORKSPACE = "workspace"  # the workspace, or the phase of a run
    FUNCTION = "function"  # a function that is not evaluated
    NESTING = "nesting"  # an expression that is nested too deeply
    SYNTAX = "syntax"  # an argument with a syntax error
    OTHER = "other"  # anything else: decided by the plan, different between releases, or unreadable


class Unknown(msgspec.Struct, frozen=True):
    """A value that the configuration alone does not determine.

    `reason` completes "can't tell, because …"; `range` points at the cause (the reference to a resource, the variable
    without a value). `type` is DYNAMIC if nothing is known of the type. `problem` is set if OpenTofu would refuse the
    expression: the value is then wrong, not merely unknown. Callers decide by `kind`: only a reason of the kind OTHER
    may quote more of an expression than names of variables, local values and functions.
    """

    reason: str
    range: Range | None = None
    type: Type = DYNAMIC
    sensitive: bool = False
    problem: Problem | None = None
    kind: UnknownKind = UnknownKind.OTHER


class Value(msgspec.Struct, frozen=True):
    """A known value, possibly with unknown parts.

    `data` is None (null), bool, str, Number, a tuple of parts (list, tuple; set in cty's order) or a mapping of
    names to parts (map, object; in bytewise order of the names). `sensitive` marks the value itself; the parts have
    marks of their own.
    """

    type: Type
    data: ValueData
    sensitive: bool = False

    @property
    def is_null(self) -> bool:
        return self.data is None


Part: TypeAlias = Value | Unknown
ValueData: TypeAlias = bool | str | Number | tuple[Part, ...] | Mapping[str, Part] | None
