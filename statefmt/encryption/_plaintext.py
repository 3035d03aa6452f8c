"""Reads the serial and lineage of a plain state, and checks that it is one."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec import Raw

from statefmt.encryption.encoding.go_struct import json_object, member, text, whole_number
from statefmt.golang import JSONValue, Members, NumberText, fold_name, loads_exact
from statefmt.model.errors import EncryptionError

# A plan is a zip file; it can be encrypted like a state.
_PLAN = b"PK\x03\x04"
_NAMES = frozenset({"serial", "lineage", "version", "terraform_version"})


@dataclass(frozen=True, slots=True)
class Identity:
    """The serial and lineage of a state, which its envelope repeats; None and "" if missing."""

    serial: int | None
    lineage: str


def identity_of(plain: bytes) -> Identity:
    """Return the identity of a plain state. Raises EncryptionError if it is no JSON object or a member is invalid."""
    document = _members(plain)
    try:
        return Identity(
            whole_number(member(document, "serial"), "serial"), text(member(document, "lineage"), "lineage")
        )
    except ValueError as error:
        raise EncryptionError(f"the plain state: {error}") from None


def check_plain_state(plain: bytes) -> None:
    """Raise EncryptionError if the bytes cannot be a plain state."""
    document = _members(plain)
    version, release = member(document, "version"), member(document, "terraform_version")
    is_text = isinstance(release, str) and not isinstance(release, NumberText) and release
    # OpenTofu requires only terraform_version here; statetool also accepts states without it.
    if not is_text and not (isinstance(version, NumberText) and version.isdigit()):
        raise EncryptionError("this is neither an encrypted nor a plain state")


def _members(plain: bytes) -> Members:
    """Return the relevant top-level members, in order."""
    if plain.startswith(_PLAN):
        raise EncryptionError("this is a plan file, not a state; `tofu show` reads it")
    try:
        raw = msgspec.json.decode(plain, type=dict[str, Raw])
        return Members((name, loads_exact(bytes(value))) for name, value in raw.items() if fold_name(name) in _NAMES)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    try:
        value: JSONValue = loads_exact(plain, replace_invalid=True)
        return json_object(value, "it")
    except ValueError as error:
        raise EncryptionError(f"the plain state is invalid: {error}") from None
