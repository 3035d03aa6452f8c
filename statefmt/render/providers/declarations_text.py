"""Renders provider configurations as declared in a configuration and used by a state, as a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from statefmt.analysis.providers import short_form
from statefmt.render.printable import printable
from statefmt.render.table import fitted_table
from statefmt.render.terminal import Terminal

if TYPE_CHECKING:
    # Most runs have no configuration and skip this import.
    from statefmt.analysis.providers.declarations import ConfigurationDeclaration, InstanceDeclaration

_HEADINGS: Final = ("configuration", "instances", "deposed", "declared in", "")


def provider_declarations_text(
    declarations: Sequence[ConfigurationDeclaration], terminal: Terminal, columns: int | None
) -> str:
    """Render a line per instance, grouped by source, with the number of objects in the state bound to it."""
    sources: dict[str, list[list[str]]] = {}
    for declaration in declarations:
        sources.setdefault(str(declaration.config.provider), []).extend(_rows(declaration, terminal))
    return "\n\n".join(
        f"{terminal.paint(printable(source), 'bold')}\n"
        + fitted_table(_HEADINGS, rows, terminal, columns=columns, right=" rr")
        for source, rows in sources.items()
    )


def _rows(declaration: ConfigurationDeclaration, terminal: Terminal) -> Iterator[list[str]]:
    where = declaration.range
    place = f"{printable(where.file)}:{where.line}" if where else "-"
    for one in declaration.instances:
        name = printable(short_form(declaration.config, one.provider.key))
        numbers = [f"{one.resource_instances:,}", f"{one.deposed_objects:,}"]
        yield [name, *numbers, place if one.declared is not False else "-", _note(declaration, one, terminal)]
    if not declaration.instances:
        reason = f"unknown keys, because {declaration.unknown.reason}" if declaration.unknown else "no instances"
        yield [printable(short_form(declaration.config)), "0", "0", place, printable(reason)]


def _note(declaration: ConfigurationDeclaration, one: InstanceDeclaration, terminal: Terminal) -> str:
    if one.missing:
        return terminal.paint("missing", "red")
    if one.unused:
        return terminal.paint("unused", "yellow")
    if one.declared is None and declaration.unknown is not None:
        return printable(f"unknown, because {declaration.unknown.reason}")
    return "" if declaration.range else "implied"
