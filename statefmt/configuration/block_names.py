"""Names the block of a configuration that contains a location, so that the name stays when lines move."""

from __future__ import annotations

import bisect
from collections.abc import Iterator

from statefmt.configuration.model import Configuration, Declarations, ProviderBlock, TestFile
from statefmt.configuration.provider_checks import import_target
from statefmt.hcl.source import Range


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
