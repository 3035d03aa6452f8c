"""Finds provider blocks in a configuration, and gives findings places and stable anchors in it.

An anchor names the block around a finding, so that it stays when lines move.
"""

from __future__ import annotations

import bisect
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from statefmt.configuration.model import Configuration, Declarations, ProviderBlock, TestFile
from statefmt.configuration.provider_checks import import_target
from statefmt.hcl.source import Range
from statefmt.model.findings import Finding, Place


def place(range_: Range | None) -> Place | None:
    """Convert a range in a configuration to the place of a finding."""
    if range_ is None:
        return None
    return Place(
        file=range_.file, line=range_.line, column=range_.column, end_line=range_.end_line, end_column=range_.end_column
    )


def where(range_: Range) -> str:
    """Format a range for a sentence: `main.tf:3`."""
    return f"{range_.file}:{range_.line}"


def provider_blocks(configuration: Configuration) -> Iterator[ProviderBlock]:
    """Yield the provider blocks of all modules and test files; a directory called several times counts once."""
    seen: set[str] = set()
    for tree in (configuration, *configuration.tested.values()):
        for module in tree.modules.values():
            if module.declarations.directory not in seen:
                seen.add(module.declarations.directory)
                yield from module.declarations.providers.values()
    for test in configuration.root.declarations.tests:
        yield from test.providers


def anchored(findings: Sequence[Finding], configuration: Configuration) -> list[Finding]:
    """Return the findings in the same order, with anchors and paths; those without a place are unchanged.

    An anchor consists of the file, the block, the summary, and a number that distinguishes findings of one rule and
    address that share these. Paths relative to the root module are prefixed with its directory, as it was given.
    """
    result = list(findings)
    placed = [(finding.place, number) for number, finding in enumerate(findings) if finding.place is not None]
    if not placed:
        return result
    names = BlockNames(configuration)
    same: Counter[tuple[str, str, str]] = Counter()
    for at, number in sorted(placed, key=lambda each: _order(each[0])):
        finding = findings[number]
        anchor = ""
        if not finding.pointer:
            block = names.at(at.file, at.line, at.column)
            anchor = f"{at.file}\n{block}\n{finding.summary}"
            key = (finding.code, finding.address, anchor)
            anchor = f"{anchor}\n{same[key]}"
            same[key] += 1
        path = os.path.normpath(Path(configuration.directory) / at.file)
        result[number] = replace(finding, place=replace(at, file=path), anchor=anchor)
    return result


def _order(place: Place) -> tuple[str, int, int]:
    return place.file, place.line, place.column


class BlockNames:
    """The names of all blocks of a configuration and its tests, by location."""

    def __init__(self, configuration: Configuration) -> None:
        self._names: dict[str, list[tuple[int, int, str]]] = {}
        seen: set[str] = set()
        for tree in (configuration, *configuration.tested.values()):
            for module in tree.modules.values():
                if module.declarations.directory not in seen:
                    seen.add(module.declarations.directory)
                    self._add(_declared(module.declarations))
        for test in configuration.root.declarations.tests:
            self._add(_tested(test))
        for names in self._names.values():
            names.sort()

    def _add(self, named: Iterator[tuple[Range, str]]) -> None:
        for place, name in named:
            self._names.setdefault(place.file, []).append((place.line, place.column, name))

    def at(self, file: str, line: int, column: int) -> str:
        """Return the name of the last block that begins at or before a location; "" if there is none."""
        names = self._names.get(file, [])
        found = bisect.bisect_right(names, (line, column, "\U0010ffff"))
        return names[found - 1][2] if found else ""


def _declared(declared: Declarations) -> Iterator[tuple[Range, str]]:
    for variable in declared.variables.values():
        yield variable.range, f"variable.{variable.name}"
    for local in declared.locals.values():
        yield local.range, f"local.{local.name}"
    for block in declared.providers.values():
        yield block.range, _provider(block)
    for required in declared.required_providers.values():
        yield required.range, f"required_providers.{required.name}"
    for call in declared.calls.values():
        yield call.range, f"module.{call.name}"
    for resource in declared.resources:
        yield resource.range, str(resource.address)
    for moved in declared.moved:
        yield moved.range, "moved"
    for removed in declared.removed:
        yield removed.range, "removed"
    for imported in declared.imports:
        yield imported.range, f"import.{import_target(imported)}"
    for use in declared.uses:
        if not use.is_function:
            yield use.range, use.user


def _tested(test: TestFile) -> Iterator[tuple[Range, str]]:
    for block in test.providers:
        yield block.range, _provider(block)
    for run in test.runs:
        yield run.range, f"run.{run.name}"


def _provider(block: ProviderBlock) -> str:
    return f"provider.{block.name}.{block.alias}"
