"""Reads what identifies a real object: its id, its ARN, its region and its account."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.object_id import SECRET_IDS, id_among
from statefmt.fleet.rows._masking import MASK
from statefmt.golang import loads_exact
from statefmt.model.snapshot import ResourceInstanceObject
from statefmt.redaction.object_value import secret_steps, sensitive_paths, shown_flat
from statefmt.redaction.partial import step_key

_ABSENT: Final = Raw(b"null")
# arn:partition:service:region:account:resource
_ARN_PARTS: Final = 6


class OrdinaryIdentifiers(Struct, gc=False):
    """The members of attributes that identify an object, as they nearly always are: strings, or absent."""

    id: str | None = None
    arn: str | None = None
    region: str | None = None
    account_id: str | None = None


class _Attributes(Struct):
    id: Raw = _ABSENT  # the decoder skips everything else: attributes can be long
    arn: Raw = _ABSENT
    region: Raw = _ABSENT
    account_id: Raw = _ABSENT


# Raises a DecodeError for all others: then `identifiers` must be used. The result is the same.
ORDINARY_IDENTIFIERS: Final = msgspec.json.Decoder(OrdinaryIdentifiers)
_DECODER: Final = msgspec.json.Decoder(_Attributes)
_NAMES: Final = _Attributes.__struct_fields__


class Identifiers(NamedTuple):
    """What identifies an object, each None if it does not say so."""

    id: str | None
    arn: str | None
    region: str | None
    account: str | None


def identifiers(obj: ResourceInstanceObject, type_name: str, secrets: frozenset[str]) -> Identifiers:
    """Return what identifies an object; a part that is or repeats a sensitive value is hidden."""
    given = _flat(obj, type_name) if obj.attributes is None else _read(obj, type_name)
    if type_name in SECRET_IDS and given["id"] is not None:
        given["id"] = MASK
    id_, arn, region, account = [MASK if (value := given[name]) in secrets else value for name in _NAMES]
    if arn and not secrets.isdisjoint(arn.split(":")):
        arn = MASK
    if arn and not (region and account):
        arn_region, arn_account = of_arn(arn)
        region, account = region or arn_region, account or arn_account
    return Identifiers(id_, arn, region or None, account or None)


def of_arn(arn: str) -> tuple[str | None, str | None]:
    """Return the region and the account of an ARN, each None if it has none."""
    parts = arn.split(":", _ARN_PARTS - 1)
    return (parts[3] or None, parts[4] or None) if len(parts) == _ARN_PARTS else (None, None)


def _read(obj: ResourceInstanceObject, type_name: str) -> dict[str, str | None]:
    raw = obj.attributes or _ABSENT
    hidden = [step_key(path[0]) if path else None for path in sensitive_paths(obj)]
    hidden += [steps[0] if steps else None for steps in secret_steps(obj, type_name)]
    if memoryview(raw)[0] != ord("{") or not all(isinstance(name, str) for name in hidden):
        return dict.fromkeys(_NAMES)
    try:
        found = _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Only the id is worth a second look, which handles unpaired surrogates.
        given: dict[str, str | None] = dict.fromkeys(_NAMES)
        found_id = id_among(raw, None)
        given["id"] = MASK if "id" in hidden else None if found_id is None else str(found_id)
        return given
    return {name: MASK if name in hidden else _text(getattr(found, name)) for name in _NAMES}


def _text(raw: Raw) -> str | None:
    text = bytes(raw)
    if text[:1] == b'"':
        # OpenTofu replaces what is not Unicode, too.
        return str(loads_exact(text, replace_invalid=True)) if b"\\" in text else text[1:-1].decode("utf-8", "replace")
    return text.decode() if text[:1].isdigit() or text[:1] == b"-" else None


def _flat(obj: ResourceInstanceObject, type_name: str) -> dict[str, str | None]:
    shown = dict(shown_flat(obj, type_name))
    return {name: str(value) if isinstance(value := shown.get(name), str) else None for name in _NAMES}
