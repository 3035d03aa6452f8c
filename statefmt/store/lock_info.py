"""Describes the holder of a state lock, and reads and writes that as OpenTofu and Terraform do."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from uuid import uuid4

from statefmt.golang import JSONValue, Members, NumberText, encode_string, loads_exact
from statefmt.version import __version__

# In bytes. Anybody may have written the lock information, and programs write a few hundred bytes.
LARGEST_LOCK_INFO: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class LockInfo:
    """The holder of a lock and its purpose. Names and order are those of the file that OpenTofu and Terraform write."""

    ID: str
    Operation: str
    Info: str
    Who: str
    Version: str
    Created: str
    Path: str


def lock_info(path: Path | str, operation: str, command: str, *, who: str, created: datetime) -> LockInfo:
    """Return lock information for an operation such as `fmt`; `command` is the whole command line.

    Bytes that are not UTF-8 are escaped: lock information and histories are JSON.
    """
    words = (str(uuid4()), operation, command, who, f"statetool {__version__}", _in_go(created), str(path))
    return LockInfo(*map(_in_utf8, words))


def lock_json(info: LockInfo) -> bytes:
    """Encode lock information byte for byte as Go does: compact, with `<`, `>`, `&`, U+2028 and U+2029 escaped.

    OpenTofu decodes a lock in DynamoDB, encodes it again and removes it only if the bytes are the same.
    Source: OpenTofu `internal/states/statemgr/locker.go` (LockInfo.Marshal).
    """
    values = zip(_NAMES, astuple(info), strict=True)
    return b"{%b}" % b",".join(b'"%b":%b' % (name.encode(), encode_string(value)) for name, value in values)


def read_lock_info(data: bytes) -> LockInfo | None:
    """Decode lock information that anybody may have written; None if there is none in it. Never raises.

    Members with other names are ignored. A member that is missing or no string is "".
    """
    if len(data) > LARGEST_LOCK_INFO:
        return None
    try:
        found = loads_exact(data, replace_invalid=True)
    except ValueError:
        return None
    members = dict(found) if isinstance(found, Members) else {}
    values = [_string(members.get(name)) for name in _NAMES]
    return LockInfo(*values) if any(values) else None


def _in_go(time: datetime) -> str:
    """Return a time in UTC as Go's JSON has it: RFC 3339, without trailing zeros in the fraction."""
    whole, _, fraction = time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"


def _string(value: JSONValue) -> str:
    return value if isinstance(value, str) and not isinstance(value, NumberText) else ""


def _in_utf8(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


_NAMES: Final = tuple(field.name for field in fields(LockInfo))
