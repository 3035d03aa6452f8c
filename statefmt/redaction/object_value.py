"""Returns the values of a resource instance object, with sensitive parts hidden unless requested.

Hides the parts marked by `sensitive_attributes`, and known secrets. Attributes are stored without their types, so
some JSON is ambiguous: an array may be a list or a set, and `{"value": …, "type": …}` an object or a wrapped value of
dynamic type. If a value is ambiguous or a path cannot be followed, hides too much rather than too little. OpenTofu
sorts the attributes of an object by name, so `type` comes first in a provider's own object, and second in a wrapped
value (go-cty `cty/json/marshal.go`, marshalDynamic).

States before Terraform 0.12 have flat attributes (`tags.Name`, `rule.0.port`) and did not mark sensitive values, so
only numbers, bools and strings with harmless names are shown.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec
from msgspec import Raw

from statefmt.formats.versions import array_elements, object_members
from statefmt.golang import JSONValue, Members, compact, nfc
from statefmt.model.cty import CtyTypeError, type_from_json
from statefmt.model.cty.data import Path
from statefmt.model.cty.paths import decode_paths
from statefmt.model.snapshot import OutputValue, ResourceInstanceObject
from statefmt.redaction.partial import HIDDEN, Hidden, Partial, decoded, step_key
from statefmt.redaction.secrets import (
    Covered,
    SecretSteps,
    TypedAttributes,
    is_suspected,
    is_suspected_output,
    secrets_of_object,
    secrets_of_output,
    suspected_objects,
    typed_attributes,
)
from statefmt.text import pattern

if TYPE_CHECKING:
    from statefmt.redaction.secrets.search import FoundSecret


def attributes_value(obj: ResourceInstanceObject, type_name: str, *, show_sensitive: bool) -> Partial:
    """Return the attributes of an object, with dynamic values unwrapped; flat attributes as an object of strings."""
    if obj.attributes is None:
        flat = obj.attributes_flat or {}
        return Members(flat.items()) if show_sensitive else shown_flat(obj, type_name)
    if show_sensitive:
        return unwrapped(obj.attributes)
    return unwrapped(hide(obj.attributes, sensitive_paths(obj), known=secret_steps(obj, type_name)))


def shown_flat(obj: ResourceInstanceObject, type_name: str) -> Members:
    """Return flat attributes as an object of strings, with HIDDEN for attributes that may be sensitive."""
    known = secret_steps(obj, type_name)
    flat = obj.attributes_flat or {}
    return flat_value(flat, sensitive_paths(obj), [str(steps[0]) for steps in known if steps] if all(known) else flat)


def identity_value(obj: ResourceInstanceObject, type_name: str, *, show_sensitive: bool) -> Partial:
    """Return the identity of an object, or None.

    Identities repeat attributes but have no sensitive marks, so hides parts that are sensitive as attributes, and
    members that are secrets by name or shape.
    """
    raw = obj.identity
    if raw is None:
        return None
    if show_sensitive:
        return raw
    value = hide(raw, sensitive_paths(obj), known=identity_steps(obj, type_name))
    if not isinstance(value, (Raw, dict)) or memoryview(raw)[0] != ord("{"):
        return value
    try:
        members = decoded(value)
    except ValueError:
        return HIDDEN
    if not isinstance(members, Members) or not any(sounds_secret(name) for name, _ in members):
        return value
    return Members((name, HIDDEN if sounds_secret(name) else part) for name, part in members)


def private_value(obj: ResourceInstanceObject, *, show_sensitive: bool) -> str | Hidden | None:
    """Return the provider's private data as base64, or None."""
    if not obj.private:
        return None
    return obj.private if show_sensitive else HIDDEN


def output_value(output: OutputValue, *, show_sensitive: bool) -> Partial:
    """Return the value of an output, HIDDEN if it is sensitive, with HIDDEN for the parts that are secrets."""
    raw = Raw(output.value)
    if show_sensitive:
        return raw
    return HIDDEN if output.sensitive else hide(raw, (), known=output_steps(output))


def hides_output(output: OutputValue) -> bool:
    """Return whether output_value() hides the value or a part of it."""
    return output.sensitive or bool(output_steps(output))


def output_steps(output: OutputValue) -> tuple[SecretSteps, ...]:
    """Return the paths in the value of an output that are secrets by name or shape."""
    return named_steps(output.name, Raw(output.value))


def named_steps(name: str, value: Raw) -> tuple[SecretSteps, ...]:
    """Return the paths in a value that are secrets by the name of the value, or by their own name or shape."""
    if not is_suspected_output(name, value):
        return ()
    try:
        return tuple(secret.steps for secret in secrets_of_output(name, value))
    except (ValueError, RecursionError):
        return ((),)


