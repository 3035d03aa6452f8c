"""Finds provider blocks in a configuration, and gives findings places and stable anchors in it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from statefmt.configuration.block_names import BlockNames
from statefmt.configuration.model import Configuration, ProviderBlock
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
