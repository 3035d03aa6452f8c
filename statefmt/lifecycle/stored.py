"""Decodes the stored attributes of objects by their schemas, and explains why attributes do not decode.

Attributes are JSON or, in states before format 4, a flatmap, which is a map of strings:
`{"name": "x", "tags.%": "1", "tags.env": "prod", "ports.#": "1", "ports.0": "80"}`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from statefmt.golang import JSONValue, Members, encode_value, loads_exact, nfc, quote
from statefmt.lifecycle.schema import refuses_depth
from statefmt.model.cty import (
    NUMBER,
    STRING,
    CtyValueError,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    PrimitiveType,
    SetType,
    TupleType,
    Type,
    common_element_type,
    object_type,
    type_name,
)
from statefmt.model.cty.data import (
    CtyPathError,
    CtyValue,
    Data,
    GetAttr,
    Path,
    PathIndex,
    UnknownData,
    convert_primitive,
    make_set,
)
from statefmt.model.cty.number import Number, format_digits, from_int
from statefmt.model.cty.parts import unknown
from statefmt.model.cty.values import read_value
from statefmt.model.errors import StatetoolError
from statefmt.redaction.partial import step_key
from statefmt.text import pattern


def decode_state(attributes: bytes, of: Type) -> CtyValue:
    """Decode attributes, as JSON, by the implied type of their schema, ignoring attributes unknown to the schema.

    Missing attributes are null, and primitive values convert as in cty's JSON: `"1"` is a number. Raises
    CtyValueError with go-cty's detail, CtyPathError for a part.
    """
    return read_value(strip_removed(attributes, of), of)


def strip_removed(attributes: bytes, of: Type) -> bytes:
    """Return attributes, as JSON, without those unknown to the type; the same bytes if there are none.

    Strips only JSON objects, and nothing within tuples and dynamic values. As OpenTofu encodes a stripped object
    anew, its numbers then pass through float64: 9007199254740993 becomes 9007199254740992. Values that are invalid,
    out of that range or nested too deeply stay as they are, so that decoding refuses them.
    """
    try:
        node = loads_exact(attributes, replace_invalid=True)
        if not isinstance(node, Members):
            return attributes
        stripped = _strip(node, of)
        if stripped is node:
            return attributes
        # OpenTofu also refuses a number out of range in a dropped attribute.
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
    # The last of duplicate members counts.
    for name, item in dict(node).items():
        wanted = of.element if isinstance(of, MapType) else of.attributes.get(name)
        new = item if wanted is None else _strip(item, wanted)
        changed = changed or wanted is None or new is not item
        if wanted is not None:
            members.append((name, new))
    return Members(members) if changed else node


@refuses_depth
def conformance(given: Type, wanted: Type) -> tuple[ValueProblem, ...]:
    """Return the differences between `given`, the type of a value, and `wanted`, in which DYNAMIC admits any type.

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


# After these words, go-cty quotes a part of the value, which may be a secret.
_QUOTING = ("failed to decode type for dynamic value", "invalid key")


def undecodable_reason(error: CtyValueError) -> str:
    """Return go-cty's detail without quoted parts of the value."""
    return next((words for words in _QUOTING if error.detail.startswith(words)), error.detail)


def undecodable_steps(error: CtyValueError) -> tuple[str | int, ...]:
    """Return the names and indexes of the undecodable part; elements of sets have none."""
    path = error.path if isinstance(error, CtyPathError) else ()
    return tuple(key for step in path if isinstance(key := step_key(step), (str, int)))


class FlatmapError(StatetoolError, ValueError):
    """A flatmap that does not decode by a type.

    The message is OpenTofu's, if OpenTofu has one. It may show a count, which is a value of the state; `key` and
    `expected` give the location and the expected type without values.
    """

    def __init__(self, message: str, key: str, expected: Type) -> None:
        super().__init__(message)
        self.key = key
        self.expected = expected


# Stands for an unknown value or, as a count, for an unknown collection.
UNKNOWN_TEXT: Final = "74D93920-ED26-11E3-AC10-0800200C9A66"
# Keys of counts, after the prefix of a list, set or tuple, and of a map.
ITEM_COUNT: Final = "#"
ENTRY_COUNT: Final = "%"
# The maximum number of parts of a value: one key is enough for a list of a million elements.
_MOST_PARTS = 1_000_000
_MOST_PARTS_FOR_A_KEY = 10

