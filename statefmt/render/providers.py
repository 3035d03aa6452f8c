"""Prints provider configurations: declared, used, removed, and lost by a change of the configuration."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from statefmt.analysis.providers import BoundObject, ConfigurationUse, ProviderInstanceUse, by_resource, short_form
from statefmt.analysis.providers.removal import ProviderRemoval
from statefmt.model.addrs import NO_KEY, AbsResourceInstance, ConfigProviderConfig, IntKey, StringKey
from statefmt.model.findings import Code, Finding, Severity
from statefmt.render.findings import COLOURS, configuration_problems_json, finding_text, findings_text, fix_text
from statefmt.render.json_output import document
from statefmt.render.table import fitted_table
from statefmt.render.terminal import ROOT, Terminal, counted, printable_lines
from statefmt.store.backends import state_words
from statefmt.text import printable, shell_line, shell_word

if TYPE_CHECKING:
    # Most runs have no configuration and skip these imports.
    from statefmt.analysis.providers.fates import ConfigurationDeclaration, InstanceDeclaration
    from statefmt.lint.simulation import Orphan, Simulation


# Follows a key that only one resource instance uses.
_MARK: Final = " *"
_NOTE: Final = "* only one resource instance uses this key"


class Rows(Enum):
    """The unit of a row in the table, with its heading."""

    INSTANCES = "modules"
    MODULES = "module"
    RESOURCES = "resource"


def provider_use_table(
    uses: Sequence[ConfigurationUse], terminal: Terminal, *, rows: Rows = Rows.INSTANCES, columns: int | None
) -> str:
    """Render a line per provider instance, with the number of objects bound to it, grouped by source.

    `rows` splits them by module or resource. In a table wider than `columns` (None for any width), each instance is
    on a line above its numbers.
    """
    headings = ("configuration", "instances", "deposed", rows.value)
    right = " rrr" if rows is Rows.INSTANCES else " rr"
    tables = []
    for source, of in _by_source(uses).items():
        cells = [row for use in of for row in _use_rows(use, terminal, rows)]
        drawn = fitted_table(headings, cells, terminal, columns=columns, right=right)
        tables.append(f"{terminal.paint(printable(source), 'bold')}\n{drawn}")
    return _whole(tables, uses)


def provider_use_tree(uses: Sequence[ConfigurationUse], terminal: Terminal, *, resources: bool) -> str:
    """Render a tree of source, configuration, key and module, and with `resources` the resources of each module."""
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


def _use_rows(use: ConfigurationUse, terminal: Terminal, rows: Rows) -> Iterator[list[str]]:
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
    # Rarely, a configuration has objects with and without keys: objects without keys come first.
    return Branch(f"{name}  {_summary(plain[0].objects)}", (*_modules(plain[0], resources=resources), *keyed))


def _modules(instance: ProviderInstanceUse, *, resources: bool) -> tuple[Branch, ...]:
    return tuple(
        Branch(
            f"{printable(str(module)) or ROOT}  {_summary(objects)}",
            tuple(_resource_branch(str(addr), of) for addr, of in by_resource(objects).items()) if resources else (),
        )
        for module, objects in instance.by_module().items()
    )


def _resource_branch(addr: str, objects: Sequence[BoundObject]) -> Branch:
    """Return a resource with its instances as branches; a resource without keys is a single line."""
    below = tuple(Branch(printable(object_text(obj))) for obj in objects)
    return below[0] if len(below) == 1 else Branch(printable(addr), below)


def object_text(obj: BoundObject) -> str:
    """Return the address of an object, with its deposed key if it has one."""
    return f"{obj.addr} (deposed object {obj.deposed})" if obj.deposed else str(obj.addr)


def bound_numbers(objects: Sequence[BoundObject]) -> str:
    """Format numbers: `2 resource instances and 1 deposed object`, without a part that is zero."""
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
    """Render a tree in lines, without a final newline."""
    return "\n".join([root.text, *_lines(root.below, "")])


def _lines(branches: tuple[Branch, ...], indent: str) -> Iterator[str]:
    for place, branch in enumerate(branches, 1):
        last = place == len(branches)
        yield f"{indent}{'└── ' if last else '├── '}{branch.text}"
        yield from _lines(branch.below, indent + ("    " if last else "│   "))


def provider_use_json(uses: Sequence[ConfigurationUse]) -> bytes:
    """Render all configurations (schema: `providers-output.schema.json`)."""
    return document(configurations=[_use_json(use) for use in uses])


def removal_json(found: ProviderRemoval) -> bytes:
    """Render the objects bound to the provider to remove (schema: `providers-remove-output.schema.json`)."""
    return document(
        provider=found.name,
        provider_instances=[str(provider) for provider in found.providers],
        in_use=[str(provider) for provider in found.used],
        bound=[
            {
                "address": str(obj.addr),
                "mode": obj.addr.resource.resource.mode.value,
                "deposed_key": obj.deposed or None,
            }
            for obj in found.objects
        ],
        destroy=[str(addr) for addr in found.to_destroy],
    )


def _use_json(use: ConfigurationUse) -> dict[str, object]:
    config = use.config
    return {
        "address": str(config),
        "source": str(config.provider),
        "module": str(config.module),
        "alias": config.alias or None,
        "instances": [_instance_use_json(instance) for instance in use.instances],
    }


def _instance_use_json(instance: ProviderInstanceUse) -> dict[str, object]:
    return {
        "address": str(instance.provider),
        "key": key.value if isinstance(key := instance.provider.key, (IntKey, StringKey)) else None,
        "only_place": None if instance.only_place is None else str(instance.only_place),
        **_numbers_json(instance.objects),
        "modules": [
            {
                "module": str(module),
                **_numbers_json(objects),
                "resources": [_resource_json(str(addr), of) for addr, of in by_resource(objects).items()],
            }
            for module, objects in instance.by_module().items()
        ],
    }


def _resource_json(address: str, objects: Sequence[BoundObject]) -> dict[str, object]:
    return {
        "address": address,
        "objects": [{"address": str(obj.addr), "deposed_key": obj.deposed or None} for obj in objects],
    }


def _numbers_json(objects: Sequence[BoundObject]) -> dict[str, int]:
    current, deposed = _numbers(objects)
    return {"resource_instances": current, "deposed_objects": deposed}


def removal_text(found: ProviderRemoval, terminal: Terminal, state: str | None = None) -> str:
    """Render every object bound to the provider to remove, in list order, and the ways to release them.

    `state` is the file to name in commands; None if commands find it by default.
    """
    name = found.name
    if not found.objects:
        return terminal.wrap(f"Nothing is bound to {name}: it can be removed.", "", "  ")
    destroy = found.to_destroy
    parts = [
        terminal.wrap(f"{name} has {bound_numbers(found.objects)}:", "", "  "),
        "\n".join(f"  {printable(object_text(obj))}" for obj in found.objects),
    ]
    while_there = "before the provider is removed" if found.whole else "while the provider still has its key"
    if destroy:
        advice = f"Remove these from the configuration, or give them another provider there, and apply {while_there}. "
        parts += [
            terminal.wrap(advice + "To destroy them now, with everything that depends on them:", ""),
            _command("tofu destroy", [f"-target={_quoted(addr)}" for addr in destroy]),
        ]
    if found.deposed_alone:
        parts.append(terminal.wrap(f"The next `tofu apply` destroys deposed objects. Run it {while_there}.", ""))
    if found.to_reread:
        parts.append(
            terminal.wrap("A data source has nothing to destroy, but its block must use another provider first.", "")
        )
    if destroy:
        parts += [
            terminal.wrap("To forget them without destroying the real objects:", ""),
            _command("statetool rm", [*_state(state), *(_quoted(addr) for addr in destroy)]),
            terminal.wrap("To bind them to another provider instance that can manage them:", ""),
            _command("statetool rebind", [*_state(state), *(_quoted(addr) for addr in destroy), "PROVIDER_INSTANCE"]),
        ]
    return "\n\n".join(parts)


def _quoted(addr: AbsResourceInstance) -> str:
    return shell_word(str(addr))


def _state(name: str | None) -> list[str]:
    return [] if name is None else [shell_line(state_words(name))]


def _command(name: str, arguments: Sequence[str]) -> str:
    return " \\\n".join([f"  {name}", *(f"    {argument}" for argument in arguments)])


_HEADINGS: Final = ("configuration", "instances", "deposed", "declared in", "")


def provider_declarations_text(
    declarations: Sequence[ConfigurationDeclaration], terminal: Terminal, columns: int | None
) -> str:
    """Render a line per instance, grouped by source, with the number of objects in the state bound to it."""
    sources: dict[str, list[list[str]]] = {}
    for declaration in declarations:
        sources.setdefault(str(declaration.config.provider), []).extend(_declaration_rows(declaration, terminal))
    return "\n\n".join(
        f"{terminal.paint(printable(source), 'bold')}\n"
        + fitted_table(_HEADINGS, rows, terminal, columns=columns, right=" rr")
        for source, rows in sources.items()
    )


def _declaration_rows(declaration: ConfigurationDeclaration, terminal: Terminal) -> Iterator[list[str]]:
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


def provider_declarations_json(
    declarations: Sequence[ConfigurationDeclaration], directory: str, problems: Sequence[Finding]
) -> bytes:
    """Render all configurations (schema: `providers-config-output.schema.json`).

    `directory` is the directory of the root module; `problems` hide parts of the configuration.
    """
    return document(
        configurations=[_declaration_json(declaration, directory) for declaration in declarations],
        problems=configuration_problems_json(problems),
    )


def _declaration_json(declaration: ConfigurationDeclaration, directory: str) -> dict[str, object]:
    config, where = declaration.config, declaration.range
    return {
        "address": str(config),
        "source": str(config.provider),
        "module": str(config.module),
        "alias": config.alias or None,
        "file": os.path.normpath(Path(directory) / where.file) if where else None,
        "line": where.line if where else None,
        "column": where.column if where else None,
        "unknown": declaration.unknown.reason if declaration.unknown else None,
        "instances": [_instance_declaration_json(one) for one in declaration.instances],
    }


def _instance_declaration_json(one: InstanceDeclaration) -> dict[str, object]:
    key = one.provider.key
    return {
        "address": str(one.provider),
        "key": key.value if isinstance(key, StringKey) else None,
        "declared": one.declared,
        "in_configuration": one.wanted,
        "resource_instances": one.resource_instances,
        "deposed_objects": one.deposed_objects,
        "missing": one.missing,
        "unused": one.unused,
    }


_TWO_STEPS: Final = (
    "→ Make the change in two steps. First remove the elements from the for_each of resources and modules only, keep "
    "them in that of the provider, and apply; then remove them there. The block in between:"
)


def simulation_text(found: Simulation, terminal: Terminal) -> str:
    """Render the objects that would lose their provider, with advice, and the objects destroyed as intended."""
    parts = []
    if found.orphaned:
        their = "its provider" if len(found.orphaned) == 1 else "their provider"
        parts.append(f"{counted(len(found.orphaned), 'object')} would lose {their}:")
        parts += _groups(found.orphaned, terminal)
    elif found.unknown or any(problem.severity is Severity.ERROR for problem in found.problems):
        parts.append("As far as is known, nothing would lose its provider.")
    else:
        parts.append("Nothing would lose its provider.")
    if found.destroyed:
        count = counted(len(found.destroyed), "resource instance")
        parts.append(f"{count} would be destroyed while the provider still exists:")
        parts.append("\n".join(f"  {printable(str(address))}" for address in found.destroyed))
    if found.unknown:
        parts.append(f"For {counted(found.unknown, 'object')}, the result is unknown:")
        parts.append(findings_text(found.reasons, terminal))
    return "\n\n".join(parts)


def _groups(orphaned: Sequence[Orphan], terminal: Terminal) -> Iterator[str]:
    """Yield groups of objects whose provider instance is gone, by configuration; then all other findings."""
    groups: dict[tuple[ConfigProviderConfig, bool], list[Orphan]] = {}
    others = []
    for orphan in orphaned:
        if orphan.finding.code == Code.PROVIDER_INSTANCE_GONE:
            groups.setdefault((orphan.provider.config, orphan.provider.key is NO_KEY), []).append(orphan)
        else:
            others.append(orphan.finding)
    for of in groups.values():
        yield "\n".join(_group(of, terminal))
    yield from (finding_text(finding, terminal, "  ") for finding in others)


def _group(orphaned: Sequence[Orphan], terminal: Terminal) -> Iterator[str]:
    of = orphaned[0].finding
    place = f"  {terminal.paint(printable(str(of.place)), 'dim')}" if of.place else ""
    kind = f"{of.severity.value} {of.code} {of.summary}"
    yield f"  {terminal.paint(kind, 'bold', COLOURS[of.severity])}{place}"
    by_provider: dict[str, list[str]] = {}
    for finding, provider in orphaned:
        by_provider.setdefault(str(provider), []).append(finding.address)
    for name, addresses in by_provider.items():
        yield f"    {printable(name)}"
        yield from (f"      {terminal.paint(printable(address), 'bold')}" for address in addresses)
    yield terminal.wrap(_TWO_STEPS, "    ", hanging="  ")
    yield from (f"        {line}".rstrip() for line in printable_lines(of.fix.snippet).split("\n"))


def simulation_json(found: Simulation) -> bytes:
    """Render a simulation (schema: `simulate-output.schema.json`)."""
    return document(
        orphaned=[
            {
                "code": finding.code,
                "summary": finding.summary,
                "detail": finding.detail,
                "address": finding.address,
                "pointer": finding.pointer,
                "provider": str(provider),
                "fix": fix_text(finding.fix),
                "snippet": finding.fix.snippet,
                "file": finding.place.file if finding.place else None,
                "line": finding.place.line if finding.place else None,
                "column": finding.place.column if finding.place else None,
            }
            for finding, provider in found.orphaned
        ],
        destroyed=[str(address) for address in found.destroyed],
        unknown=found.unknown,
        unknown_reasons=[finding.detail for finding in found.reasons],
        problems=configuration_problems_json(found.problems),
    )
