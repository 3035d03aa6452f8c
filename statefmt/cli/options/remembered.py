"""Options that many commands share without an argument for each: the context of the command keeps their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click


def remembered(*options: click.Option) -> list[click.Option]:
    """Return the options, whose values go to `remembered_values` and not to the command."""
    for option in options:
        option.expose_value = False
        option.callback = _remember
    return list(options)


def remembered_values(context: click.Context) -> Mapping[str, Any]:
    """Return the values by the names of the options, as click converted them."""
    values: Mapping[str, Any] = context.meta.get(__name__, {})
    return values


def _remember(context: click.Context, parameter: click.Parameter, value: object) -> object:
    context.meta.setdefault(__name__, {})[parameter.name] = value
    return value
