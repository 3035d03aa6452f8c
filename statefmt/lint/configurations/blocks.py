"""The provider blocks that rules look at."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.configuration.model import Configuration, ProviderBlock


def provider_blocks(configuration: Configuration) -> Iterator[ProviderBlock]:
    """All blocks of all modules and of the test files; of a directory that is called several times each block once."""
    seen: set[str] = set()
    for tree in (configuration, *configuration.tested.values()):
        for module in tree.modules.values():
            if module.declarations.directory not in seen:
                seen.add(module.declarations.directory)
                yield from module.declarations.providers.values()
    for test in configuration.root.declarations.tests:
        yield from test.providers
