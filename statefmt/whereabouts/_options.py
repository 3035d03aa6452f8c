"""Reads `--backend-config`, which sets arguments of a backend: KEY=VALUE, or a file of them.

Source: OpenTofu `internal/command/init.go` (backendConfigOverrideBody).
"""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.store.backends.description import ArgumentKind, BackendArgument, BackendType, SettingValue
from statefmt.store.backends.settings import OPTION_PLACE, GivenSetting, SettingSource


def given_settings(options: Iterable[str], backend: BackendType) -> tuple[GivenSetting, ...]:
    """Return the settings of the options, in their order. Raises StoreError, without values."""
    found: list[GivenSetting] = []
    for option in options:
        name, equals, text = option.partition("=")
        if equals:
            value = _value(name, text, backend.arguments)
            found.append(GivenSetting(name, value, SettingSource.OPTION, OPTION_PLACE))
        else:
            # Imported late: it parses a configuration.
            from statefmt.configuration.loading.backend_block import read_settings_file

            found += read_settings_file(option)
    return tuple(found)


def _value(name: str, text: str, arguments: Iterable[BackendArgument]) -> SettingValue:
    """Return the value of KEY=VALUE: an expression if the argument is structured, text otherwise."""
    argument = next((one for one in arguments if one.name == name), None)
    if argument is None or argument.kind is not ArgumentKind.STRUCTURE:
        return text
    from statefmt.configuration.loading.backend_block import literal_value

    return literal_value(text, f"--backend-config: {name}")
