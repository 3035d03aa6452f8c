"""Says how the state of a folder is locked, from its settings alone."""

from __future__ import annotations

from collections.abc import Iterator

from statefmt.store.backends.description import text_of
from statefmt.store.backends.shown import without_credentials
from statefmt.store.opening import SUPPORTED
from statefmt.whereabouts._find import FoundState


def described_locks(found: FoundState) -> tuple[str, ...]:
    """Return what locks the state, such as `lock file s3://…`; nothing if nothing does, or if that is not known."""
    return tuple(_locks(found)) if is_supported(found) and not found.missing else ()


def is_supported(found: FoundState) -> bool:
    """Return whether statetool opens states in this backend."""
    return found.backend.type == "local" or found.backend.type in SUPPORTED


def locks_off(found: FoundState) -> str:
    """Return why nothing locks the state; "" if something does, or if that is not known."""
    if not is_supported(found) or found.missing or described_locks(found):
        return ""
    reasons = {"http": "lock_address is not set", "s3": "neither use_lockfile nor dynamodb_table is set"}
    return reasons.get(found.backend.type, "")


def _locks(found: FoundState) -> Iterator[str]:
    values = found.values
    match found.backend.type:
        case "local":
            yield "lock of the open file"
        case "pg":
            yield "advisory lock of the row, for as long as the connection is open"
        case "http" if address := text_of(values, "lock_address"):
            yield f"{text_of(values, 'lock_method')} {without_credentials(address)}"
        case "s3":
            state = (found.location or "").partition("?")[0]
            if values.get("use_lockfile"):
                yield f"lock file {state}.tflock"
            if table := text_of(values, "dynamodb_table"):
                yield f"DynamoDB item {state.removeprefix('s3://')} in the table {table}"
