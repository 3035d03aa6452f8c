"""Identifies a file before it is read: a state of some format version, an encrypted state, or no state at all.

Source: OpenTofu `internal/states/statefile/read.go`, `internal/encryption/base.go`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json.raw import equals, starts_with
from statefmt.formats.raw_json.spans import members_at
from statefmt.formats.versions.decode import object_members
from statefmt.golang import Members, fold_name, loads_exact
from statefmt.model.codes import Code
from statefmt.model.errors import EncryptedStateError, NotAStateError, UnsupportedStateError
from statefmt.model.findings import Finding
from statefmt.text.pattern import pattern

UNSUPPORTED: Final = "Unsupported state file format"
SUPPORTED_VERSIONS: Final = (1, 2, 3, 4)
# Terraform before 0.7 wrote a Go-specific binary that starts with this word.
_VERSION_0_MAGIC: Final = b"tfstate"
_NOT_AN_OBJECT: Final = 'The file contains JSON, but not an object; a state is an object with a member "version".'
_WHOLE_NUMBER = pattern(rb"0|[1-9][0-9]*")
_UINT64_MAX: Final = 2**64 - 1
_NULL: Final = b"null"


def sniff_version(data: bytes) -> int:
    """Return the format version of a readable state: 1 to 4.

    Raises NotAStateError, EncryptedStateError or UnsupportedStateError, with a finding that gives the reason.
    """
    if not data:
        raise NotAStateError([_finding(Code.NOT_A_STATE, "no state", "The file is empty.")])
    if data.startswith(_VERSION_0_MAGIC):
        raise UnsupportedStateError([_unsupported(
            "The file is in the binary format that Terraform wrote before version 0.7. "
            "Upgrade it with Terraform 0.6.16 or older first."
        )])  # fmt: skip
    members = _top_level(data)
    # Go decodes each occurrence, and the last one counts.
    texts = [data[start:end] for name, start, end in members_at(data) if fold_name(name) == "version"]
    if not texts or texts[-1] == _NULL:
        raise _without_version(data, members)
    wrong = next((text for text in texts if text != _NULL and not _is_uint64(text)), None)
    if wrong is not None:
        from statefmt.formats.reading.wrapped import description

        problem = f'The member "version" is {_shown(wrong)}. A positive whole number is required.'
        raise NotAStateError([_finding(
            Code.NOT_A_STATE, UNSUPPORTED, description(data) or problem,
            pointer="/version",
        )])  # fmt: skip
    number = int(texts[-1])
    if number not in SUPPORTED_VERSIONS:
        raise UnsupportedStateError([_unsupported(_unsupported_detail(number, members))])
    return number


def _top_level(data: bytes) -> dict[str, Raw]:
    try:
        try:
            return msgspec.json.decode(data, type=dict[str, Raw])
        except msgspec.ValidationError:
            # It stops at the first value: a log line may begin with a number.
            with suppress(RecursionError):
                msgspec.json.decode(data, type=Raw)
            detail = _not_an_object(data)
    except RecursionError:
        raise too_deep() from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        try:
            # Unlike OpenTofu, msgspec rejects half a surrogate pair, and bytes that are not UTF-8.
            if isinstance(loads_exact(data, replace_invalid=True), Members):
                return object_members(data)
            detail = _not_an_object(data)
        except ValueError:
            # Imported late: most files are states.
            from statefmt.formats.reading.damaged import not_json

            detail = not_json(data, error)
    raise NotAStateError([_finding(Code.NOT_A_STATE, UNSUPPORTED, detail)])


def _not_an_object(data: bytes) -> str:
    from statefmt.formats.reading.wrapped import description

    return description(data) or _NOT_AN_OBJECT


def too_deep() -> NotAStateError:
    """Return the error for a file that nests deeper than Python's recursion limit, about a thousand levels."""
    detail = "The file is nested too deeply to be a state."
    return NotAStateError([_finding(Code.NOT_A_STATE, UNSUPPORTED, detail)])


def _is_uint64(text: bytes) -> bool:
    return _WHOLE_NUMBER.fullmatch(text) is not None and int(text[:21]) <= _UINT64_MAX


def _member(members: dict[str, Raw], name: str) -> Raw | None:
    """Return the last member with that name, as Go matches it; None if it is missing or null."""
    found = next((members[given] for given in reversed(members) if fold_name(given) == name), None)
    return None if found is None or starts_with(found, b"null") else found


def _without_version(data: bytes, members: dict[str, Raw]) -> NotAStateError | EncryptedStateError:
    encryption = _member(members, "encryption_version")
    if encryption is not None and starts_with(encryption, b'"') and not equals(encryption, b'""'):
        return EncryptedStateError([_finding(Code.ENCRYPTED, UNSUPPORTED, _encrypted_detail(members))])
    detail = 'The file has no member "version", which every state has.'
    from statefmt.formats.reading.wrapped import description

    detail = description(data) or detail
    if "format_version" in members:
        detail += " It looks like the JSON output of `tofu show`; pass the state file itself."
    return NotAStateError([_finding(Code.NOT_A_STATE, UNSUPPORTED, detail)])


def _encrypted_detail(members: dict[str, Raw]) -> str:
    """Describe what an envelope says in clear text: serial, lineage, key providers."""
    known = []
    for name in ("serial", "lineage"):
        value = _member(members, name)
        if value is not None:
            known.append(f"{name} {_shown(bytes(value))}")
    meta = _member(members, "meta")
    try:
        providers = sorted(object_members(meta)) if meta is not None else []
    except msgspec.ValidationError:
        providers = []
    known.append(f"key providers: {', '.join(providers)}" if providers else "no key provider named")
    return (
        f"This state is encrypted ({'; '.join(known)}). It cannot be read without its encryption "
        "configuration; give it with --encryption FILE, TF_ENCRYPTION or --encryption-config DIR."
    )


def _unsupported_detail(number: int, members: dict[str, Raw]) -> str:
    if number == 0:
        return 'The member "version" is 0. There never was a JSON state format 0, so this is not a valid state.'
    detail = f"The state has format version {number}; versions 1 to 4 can be read."
    creator = _member(members, "terraform_version")
    if creator is not None:
        detail += f" It was written by release {_shown(bytes(creator))}."
    return detail + " A newer statetool may read it."


def _shown(text: bytes) -> str:
    """Shorten a JSON value for a message."""
    shown = text.decode("utf-8", "replace")
    return shown if len(shown) <= 60 else shown[:57] + "..."


def _unsupported(detail: str) -> Finding:
    return _finding(Code.UNSUPPORTED_VERSION, UNSUPPORTED, detail)


def _finding(code: Code, summary: str, detail: str, pointer: str = "") -> Finding:
    return code.notice(summary, detail, pointer=pointer)