def sensitive_paths(obj: ResourceInstanceObject) -> tuple[Path, ...]:
    """Return the decoded paths of `sensitive_attributes`."""
    return () if obj.sensitive_attributes == b"[]" else _paths(obj.sensitive_attributes)


@lru_cache(maxsize=1024)
def _paths(raw: bytes) -> tuple[Path, ...]:
    paths, problems = decode_paths(raw)
    # The reader refuses such lists; for an object from another origin, hide everything.
    return ((),) if problems else paths


def secret_steps(obj: ResourceInstanceObject, type_name: str) -> tuple[SecretSteps, ...]:
    """Return the paths in the attributes, marked or not, that are secrets by their type, name or shape.

    If the attributes are nested too deeply, everything counts as secret.
    """
    if obj.attributes is None and not obj.attributes_flat:
        return ()
    return _steps(typed_attributes(type_name, obj.attributes, obj.attributes_flat))


def identity_steps(obj: ResourceInstanceObject, type_name: str) -> tuple[SecretSteps, ...]:
    """Like secret_steps(), for the identity."""
    return typed_steps(type_name, obj.identity)


def typed_steps(type_name: str, attributes: Raw | None) -> tuple[SecretSteps, ...]:
    """Like secret_steps(), for attributes outside of a state; none if there are no attributes."""
    return () if attributes is None else _steps(typed_attributes(type_name, attributes, None))


def _steps(attributes: TypedAttributes) -> tuple[SecretSteps, ...]:
    if not is_suspected(attributes):
        return ()
    try:
        return tuple(secret.steps for secret in secrets_of_object(attributes))
    except (ValueError, RecursionError):
        return ((),)


def with_secrets(objects: Sequence[tuple[ResourceInstanceObject, str]]) -> list[int]:
    """Return the indexes of the objects, each given with its type, for which secret_steps() is not empty; faster."""
    given = [
        (place, typed_attributes(type_name, obj.attributes, obj.attributes_flat))
        for place, (obj, type_name) in enumerate(objects)
        if obj.attributes is not None or obj.attributes_flat
    ]
    suspected = suspected_objects([attributes for _, attributes in given])
    return [given[number][0] for number in suspected if _steps(given[number][1])]


def unmarked_secrets(obj: ResourceInstanceObject, type_name: str) -> tuple[FoundSecret, ...]:
    """Return the secrets in the attributes that are known only by type, name or shape, for a message."""
    attributes = typed_attributes(type_name, obj.attributes, obj.attributes_flat)
    if not is_suspected(attributes):
        return ()
    try:
        found = secrets_of_object(attributes)
    except (ValueError, RecursionError):
        return ()
    covered = Covered(sensitive_paths(obj))
    return tuple(secret for secret in found if secret.steps not in covered)


_NUMBER: Final = frozenset(b"-0123456789")


class DecodedOnce:
    """A cache of decoded objects and arrays, keyed by the identity of the value."""

    def __init__(self) -> None:
        # Entries keep their value alive, so that no other value can have the same id().
        self._objects: dict[int, tuple[Raw, Mapping[str, Raw]]] = {}
        self._normal: dict[int, Mapping[str, Raw]] = {}
        self._lists: dict[int, tuple[Raw, Sequence[Raw] | None]] = {}

    def members(self, value: Raw) -> Mapping[str, Raw]:
        """Return the members of an object by name."""
        found = self._objects.get(id(value))
        if found is None:
            found = self._objects[id(value)] = (value, object_members(value))
        return found[1]

    def normal_members(self, value: Raw) -> Mapping[str, Raw]:
        """Return the members of an object by their name in NFC."""
        members = self.members(value)
        found = self._normal.get(id(value))
        if found is None:
            found = self._normal[id(value)] = {nfc(name): member for name, member in members.items()}
        return found

    def list_elements(self, value: Raw) -> Sequence[Raw] | None:
        """Return the elements of an array; None if one is a number, as the array may be a set without indexes."""
        found = self._lists.get(id(value))
        if found is None:
            elements = array_elements(value)
            is_list = not any(memoryview(element)[0] in _NUMBER for element in elements)
            found = self._lists[id(value)] = (value, elements if is_list else None)
        return found[1]


SCOPES: Final = (
    "account_id", "application", "arn", "autoscaling_group_name", "bucket", "function_name", "location",
    "log_group_name", "namespace", "project", "region", "rule_set_name", "scalable_dimension", "zone", "zone_id",
)  # fmt: skip


