"""Renders the `backend` block of a configuration, to be pasted: without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from statefmt.model.addrs.literals import hcl_quote
from statefmt.render.printable import printable
from statefmt.render.whereabouts._shown import shown_value
from statefmt.store.backends.description import SettingValue
from statefmt.store.backends.settings import BackendSetting, SettingSource
from statefmt.whereabouts.find import FoundState


def backend_block(found: FoundState) -> str:
    """Render the settings that the configuration has; a comment says how each of the others is set."""
    lines = ["terraform {", f"  backend {hcl_quote(found.backend.type)} {{"]
    explicit = [one for one in found.settings if one.source is not SettingSource.DEFAULT]
    for block, settings in groupby(explicit, key=lambda one: one.name.rpartition(".")[0]):
        inner = list(_lines(settings))
        lines += (
            [f"    {block} = {{", *(f"      {line}" for line in inner), "    }"]
            if block
            else [f"    {line}" for line in inner]
        )
    return "\n".join([*lines, "  }", "}"])


def _lines(settings: Iterable[BackendSetting]) -> Iterator[str]:
    for setting in settings:
        name = setting.name.rpartition(".")[2]
        if setting.source is SettingSource.ENVIRONMENT:
            yield f"# {name}: set {setting.place} in the environment"
        elif setting.secret or shown_value(setting) != setting.value:
            yield f"# {name}: a secret; set it with -backend-config or in the environment"
        else:
            yield f"{name} = {_literal(setting.value)}"


def _literal(value: SettingValue) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return printable(hcl_quote(value))
        case list():
            return "[" + ", ".join(map(_literal, value)) + "]"
        case dict():
            return "{ " + ", ".join(f"{hcl_quote(name)} = {_literal(member)}" for name, member in value.items()) + " }"
        case None:
            return "null"
    return str(value)
