"""The untyped inside of cty values, which means something only together with a type."""

from __future__ import annotations

from typing import TypeAlias

from statefmt.model.cty.number import Number

# Null is None; lists, sets and tuples are tuples; maps and objects are dicts.
Data: TypeAlias = "bool | str | Number | tuple[Data, ...] | dict[str, Data] | None"
