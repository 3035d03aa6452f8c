"""Finds provider blocks in a configuration, and gives findings positions and stable anchors in it.

An anchor names the block around a finding, so that it does not change when lines move.
"""

from __future__ import annotations

import bisect
import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from statefmt.configuration.model import Configuration, Declarations, ProviderBlock
from statefmt.configuration.provider_checks import import_target
from statefmt.hcl.source import Problem, Range
from statefmt.model.findings import Code, Finding, Place


def place(range_: Range | None) -> Place | None:
    """Convert a range in a configuration to the place of a finding."""
    if range_ is None:
        return None
    return Place(
        file=range_.file, line=range_.line, column=range_.column, end_line=range_.end_line, end_column=range_.end_column
    )


def problem_finding(code: Code, problem: Problem, address: str = "") -> Finding:
    """Return the finding of a rule that reports a problem unchanged."""
    return code.finding(problem.summary, problem.detail, address, place=place(problem.range))


def where(range_: Range) -> str:
    """Format a range for a sentence: `main.tf:3`."""
    return f"{range_.file}:{range_.line}"


def provider_blocks(configuration: Configuration) -> Iterator[ProviderBlock]:
    """Yield the provider blocks of all modules and test files; a directory called several times counts once."""
    for declared in _directories(configuration):
        yield from declared.providers.values()
    for test in configuration.root.declarations.tests:
        yield from test.providers


def _directories(configuration: Configuration) -> Collection[Declarations]:
    """Return the declarations of all modules, also of tests, each directory once."""
    trees = (configuration, *configuration.tested.values())
    found = {module.declarations.directory: module.declarations for tree in trees for module in tree.modules.values()}
    return found.values()


def anchored(findings: Sequence[Finding], configuration: Configuration) -> list[Finding]:
    """Return the findings in the same order, with anchors and paths; findings without a place are unchanged.

    An anchor consists of the file, the block, the summary, and a number that distinguishes findings of one rule and
    address that share these. Paths relative to the root module are prefixed with its directory, as given.
    """
    result = list(findings)
    placed = [(finding.place, number) for number, finding in enumerate(findings) if finding.place is not None]
    if not placed:
        return result
    names = _block_names(configuration)
    same: Counter[tuple[str, str, str]] = Counter()
    for at, number in sorted(placed, key=lambda each: _order(each[0])):
        finding = findings[number]
        anchor = ""
        if not finding.pointer:
            blocks = names.get(at.file, [])
            # The last block that begins at or before the place.
            before = bisect.bisect_right(blocks, (at.line, at.column, "\U0010ffff"))
            anchor = f"{at.file}\n{blocks[before - 1][2] if before else ''}\n{finding.summary}"
            key = (finding.code, finding.address, anchor)
            anchor = f"{anchor}\n{same[key]}"
            same[key] += 1
        path = os.path.normpath(Path(configuration.directory) / at.file)
        result[number] = replace(finding, place=replace(at, file=path), anchor=anchor)
    return result


def _order(place: Place) -> tuple[str, int, int]:
    return place.file, place.line, place.column


def _block_names(configuration: Configuration) -> dict[str, list[tuple[int, int, str]]]:
    """Return the line, the column and the name of each block of a configuration and its tests, sorted, by file."""
    found: dict[str, list[tuple[int, int, str]]] = {}
    named = [place for declared in _directories(configuration) for place in _declared(declared)]
    for test in configuration.root.declarations.tests:
        named += [(block.range, _provider(block)) for block in test.providers]
        named += [(run.range, f"run.{run.name}") for run in test.runs]
    for place, name in named:
        found.setdefault(place.file, []).append((place.line, place.column, name))
    return {file: sorted(names) for file, names in found.items()}


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


def _provider(block: ProviderBlock) -> str:
    return f"provider.{block.name}.{block.alias}"
