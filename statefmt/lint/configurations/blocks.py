"""The provider blocks of a configuration."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.configuration.model import Configuration, ProviderBlock


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
