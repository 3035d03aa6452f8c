"""Reads what identifies a real object: its id, its ARN, its region and its account."""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.selection.object_id import SECRET_IDS, id_among
from statefmt.fleet.rows._masking import MASK
from statefmt.golang import loads_exact
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.flat import flat_value
from statefmt.redaction.object_value import sensitive_paths
from statefmt.redaction.path_text import step_key

_ABSENT: Final = Raw(b"null")
# arn:partition:service:region:account:resource
_ARN_PARTS: Final = 6


class _Attributes(Struct):
    arn: Raw = _ABSENT  # the decoder skips everything else: attributes can be long
    id: Raw = _ABSENT
    region: Raw = _ABSENT
    account_id: Raw = _ABSENT


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
    given = _flat(obj) if obj.attributes is None else _read(obj)
    if type_name in SECRET_IDS and given["id"] is not None:
        given["id"] = MASK
    shown = {name: MASK if value in secrets else value for name, value in given.items()}
    arn = shown["arn"]
    parts = arn.split(":", _ARN_PARTS - 1) if arn else []
    region, account = (parts[3], parts[4]) if len(parts) == _ARN_PARTS else ("", "")
    return Identifiers(shown["id"], arn, shown["region"] or region or None, shown["account_id"] or account or None)


def _read(obj: ResourceInstanceObject) -> dict[str, str | None]:
    raw = obj.attributes or _ABSENT
    hidden = [step_key(path[0]) if path else None for path in sensitive_paths(obj)]
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
        try:
            return msgspec.json.decode(text, type=str)
        except (msgspec.DecodeError, UnicodeDecodeError):
            # Half a character, or a byte that is not UTF-8.
            return str(loads_exact(text, replace_invalid=True))
    return text.decode() if text[:1].isdigit() or text[:1] == b"-" else None


def _flat(obj: ResourceInstanceObject) -> dict[str, str | None]:
    shown = dict(flat_value(obj.attributes_flat or {}, sensitive_paths(obj)))
    return {name: str(value) if isinstance(value := shown.get(name), str) else None for name in _NAMES}
