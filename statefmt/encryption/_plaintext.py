"""The little that encryption looks at in a plain state: its serial, its lineage, and whether it is one at all."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec import Raw

from statefmt.encryption.encoding.go_struct import (
    json_object,
    member,
    text,
    whole_number,
)
from statefmt.golang import (
    JSONValue,
    Members,
    NumberText,
    loads_exact,
)
from statefmt.model.errors import EncryptionError

# A plan is a zip file, and encrypted as states are.
_PLAN = b"PK\x03\x04"
_NAMES = frozenset({"serial", "lineage", "version", "terraform_version"})


@dataclass(frozen=True, slots=True)
class Identity:
    """What a state says of itself that stands outside of its envelope, too; None and "" where it says nothing."""

    serial: int | None
    lineage: str


def identity_of(plain: bytes) -> Identity:
    """The identity of a plain state. Raises EncryptionError where it is no JSON object, or one of them is odd."""
    document = _members(plain)
    try:
        return Identity(
            whole_number(member(document, "serial"), "serial"), text(member(document, "lineage"), "lineage")
        )
    except ValueError as error:
        raise EncryptionError(f"the plain state: {error}") from None


def check_plain_state(plain: bytes) -> None:
    """Raises EncryptionError where this is nothing that a plain state could be."""
    document = _members(plain)
    version, release = member(document, "version"), member(document, "terraform_version")
    is_text = isinstance(release, str) and not isinstance(release, NumberText) and release
    # OpenTofu asks for terraform_version only; states without it are read everywhere else.
    if not is_text and not (isinstance(version, NumberText) and version.isdigit()):
        raise EncryptionError("this is neither an encrypted state nor a plain one")


def _members(plain: bytes) -> Members:
    """The top-level members that matter, in order."""
    if plain.startswith(_PLAN):
        raise EncryptionError("this is a plan file, not a state; `tofu show` reads it")
    try:
        raw = msgspec.json.decode(plain, type=dict[str, Raw])
        return Members((name, loads_exact(bytes(value))) for name, value in raw.items() if name.lower() in _NAMES)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    try:
        value: JSONValue = loads_exact(plain, replace_invalid=True)
        return json_object(value, "it")
    except ValueError as error:
        raise EncryptionError(f"the plain state is not what it must be: {error}") from None
