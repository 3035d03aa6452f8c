"""Values that expressions give: cty values whose parts may be unknown or sensitive."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

import msgspec

from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem
from statefmt.model.cty import DYNAMIC, Number, Type


class UnknownKind(Enum):
    """What keeps a value from being known."""

    VARIABLE = "variable"  # an input variable without a value that may be used, or one that may be declared elsewhere
    LOCAL = "local"  # a local value that may be declared in a file that cannot be read
    WORKSPACE = "workspace"  # the workspace, or the phase of a run
    FUNCTION = "function"  # a function that is not evaluated
    NESTING = "nesting"  # an expression that is nested too deeply
    SYNTAX = "syntax"  # an argument with a syntax error in it
    OTHER = "other"  # anything else: what a plan decides, what releases do in different ways, what cannot be read


class Unknown(msgspec.Struct, frozen=True):
    """A value that cannot be known from the configuration alone.

    `reason` completes "can't tell, because …"; `range` is where the reason stands (the reference to a resource, the
    variable that has no value). `type` is what is known of the type, DYNAMIC for nothing. `problem` is set where
    OpenTofu would refuse the expression, so that the value is not merely unknown, but wrong. `kind` is for decisions:
    only a reason of the kind OTHER may quote more of an expression than names of variables, local values and functions.
    """

    reason: str
    range: Range | None = None
    type: Type = DYNAMIC
    sensitive: bool = False
    problem: Problem | None = None
    kind: UnknownKind = UnknownKind.OTHER


class Value(msgspec.Struct, frozen=True):
    """A known value, perhaps with unknown parts.

    `data` is None (null), bool, str, Number, a tuple of parts (list, tuple; set in cty's order) or a mapping of
    names to parts (map, object; in bytewise order of the names). `sensitive` says that the value itself is marked;
    the parts have marks of their own.
    """

    type: Type
    data: ValueData
    sensitive: bool = False

    @property
    def is_null(self) -> bool:
        return self.data is None


Part: TypeAlias = Value | Unknown
ValueData: TypeAlias = bool | str | Number | tuple[Part, ...] | Mapping[str, Part] | None
