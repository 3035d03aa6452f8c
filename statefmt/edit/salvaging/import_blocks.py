"""Finds what can be imported again of the objects that a salvaged state lacks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Raw, Struct

from statefmt.analysis.object_id import SECRET_IDS
from statefmt.formats.salvage.fill import Filled
from statefmt.formats.salvage.model import FoundObject, LostObject, SalvagedKey
from statefmt.golang import encode_string
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.cty.paths import decode_paths
from statefmt.model.errors import AddressError
from statefmt.redaction.object_value import named_steps, sounds_secret, typed_steps
from statefmt.redaction.partial import step_key

# In place of bytes that are not UTF-8.
_REPLACED: Final = "\ufffd"


class Importable(Struct, frozen=True):
    """An object that is missing and has an `id`, by which most providers import it.

    `address` is a valid address. `is_sensitive` says that the id is marked as sensitive, that it may be secret by its
    resource type or, if the marks are lost, that the name of the type or a whole version of the object suggests it.
    """

    address: str
    id: str
    is_sensitive: bool = False


def importable(filled: Filled, known: Iterable[FoundObject] = ()) -> tuple[Importable, ...]:
    """Return the missing and uncertain objects that can be imported: current ones of managed resources, with an id.

    `known` are whole versions of objects, such as those in backups, which say what is sensitive in torn ones.
    """
    left: list[FoundObject | LostObject] = [*filled.missing, *filled.uncertain]
    taken = {one.key for one in filled.taken}
    wanted = {one.key for one in left}
    secret = {one.key for one in known if one.key in wanted and _has_sensitive_id(one.raw, _type(one))}
    found: dict[SalvagedKey, Importable] = {}
    for one in left:
        if one.key is None or one.head is None or one.key in taken or one.key.deposed or one.head.mode != "managed":
            continue
        if not one.import_id or _REPLACED in one.import_id or not _is_address(str(one.key)):
            continue
        hidden = one.key in secret or _is_sensitive(one, one.head.type)
        found.setdefault(one.key, Importable(str(one.key), one.import_id, hidden))
    return tuple(found.values())


def _is_address(text: str) -> bool:
    """Return whether a text from a state is an address and nothing else, so that it may be part of a configuration."""
    try:
        return _REPLACED not in text and str(parse_abs_resource_instance(text)) == text
    except AddressError:
        return False


def _is_sensitive(one: FoundObject | LostObject, resource_type: str) -> bool:
    if resource_type in SECRET_IDS:
        return True
    if isinstance(one, LostObject):
        return sounds_secret(resource_type) or bool(named_steps("id", Raw(encode_string(one.import_id))))
    return _has_sensitive_id(one.raw, resource_type)


def _type(one: FoundObject) -> str:
    return "" if one.head is None else one.head.type


class _Marks(Struct):
    sensitive_attributes: Raw = Raw(b"[]")
    attributes: Raw = Raw(b"{}")


def _has_sensitive_id(raw: bytes, resource_type: str) -> bool:
    """Return whether a sensitive path leads to the `id`, or to all attributes, or it is a secret; true if in doubt."""
    try:
        marks = msgspec.json.decode(raw, type=_Marks)
        if any(steps[:1] in ((), ("id",)) for steps in typed_steps(resource_type, marks.attributes)):
            return True
        if bytes(marks.sensitive_attributes) in (b"[]", b"null"):
            return False
        paths, problems = decode_paths(bytes(marks.sensitive_attributes))
    except (ValueError, RecursionError):
        return True
    first = [step_key(path[0]) if path else "id" for path in paths]
    return bool(problems) or any(key == "id" or not isinstance(key, str) for key in first)