def id_scope(attributes: Raw | None, flat: Mapping[str, str | None] | None) -> tuple[bytes, ...]:
    """Return the JSON text of each attribute in SCOPES; b"" if it is missing, null or empty.

    `flat` holds the flat attributes if `attributes` is None.
    """
    if attributes is None:
        return tuple(msgspec.json.encode(text) if (text := (flat or {}).get(name)) else b"" for name in SCOPES)
    try:
        members = object_members(attributes)
    except msgspec.ValidationError:
        # The attributes are not an object.
        return (b"",) * len(SCOPES)
    return tuple(_said(members.get(name)) for name in SCOPES)


def _said(raw: Raw | None) -> bytes:
    text = b"" if raw is None else compact(bytes(raw))
    return b"" if text in (b"null", b'""') else text


_SOUNDS_SECRET: Final = pattern(
    r"passw(?:or)?d|passphrase|pwd|secret|token|credential|private_?key|sensitive|plaintext|bearer|cookie"
    r"|(?:^|_)(?:api_?key|access_key|auth|hash|key|otp|pem|pin|salt|sas|seed|signature)(?:_|$)",
    re.IGNORECASE,
)
# Harmless endings of names: location, size, kind, ownership.
_HARMLESS: Final = pattern(
    r"(?:.*_)?(?:acl|ami|architecture|arn|arns|bucket|cidr_blocks?|class|dns|domain|engine|family|group|groups|host"
    r"|hostname|id|identifier|ids|image|ip|ips|ipv4|ipv6|location|method|mode|name|names|owner|owners|platform|project"
    r"|protocol|region|regions|size|state|status|subnet|subnets|type|types|version|zone|zones)"
)
_LABELS: Final = frozenset({"tags", "tags_all", "labels"})
_PLAIN: Final = pattern(r"-?[0-9]{1,12}(?:\.[0-9]{1,6})?|true|false|")
# The index of a list element, or the hash of a set element.
_PLACE: Final = pattern(r"~?[0-9]+")
# The number of elements, and of members.
FLAT_COUNTS: Final = ("#", "%")


def flat_value(flat: Mapping[str, str], paths: Sequence[Path], known: Collection[str] = ()) -> Members:
    """Return the flat attributes as an object of strings, with HIDDEN for attributes that may be sensitive.

    `known` are the names of secret attributes.
    """
    hidden = (_covered(flat, paths) if paths else set()) | set(known)
    hidden |= {name for name, value in flat.items() if name not in hidden and not _is_harmless(name, value)}
    # A secret may be repeated under a harmless name: the id of a random_string is its result.
    secrets = {flat[name] for name in hidden if not _PLAIN.fullmatch(flat[name])}
    return Members((name, HIDDEN if name in hidden or value in secrets else value) for name, value in flat.items())


def hides_any(flat: Mapping[str, str], paths: Sequence[Path]) -> bool:
    """Return whether flat_value() hides a value because of its name or a mark; this is faster."""
    return any(not _is_harmless(name, value) for name, value in flat.items()) or bool(paths and _covered(flat, paths))


def sounds_secret(name: str) -> bool:
    """Return whether a name suggests a secret. (SEC004 matches fewer names, since its findings must be true.)"""
    return _SOUNDS_SECRET.search(name) is not None


def _is_harmless(name: str, value: str) -> bool:
    *holders, last = name.split(".")
    if last in FLAT_COUNTS:
        return value.isdecimal()
    if any(map(sounds_secret, (*holders, last))):
        return False
    named = next((part for part in (last, *reversed(holders)) if not _PLACE.fullmatch(part)), "")
    is_label = len(holders) == 1 and holders[0] in _LABELS
    return is_label or _HARMLESS.fullmatch(named) is not None or _PLAIN.fullmatch(value) is not None


def _covered(flat: Mapping[str, str], paths: Sequence[Path]) -> set[str]:
    """Return the names at the `paths`; all names if a path leads to none of them."""
    names = sorted(flat)
    prefixes = {_prefix(path, flat, names) for path in paths}
    if "" in prefixes:
        return set(names)
    below = {name for prefix in prefixes for name in names[_below(prefix, names)]}
    return below | {prefix for prefix in prefixes if prefix in flat}


def _prefix(path: Path, flat: Mapping[str, str], names: Sequence[str]) -> str:
    """Return the longest prefix of a path that matches a name; "" if none does, so that any name may match.

    Names of set elements contain a hash, which is not in the path, so such a path covers the whole set.
    """
    steps = [str(key) for key in takewhile(lambda key: isinstance(key, (str, int)), map(step_key, path))]
    beginnings = (".".join(steps[:count]) for count in range(len(steps), 0, -1))
    return next((text for text in beginnings if text in flat or names[_below(text, names)]), "")


def _below(prefix: str, names: Sequence[str]) -> slice:
    """Return the slice of the sorted names that start with the prefix and a dot."""
    return slice(bisect_left(names, f"{prefix}."), bisect_left(names, f"{prefix}/"))


_WRAPPING_START: Final = pattern(rb'\{\s*"value"\s*:')


