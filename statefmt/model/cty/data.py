"""Defines the untyped data of cty values, which is meaningful only with a type."""

from __future__ import annotations

from typing import TypeAlias

from statefmt.model.cty.number import Number

# Null is None; lists, sets and tuples are tuples; maps and objects are dicts.
Data: TypeAlias = "bool | str | Number | tuple[Data, ...] | dict[str, Data] | None"