_INTEGER = pattern(r"[+-]?[0-9]+")
# Apart from leading zeros, a count with more digits exceeds the range of Go's int.
_INTEGER_DIGITS = 19
_INTEGER_END = 1 << 63


class FlatmapDecoding(Struct, frozen=True):
    """The value of a flatmap. `unused` has the keys, in order, whose strings are not part of the value."""

    value: CtyValue
    unused: tuple[str, ...]


def decode_flatmap(flatmap: Mapping[str, str], of: Type) -> FlatmapDecoding:
    """Decode a flatmap by the type of an object.

    Attributes without a key are null, keys outside the type are unused, and the counts of maps and sets are not
    checked. As in OpenTofu, the only element of a set of empty collections has a wrong type. Time grows with the
    bytes of the flatmap and the parts of the result. Raises FlatmapError, also where OpenTofu crashes (negative
    counts, elements of different types) or would run out of memory (more than about a million parts without keys).
    """
    if not isinstance(of, ObjectType):
        raise FlatmapError("only objects can be read from flatmaps", "", of)
    texts = _Flatmap(flatmap)
    try:
        value = CtyValue(*texts.value_of_object("", of))
    except RecursionError:
        raise FlatmapError("the value is nested too deeply", "", of) from None
    return FlatmapDecoding(value, texts.unused())