class DynamicList(list[JSONValue]):
    """A wrapped list, set or tuple, which cannot be a list of nested blocks."""

    __slots__ = ()


def unwrapped(value: Partial) -> Partial:
    """Unwrap a value at all depths. Returns the same value if it has no wrappers or is nested too deeply."""
    if not _may_wrap(value):
        return value
    try:
        return _unwrapped(decoded(value))
    except (ValueError, RecursionError):
        return value


def _may_wrap(value: Partial) -> bool:
    if isinstance(value, Raw):
        return _WRAPPING_START.search(memoryview(value)) is not None
    if isinstance(value, list):
        return any(map(_may_wrap, value))
    if isinstance(value, dict):
        return next(iter(value), "") == "value" or any(map(_may_wrap, value.values()))
    return False


def _unwrapped(value: JSONValue) -> JSONValue:
    if isinstance(value, list):
        return [_unwrapped(item) for item in value]
    if not isinstance(value, Members):
        return value
    if len(value) == 2 and value[0][0] == "value" and value[1][0] == "type":
        with suppress(CtyTypeError):
            type_from_json(value[1][1])
            inner = _unwrapped(value[0][1])
            return DynamicList(inner) if isinstance(inner, list) else inner
    return Members((name, _unwrapped(item)) for name, item in value)


_WRAPPING: Final = {"value", "type"}

# Returns the replacement for a part.
_Placeholder: TypeAlias = Callable[[Raw], Hidden]


def hide(
    value: Raw,
    paths: Sequence[Path],
    placeholder: _Placeholder = lambda _: HIDDEN,
    known: Sequence[Sequence[str | int]] = (),
) -> Partial:
    """Replace the part at the end of each path by a placeholder, HIDDEN by default; other parts stay JSON text.

    `paths` are marks: a mark whose first step names a missing attribute hides nothing; a mark that fails at a later
    step hides the object, array or scalar there. `known` are names and positions in the JSON itself; such a path
    always hides the value where it fails.
    """
    try:
        return _hide(value, paths, known, placeholder, is_root=True)
    except RecursionError:
        return placeholder(value)


def _hide(
    value: Raw,
    paths: Sequence[Path],
    known: Sequence[Sequence[str | int]],
    placeholder: _Placeholder,
    *,
    is_root: bool = False,
) -> Partial:
    if not paths and not known:
        return value
    if not all(paths) or not all(known):
        return placeholder(value)
    first = memoryview(value)[0]
    if first == ord("{"):
        return _hide_in_object(value, paths, known, placeholder, is_root)
    if first == ord("["):
        return _hide_in_array(value, paths, known, placeholder)
    return value if first == ord("n") and not known else placeholder(value)


def _hide_in_object(
    value: Raw, paths: Sequence[Path], known: Sequence[Sequence[str | int]], placeholder: _Placeholder, is_root: bool
) -> Partial:
    members = object_members(value)
    # cty normalizes names to NFC; names in the file may not be normalized.
    below: dict[str, list[Path]] = {nfc(name): [] for name in members}
    below_known: dict[str | int, list[Sequence[str | int]]] = {name: [] for name in members}
    is_wrapping = members.keys() == _WRAPPING
    for path in paths:
        name = step_key(path[0])
        found = below.get(nfc(name)) if isinstance(name, str) else None
        if found is not None:
            found.append(path[1:])
        if is_wrapping:
            below["value"].append(path)
        elif found is None and (not is_root or not isinstance(name, str)):
            return placeholder(value)
    for steps in known:
        if steps[0] not in below_known:
            return placeholder(value)
        below_known[steps[0]].append(steps[1:])
    return {name: _hide(part, below[nfc(name)], below_known[name], placeholder) for name, part in members.items()}


def _hide_in_array(
    value: Raw, paths: Sequence[Path], known: Sequence[Sequence[str | int]], placeholder: _Placeholder
) -> Partial:
    elements = array_elements(value)
    below: dict[int, list[Path]] = {}
    below_known: dict[int, list[Sequence[str | int]]] = {}
    for path in paths:
        place = step_key(path[0])
        if not isinstance(place, int) or not 0 <= place < len(elements):
            # The path may lead to an element of a set, whose key is its value.
            return placeholder(value)
        below.setdefault(place, []).append(path[1:])
    if paths and any(memoryview(element)[0] in _NUMBER for element in elements):
        # May be a set of numbers.
        return placeholder(value)
    for steps in known:
        index = steps[0]
        if not isinstance(index, int) or index >= len(elements):
            return placeholder(value)
        below_known.setdefault(index, []).append(steps[1:])
    return [
        _hide(element, below.get(place, ()), below_known.get(place, ()), placeholder)
        for place, element in enumerate(elements)
    ]
