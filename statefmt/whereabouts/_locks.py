"""Says how the state of a folder is locked, from its settings alone."""

from __future__ import annotations

from statefmt.store.opening import SUPPORTED
from statefmt.whereabouts._find import FoundState, known_backend


def described_locks(found: FoundState) -> tuple[str, ...]:
    """Return what locks the state, such as `lock file s3://…`; nothing if nothing does, or if that is not known."""
    if found.location is None:
        return ()
    values = {setting.name: setting.public for setting in found.settings}
    return tuple(known_backend(found.backend.type).locks(values, found.location))


def is_supported(found: FoundState) -> bool:
    """Return whether statetool opens states in this backend."""
    return found.backend.type == "local" or found.backend.type in SUPPORTED


def locks_off(found: FoundState) -> str:
    """Return why nothing locks the state; "" if something does, or if that is not known."""
    if not is_known(found):
        return ""
    needed = known_backend(found.backend.type).lock_arguments
    return f"needs {needed}" if needed and not found.missing and not described_locks(found) else ""


def is_known(found: FoundState) -> bool:
    """Return whether statetool knows the backend, so that it knows its settings and locks."""
    return found.location is not None or bool(found.missing)
