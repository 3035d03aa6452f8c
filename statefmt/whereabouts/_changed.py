"""Notices that the backend block of a folder says something else than `init` recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from statefmt.model.errors import StoreError
from statefmt.store.backends.description import SettingValue
from statefmt.whereabouts._find import BackendSource, FoundBackend, configured_backend


def changed_block(found: FoundBackend, environment: Mapping[str, str]) -> str:
    """Return a sentence about a recorded backend that the configuration changes by now, "" if there is nothing to say.

    `init -backend-config` may have replaced values of the block, so this is no error. Names settings, but no values.
    """
    if found.source is not BackendSource.RECORD:
        return ""
    try:
        block = configured_backend(found.folder, environment)
    except StoreError:
        # `init` has read it; what it lacks by now is no sign of another backend.
        return ""
    if block.source is not BackendSource.BLOCK:
        # The files may be elsewhere, as those of a configuration that is generated for each run.
        return ""
    if block.type != found.type:
        change = f"{block.place}: the configuration has the backend {block.type!r}, unlike what"
    else:
        recorded = {setting.name: setting.value for setting in found.given}
        names = [
            name
            for setting in block.given
            for name in _other(setting.name, setting.value, recorded.get(setting.name, setting.value))
        ]
        if not names:
            return ""
        change = f"{block.place}: the backend block has another value of {' and '.join(names)} than"
    return (
        f"{change} init recorded in {found.place}; this command uses what is recorded. If the configuration has "
        "changed since, run init first"
    )


def _other(name: str, wanted: SettingValue, recorded: SettingValue) -> Iterator[str]:
    """Yield the names of the settings that differ; lists, whose order `init` may change, are not compared."""
    if isinstance(wanted, dict) and isinstance(recorded, dict):
        for inner, value in wanted.items():
            yield from _other(f"{name}.{inner}", value, recorded.get(inner, value))
    elif (
        wanted is not None
        and not isinstance(wanted, (dict, list))
        and not isinstance(recorded, (dict, list))
        and _text(wanted) != _text(recorded)
    ):
        yield name


def _text(value: SettingValue) -> str | None:
    """Return a value as `init` would convert it, such as `"true"` to a truth value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return None if value is None else str(value)
