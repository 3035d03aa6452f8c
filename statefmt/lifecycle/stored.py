"""Decodes the stored attributes of objects by their schemas, and explains why attributes do not decode."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from statefmt.golang import JSONValue, Members, encode_value, loads_exact, quote
from statefmt.lifecycle.schema import refuses_depth
from statefmt.model.cty import (
    NUMBER,
    STRING,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    type_name,
)
from statefmt.model.cty.data import CtyPathError, CtyValue, GetAttr, Path, PathIndex, UnknownData
from statefmt.model.cty.number import Number, format_digits, from_int
from statefmt.model.cty.parts import unknown
from statefmt.model.cty.values import read_value
from statefmt.redaction.partial import step_key


def decode_state(attributes: bytes, of: Type) -> CtyValue:
    """Decode attributes, as JSON, by the implied type of their schema, without those that the schema does not have.

    Missing attributes are null, and primitive values convert as in cty's JSON: `"1"` is a number. Raises CtyValueError
    with go-cty's detail, CtyPathError for a part.
    """
    return read_value(strip_removed(attributes, of), of)


def strip_removed(attributes: bytes, of: Type) -> bytes:
    """Return attributes, as JSON, without those that the type does not have; the same bytes if there are none.

    Only JSON objects are stripped, and nothing within tuples and dynamic values. As OpenTofu encodes a stripped object
    anew, its numbers then pass through float64: 9007199254740993 becomes 9007199254740992. What is not valid, out of
    that range or nested too deeply stays as it is, for decoding to refuse.
    """
    try:
        node = loads_exact(attributes, replace_invalid=True)
        if not isinstance(node, Members):
            return attributes
        stripped = _strip(node, of)
        if stripped is node:
            return attributes
        # OpenTofu refuses a number out of range in an attribute that it drops, too.
        encode_value(node)
        return encode_value(stripped)
    except (ValueError, RecursionError):
        return attributes


def _strip(node: JSONValue, of: Type) -> JSONValue:
    """Return the node itself if nothing in it changes."""
    if isinstance(node, list) and isinstance(of, (ListType, SetType)):
        items = [_strip(item, of.element) for item in node]
        return items if any(new is not old for new, old in zip(items, node, strict=True)) else node
    if not isinstance(node, Members) or not isinstance(of, (MapType, ObjectType)):
        return node
    members: list[tuple[str, JSONValue]] = []
    changed = False
    # The last of several members with one name counts.
    for name, item in dict(node).items():
        wanted = of.element if isinstance(of, MapType) else of.attributes.get(name)
        new = item if wanted is None else _strip(item, wanted)
        changed = changed or wanted is None or new is not item
        if wanted is not None:
            members.append((name, new))
    return Members(members) if changed else node


@refuses_depth
def conformance(given: Type, wanted: Type) -> tuple[ValueProblem, ...]:
    """Return where the type `given`, that of a value, differs from `wanted`, where DYNAMIC admits any type.

    Steps into collections have an unknown key. Raises CtyValueError if a type is nested too deeply.
    """
    return tuple(_problems(given, wanted, ()))


def _problems(given: Type, wanted: Type, path: Path) -> Iterator[ValueProblem]:
    if isinstance(wanted, DynamicType) or given == wanted:
        return
    match given, wanted:
        case ObjectType(), ObjectType():
            yield from _object(given, wanted, path)
        case TupleType(elements), TupleType(wanted_elements):
            if len(elements) == len(wanted_elements):
                for index, (element, of) in enumerate(zip(elements, wanted_elements, strict=True)):
                    yield from _problems(element, of, (*path, PathIndex(index)))
            else:
                message = f"{len(wanted_elements)} elements are required, but got {len(elements)}"
                yield ValueProblem(path, "%d elements are required, but got %d", message)
        case ListType(element), ListType(of):
            yield from _problems(element, of, (*path, _any_key(NUMBER)))
        case MapType(element), MapType(of):
            yield from _problems(element, of, (*path, _any_key(STRING)))
        case SetType(element), SetType(of):
            yield from _problems(element, of, (*path, _any_key(element)))
        case _:
            message = f"{type_name(wanted)} required, but received {type_name(given)}"
            yield ValueProblem(path, "%s required, but received %s", message)


def _object(given: ObjectType, wanted: ObjectType, path: Path) -> Iterator[ValueProblem]:
    for name in given.attributes:
        if name not in wanted.attributes:
            yield ValueProblem(path, "unsupported attribute %q", f"unsupported attribute {quote(name)}")
    for name in wanted.attributes:
        if name not in given.attributes:
            yield ValueProblem(path, "missing required attribute %q", f"missing required attribute {quote(name)}")
    for name, of in wanted.attributes.items():
        if name in given.attributes:
            yield from _problems(given.attributes[name], of, (*path, GetAttr(name)))


def _any_key(of: Type) -> PathIndex:
    return PathIndex(unknown(of))


class ValueProblem(Struct, frozen=True):
    """A problem of a value, in OpenTofu's words.

    `path` leads from the whole value to the part; it is empty for the whole. `template` is the message without values
    (`was %#v, but now null`), by which a message is recognised; `message` is complete. A message may show values, but
    no marked ones.
    """

    path: Path
    template: str
    message: str


def formatted_path(path: Path) -> str:
    """Return `.rule[0].tags["a"]`, with `[...]` for an element of a set. Source: OpenTofu `tfdiags.FormatCtyPath`."""
    return "".join(f".{step.name}" if isinstance(step, GetAttr) else f"[{_key(step.key)}]" for step in path)


def _key(key: str | int | CtyValue) -> str:
    data = key.data if isinstance(key, CtyValue) else key
    if data is None:
        return "null"
    if isinstance(data, UnknownData):
        return "(not yet known)"
    if isinstance(data, Number):
        return format_digits(data)
    if isinstance(data, int) and not isinstance(data, bool):
        return format_digits(from_int(data))
    return quote(data) if isinstance(data, str) else "..."


# go-cty quotes a part of the value after these words, which may be a secret.
_QUOTING = ("failed to decode type for dynamic value", "invalid key")


def undecodable_reason(error: CtyValueError) -> str:
    """Return go-cty's detail without quoted parts of the value."""
    return next((words for words in _QUOTING if error.detail.startswith(words)), error.detail)


def undecodable_steps(error: CtyValueError) -> tuple[str | int, ...]:
    """Return the names and indexes of the part that does not decode; elements of sets have none."""
    path = error.path if isinstance(error, CtyPathError) else ()
    return tuple(key for step in path if isinstance(key := step_key(step), (str, int)))
