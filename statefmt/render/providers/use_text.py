"""Renders the provider configurations of a state and what is bound to them, as a table or a tree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from statefmt.analysis.providers import BoundObject, ConfigurationUse, ProviderInstanceUse, by_resource, short_form
from statefmt.model.addrs import NO_KEY
from statefmt.render.counted import counted
from statefmt.render.printable import ROOT, printable
from statefmt.render.table import fitted_table
from statefmt.render.terminal import Terminal

# Follows a key that only one resource instance uses.
_MARK: Final = " *"
_NOTE: Final = "* only one resource instance uses this key"


class Rows(Enum):
    """What has a row in the table, with its heading."""

    INSTANCES = "modules"
    MODULES = "module"
    RESOURCES = "resource"


def provider_use_table(
    uses: Sequence[ConfigurationUse], terminal: Terminal, *, rows: Rows = Rows.INSTANCES, columns: int | None
) -> str:
    """Render a line per provider instance, with the number of objects bound to it, grouped by source.

    `rows` splits them by module or resource. In a table wider than `columns` (None for any width), each instance is on
    a line above its numbers.
    """
    headings = ("configuration", "instances", "deposed", rows.value)
    right = " rrr" if rows is Rows.INSTANCES else " rr"
    tables = []
    for source, of in _by_source(uses).items():
        cells = [row for use in of for row in _rows(use, terminal, rows)]
        drawn = fitted_table(headings, cells, terminal, columns=columns, right=right)
        tables.append(f"{terminal.paint(printable(source), 'bold')}\n{drawn}")
    return _whole(tables, uses)


def provider_use_tree(uses: Sequence[ConfigurationUse], terminal: Terminal, *, resources: bool) -> str:
    """Render a tree of source, configuration, key and module, and with `resources` those of each module."""
    trees = []
    for source, of in _by_source(uses).items():
        branches = tuple(_configuration_branch(use, terminal, resources=resources) for use in of)
        trees.append(tree(Branch(terminal.paint(printable(source), "bold"), branches)))
    return _whole(trees, uses)


def _by_source(uses: Sequence[ConfigurationUse]) -> dict[str, list[ConfigurationUse]]:
    sources: dict[str, list[ConfigurationUse]] = {}
    for use in uses:
        sources.setdefault(str(use.config.provider), []).append(use)
    return sources


def _whole(parts: Sequence[str], uses: Sequence[ConfigurationUse]) -> str:
    marked = any(instance.only_place for use in uses for instance in use.instances)
    return "\n\n".join([*parts, *([_NOTE] if marked else [])])


def _rows(use: ConfigurationUse, terminal: Terminal, rows: Rows) -> Iterator[list[str]]:
    if not use.instances:
        yield [printable(short_form(use.config)), "0", "0", "0" if rows is Rows.INSTANCES else ""]
    for instance in use.instances:
        name = _marked(printable(short_form(use.config, instance.provider.key)), instance, terminal)
        if rows is Rows.INSTANCES:
            modules = len({obj.addr.module for obj in instance.objects})
            yield [name, *_cells(instance.objects), f"{modules:,}"]
            continue
        groups: Iterable[tuple[object, Sequence[BoundObject]]]
        groups = by_resource(instance.objects).items() if rows is Rows.RESOURCES else instance.by_module().items()
        for place, objects in groups:
            yield [name, *_cells(objects), printable(str(place)) or ROOT]


def _cells(objects: Sequence[BoundObject]) -> list[str]:
    return [f"{number:,}" for number in _numbers(objects)]


def _configuration_branch(use: ConfigurationUse, terminal: Terminal, *, resources: bool) -> Branch:
    keyed = tuple(
        Branch(
            f"{_marked(printable(str(instance.provider.key)), instance, terminal)}  {_summary(instance.objects)}",
            _modules(instance, resources=resources),
        )
        for instance in use.instances
        if instance.provider.key is not NO_KEY
    )
    plain = [instance for instance in use.instances if instance.provider.key is NO_KEY]
    name = printable(short_form(use.config))
    if not plain:
        return Branch(name if keyed else f"{name}  no objects", keyed)
    # Rarely, a configuration has objects with and without keys: those without come first.
    return Branch(f"{name}  {_summary(plain[0].objects)}", (*_modules(plain[0], resources=resources), *keyed))


def _modules(instance: ProviderInstanceUse, *, resources: bool) -> tuple[Branch, ...]:
    return tuple(
        Branch(
            f"{printable(str(module)) or ROOT}  {_summary(objects)}",
            tuple(_resource(str(addr), of) for addr, of in by_resource(objects).items()) if resources else (),
        )
        for module, objects in instance.by_module().items()
    )


def _resource(addr: str, objects: Sequence[BoundObject]) -> Branch:
    """Return a resource with its instances as branches; one without keys is a single line."""
    below = tuple(Branch(printable(object_text(obj))) for obj in objects)
    return below[0] if len(below) == 1 else Branch(printable(addr), below)


def object_text(obj: BoundObject) -> str:
    """Return the address of an object, with its deposed key if it has one."""
    return f"{obj.addr} (deposed object {obj.deposed})" if obj.deposed else str(obj.addr)


def bound_numbers(objects: Sequence[BoundObject]) -> str:
    """Format numbers: `2 resource instances and 1 deposed object`, without the part that is zero."""
    current, deposed = _numbers(objects)
    parts = [counted(current, "resource instance")] if current or not deposed else []
    return " and ".join(parts + ([counted(deposed, "deposed object")] if deposed else []))


def _summary(objects: Sequence[BoundObject]) -> str:
    current, deposed = _numbers(objects)
    return counted(current, "instance") + (f", {deposed:,} deposed" if deposed else "")


def _numbers(objects: Sequence[BoundObject]) -> tuple[int, int]:
    """Return the numbers of current and deposed objects."""
    deposed = sum(1 for obj in objects if obj.deposed)
    return len(objects) - deposed, deposed


def _marked(name: str, instance: ProviderInstanceUse, terminal: Terminal) -> str:
    return terminal.paint(name + _MARK, "yellow") if instance.only_place else name


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of a tree, ready to print, and the branches below it."""

    text: str
    below: tuple[Branch, ...] = ()


def tree(root: Branch) -> str:
    """Render a tree in lines, without a newline at the end."""
    return "\n".join([root.text, *_lines(root.below, "")])


def _lines(branches: tuple[Branch, ...], indent: str) -> Iterator[str]:
    for place, branch in enumerate(branches, 1):
        last = place == len(branches)
        yield f"{indent}{'└── ' if last else '├── '}{branch.text}"
        yield from _lines(branch.below, indent + ("    " if last else "│   "))