class _Flatmap:
    """A flatmap while it is read."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._keys = sorted(texts)
        self._used: set[str] = set()
        self._parts_left = _MOST_PARTS + _MOST_PARTS_FOR_A_KEY * len(texts)

    def unused(self) -> tuple[str, ...]:
        return tuple(key for key in self._keys if key not in self._used)

    def value(self, key: str, of: Type) -> tuple[Type, Data]:
        """Return the actual type and the data of the value with a key."""
        self._count_parts(1, key, of)
        match of:
            case PrimitiveType():
                return of, self._primitive(key, of)
            case ObjectType():
                return self.value_of_object(key + ".", of)
            case DynamicType():
                raise FlatmapError("cannot decode dynamic from flatmap", key, of)
        prefix = key + "."
        text = self._text(prefix + (ENTRY_COUNT if isinstance(of, MapType) else ITEM_COUNT))
        # OpenTofu looks for an unknown collection under its name without trailing dots.
        if UNKNOWN_TEXT in (self._texts.get(key.rstrip(".")), text):
            return of, UnknownData()
        if text is None:
            return of, None
        try:
            return self._collection(prefix, of, text)
        except CtyValueError as error:
            raise FlatmapError(str(error), key, of) from None

    def value_of_object(self, prefix: str, of: ObjectType) -> tuple[Type, Data]:
        pairs = {name: self.value(prefix + name, attribute) for name, attribute in of.attributes.items()}
        data: Data = {name: item for name, (_, item) in pairs.items()}
        if not of.optional and all(own is of.attributes[name] for name, (own, _) in pairs.items()):
            return of, data
        return object_type({name: own for name, (own, _) in pairs.items()}), data

    def _text(self, key: str) -> str | None:
        text = self._texts.get(key)
        if text is not None:
            self._used.add(key)
        return text

    def _primitive(self, key: str, of: PrimitiveType) -> Data:
        text = self._text(key)
        if text is None:
            return None
        if text == UNKNOWN_TEXT:
            return UnknownData()
        try:
            return nfc(text) if of == STRING else convert_primitive(nfc(text), of)
        except CtyValueError as error:
            raise FlatmapError(f"invalid value for {quote(key)} in state: {error}", key, of) from None

    def _collection(self, prefix: str, of: ListType | SetType | MapType | TupleType, text: str) -> tuple[Type, Data]:
        match of:
            case TupleType():
                return self._tuple(prefix, of, text)
            case ListType(element):
                indexes = range(self._item_count(prefix, of, text))
                pairs = [self.value(f"{prefix}{index}", element) for index in indexes]
                found = common_element_type((own for own, _ in pairs), element, "list")
                return of if found is element else ListType(found), tuple(data for _, data in pairs)
            case SetType(element):
                pairs = [self.value(key, element) for key in self._item_keys(prefix)]
                if not pairs and text == "1":
                    # OpenTofu detects that the only element is empty, but returns a collection that is nested one
                    # level too deeply.
                    pairs = [_empty_element(element)]
                found = common_element_type((own for own, _ in pairs), element, "set")
                own_type = of if found is element else SetType(found)
                return own_type, make_set(found, [data for _, data in pairs])
            case MapType(element):
                return self._map(prefix, of, element)

    def _tuple(self, prefix: str, of: TupleType, text: str) -> tuple[Type, Data]:
        count = _integer(prefix, of, text)
        if count != len(of.elements):
            detail = f"got {count}, but need {len(of.elements)}"
            raise FlatmapError(f"wrong number of values for {quote(prefix)} in state: {detail}", prefix, of)
        pairs = [self.value(f"{prefix}{index}", element) for index, element in enumerate(of.elements)]
        same = not of.as_null and all(own is each for (own, _), each in zip(pairs, of.elements, strict=True))
        return of if same else TupleType(tuple(own for own, _ in pairs)), tuple(data for _, data in pairs)

    def _map(self, prefix: str, of: MapType, element: Type) -> tuple[Type, Data]:
        # The whole rest is the key, including dots: maps in flatmaps are maps of primitive values.
        pairs: dict[str, tuple[Type, Data]] = {}
        keys: dict[str, str] = {}
        for key in self._keys_with(prefix):
            if key[len(prefix) :] != ENTRY_COUNT:
                name = nfc(key[len(prefix) :])
                # Of keys that differ only in normalisation, the last one wins.
                self._used.discard(keys.get(name, ""))
                pairs[name], keys[name] = self.value(key, element), key
        found = common_element_type((own for own, _ in pairs.values()), element, "map")
        return of if found is element else MapType(found), {name: pairs[name][1] for name in sorted(pairs)}

    def _keys_with(self, prefix: str) -> Iterator[str]:
        place = bisect_left(self._keys, prefix)
        while place < len(self._keys) and self._keys[place].startswith(prefix):
            yield self._keys[place]
            place += 1

    def _item_keys(self, prefix: str) -> Iterator[str]:
        """Yield each key of a set once: `ports.123` for `ports.123.from` and `ports.123.to`."""
        seen: set[str] = set()
        for key in self._keys_with(prefix):
            end = key.find(".", len(prefix))
            item = key if end < 0 else key[:end]
            if item not in seen and key != prefix + ITEM_COUNT:
                seen.add(item)
                yield item

    def _item_count(self, prefix: str, of: ListType, text: str) -> int:
        count = _integer(prefix, of, text)
        if count < 0:
            raise FlatmapError(f"invalid count value for {quote(prefix)} in state: it is negative", prefix, of)
        self._count_parts(count, prefix, of, spend=False)
        return count

    def _count_parts(self, count: int, key: str, of: Type, *, spend: bool = True) -> None:
        if count > self._parts_left:
            raise FlatmapError("the value has too many parts without keys", key, of)
        if spend:
            self._parts_left -= count


def _empty_element(element: Type) -> tuple[Type, Data]:
    match element:
        case MapType():
            return MapType(element), {}
        case ListType():
            return ListType(element), ()
        case SetType():
            return SetType(element), ()
        case ObjectType(attributes):
            return object_type(attributes), dict.fromkeys(attributes)
        case _:
            return element, None


def _integer(prefix: str, of: Type, text: str) -> int:
    """Read a count as Go's `strconv.Atoi` does."""
    reason = "invalid syntax"
    if _INTEGER.fullmatch(text) is not None:
        digits = text.lstrip("+-").lstrip("0") or "0"
        count = -int(digits[: _INTEGER_DIGITS + 1]) if text.startswith("-") else int(digits[: _INTEGER_DIGITS + 1])
        if len(digits) <= _INTEGER_DIGITS and -_INTEGER_END <= count < _INTEGER_END:
            return count
        reason = "value out of range"
    detail = f"strconv.Atoi: parsing {quote(text)}: {reason}"
    raise FlatmapError(f"invalid count value for {quote(prefix)} in state: {detail}", prefix, of)
