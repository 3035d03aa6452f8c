"""Builds the object that a configuration asks for, to be compared with the planned one.

Parts that cannot be evaluated without a plan are taken from the planned object, so that they prove nothing. Source:
OpenTofu `internal/lang/blocktoattr`, `internal/configs/configschema/decoder_spec.go`, `processIgnoreChanges` in
`internal/tofu/node_resource_abstract_instance.go`; HCL `ext/dynblock`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from statefmt.configuration import Scope
from statefmt.configuration.provider_instances import META_ARGUMENTS
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.operations import ConversionError, convert
from statefmt.hcl.syntax import Argument, Block, Body, Literal, MergedBody, Traversal, TupleExpression, as_keyword
from statefmt.hcl.value import (
    Part,
    Unknown,
    Value,
    children,
    first_unknown,
    is_sensitive_within,
    number,
    object_of,
    text,
    to_plain,
)
from statefmt.lifecycle.plan_valid import FoundProblem, plan_problems, problem
from statefmt.lifecycle.schema import (
    NestedAttributes,
    NestedBlock,
    SchemaAttribute,
    SchemaBlock,
    decoding_type,
    implied_type,
)
from statefmt.model.cty import (
    DYNAMIC,
    DynamicType,
    ListType,
    MapType,
    ObjectType,
    SetType,
    TupleType,
    Type,
    element_type,
    member_type,
    object_type,
)
from statefmt.model.cty.data import CtyValue, Data, GetAttr, Path, PathIndex, UnknownData, make_set

# OpenTofu does not compare the elements of sets of objects, though the same rules hold for them.
EXTRA_ELEMENT: Final = "planned element %#v does not match any element in config"
MISSING_ELEMENT: Final = "an element in config does not match any planned element"
# Each element of a set is compared with each other one, up to this number of pairs in a plan.
_MOST_PAIRS: Final = 100_000
_NULL: Final = Value(DYNAMIC, None)
_Bound: TypeAlias = "dict[str, Part]"
# Makes an element of a set for a planned element and a prior one.
_Element: TypeAlias = "Callable[[Data, Data], Data]"


class ConfiguredObject(NamedTuple):
    """The data of an object according to the configuration.

    `problems` are those of the elements of sets, and `sensitive` the paths of sensitive values.
    """

    data: Data
    problems: Sequence[FoundProblem]
    sensitive: Sequence[Path]


class _TooManyPairs(Exception):  # noqa: N818
    """Comparing the elements of a set with each other would take too long."""


class ArgumentReader:
    """Reads the parts of blocks and schemas, each once: the instances of a resource share them."""

    def __init__(self) -> None:
        # By the identity of bodies and schemas, which the values keep alive.
        self._arguments: dict[tuple[int, str], tuple[Body, Argument | None]] = {}
        self._blocks: dict[tuple[int, str, int], tuple[Body, Sequence[Block]]] = {}
        self._types: dict[int, tuple[SchemaBlock, ObjectType, ObjectType]] = {}
        self._elements: dict[int, tuple[NestedAttributes, SchemaBlock]] = {}
        self._pairs = _MOST_PAIRS

    def spend(self) -> None:
        """Count a pair of elements. Raises an exception if a plan has too many."""
        self._pairs -= 1
        if self._pairs < 0:
            raise _TooManyPairs

    def argument(self, body: Body, name: str) -> Argument | None:
        """Return an argument of a block; None if it is not set."""
        key = id(body), name
        if key not in self._arguments:
            self._arguments[key] = body, body.attribute(name)
        return self._arguments[key][1]

    def blocks(self, body: Body, type_: str, labels: int = 0) -> Sequence[Block]:
        """Return the blocks of a type in a block."""
        key = id(body), type_, labels
        if key not in self._blocks:
            self._blocks[key] = body, body.blocks(type_, labels)
        return self._blocks[key][1]

    def generators(self, body: Body, type_: str) -> list[Body]:
        """Return the contents of the `dynamic` blocks that generate blocks of a type."""
        return [block.body for block in self.blocks(body, "dynamic", 1) if block.labels == (type_,)]

    def given_type(self, schema: SchemaBlock) -> ObjectType:
        """Return the type to which arguments are converted: decoding_type()."""
        return self._both(schema)[1]

    def value_type(self, schema: SchemaBlock) -> ObjectType:
        """Return the type of objects: implied_type(), but with lists and maps for all such nested blocks."""
        return self._both(schema)[2]

    def element_schema(self, nested: NestedAttributes) -> SchemaBlock:
        """Return the schema of an element of nested attributes."""
        if id(nested) not in self._elements:
            self._elements[id(nested)] = nested, SchemaBlock(nested.attributes)
        return self._elements[id(nested)][1]

    def _both(self, schema: SchemaBlock) -> tuple[SchemaBlock, ObjectType, ObjectType]:
        if id(schema) not in self._types:
            self._types[id(schema)] = schema, decoding_type(schema), _value_type(schema)
        return self._types[id(schema)]


def _value_type(block: SchemaBlock) -> ObjectType:
    types: dict[str, Type] = dict(implied_type(block).attributes)
    for name, nested in block.decoded_blocks():
        inner = _value_type(nested.block)
        match nested.nesting:
            case "list":
                types[name] = ListType(inner)
            case "set":
                types[name] = SetType(inner)
            case "map":
                types[name] = MapType(inner)
            case _:
                types[name] = inner
    return object_type(types)


def configured_object(
    reader: ArgumentReader, schema: SchemaBlock, body: Body, names: Scope, planned: Data, prior: Data, ignorable: Data
) -> ConfiguredObject | None:
    """Build an object of the type ArgumentReader.value_type() from the arguments and blocks in `body`.

    Args:
        reader: Reads the blocks of all objects.
        schema: The schema of the resource type.
        body: The content of the resource block.
        names: The scope of the instance.
        planned: The planned object.
        prior: The prior object that values may be kept from; null for a new object.
        ignorable: The object whose values `ignore_changes` keeps; null for a new object.

    Returns None if all changes are ignored, or `ignore_changes` cannot be read.
    """
    reading = _Reading(reader, names)
    ignored: dict[str, bool] = {}
    for each in _ignored(reader, body) if isinstance(ignorable, dict) else ():
        if each is None:
            return None
        ignored[each[0]] = each[1]
    data = reading.block(schema, body, {}, (), planned, prior)
    data.update(
        (name, _member(ignorable if whole else planned, name)) for name, whole in ignored.items() if name in data
    )
    left_out = {GetAttr(name) for name in ignored}
    problems = [each for each in reading.problems if each.path[0] not in left_out]
    return ConfiguredObject(data, problems, reading.sensitive)


def _ignored(reader: ArgumentReader, body: Body) -> Iterator[tuple[str, bool] | None]:
    """Yield the attributes in `ignore_changes`, and whether it names all of each; None for all or the unreadable."""
    for block in reader.blocks(body, "lifecycle"):
        if isinstance(body, MergedBody):
            # An override file adds to the block, or replaces it.
            yield None
        argument = reader.argument(block.body, "ignore_changes")
        if argument is None:
            continue
        if not isinstance(argument.expression, TupleExpression):
            yield None
            continue
        for item in argument.expression.items:
            if isinstance(item, Traversal):
                yield item.root, not item.steps
            elif isinstance(item, Literal) and isinstance(item.value, str) and item.value.isidentifier():
                yield item.value, True
            else:
                yield None


class _Reading:
    """Reads one object."""

    def __init__(self, reader: ArgumentReader, names: Scope) -> None:
        self._reader = reader
        self._names = names
        self.problems: list[FoundProblem] = []
        self.sensitive: list[Path] = []

    def block(
        self, schema: SchemaBlock, body: Body, bound: _Bound, path: Path, planned: Data, prior: Data
    ) -> dict[str, Data]:
        types = self._reader.given_type(schema).attributes
        found: dict[str, Data] = {}
        for name, attribute in schema.attributes.items():
            wanted, before, below = _member(planned, name), _member(prior, name), (*path, GetAttr(name))
            argument = self._reader.argument(body, name)
            if not path and name in META_ARGUMENTS:
                found[name] = wanted
            elif argument is None:
                # Old providers have attributes that are written as blocks.
                found[name] = wanted if name in body.block_types() or self._reader.generators(body, name) else None
            else:
                part = evaluate(argument.expression, self._names, bound)
                if is_sensitive_within(part):
                    self.sensitive.append(below)
                found[name] = self._attribute(attribute, types[name], part, wanted, before, below)
        for name, nested in schema.decoded_blocks():
            below = (*path, GetAttr(name))
            found[name] = self._blocks(nested, name, body, bound, _member(planned, name), _member(prior, name), below)
        return found

    def _attribute(
        self, attribute: SchemaAttribute, of: Type, part: Part, planned: Data, prior: Data, path: Path
    ) -> Data:
        if attribute.nested is None or isinstance(part, Unknown) or part.data is None:
            return _filled(part, of, planned)
        nesting, inner = attribute.nested.nesting, attribute.nested.attributes
        if nesting in ("single", "map") and isinstance(part.data, Mapping):
            if nesting == "single":
                return self._members(inner, of, part, path, planned, prior)
            return {
                key: self._members(
                    inner, member_type(of, key), each, (*path, PathIndex(key)),
                    _member(planned, key), _member(prior, key),
                )
                for key, each in part.data.items()
            }  # fmt: skip
        if nesting not in ("list", "set") or not isinstance(part.data, tuple):
            return planned
        element = element_type(of, 0)
        if nesting == "list":
            return tuple(
                self._members(inner, element, each, (*path, PathIndex(at)), _item(planned, at), _item(prior, at))
                for at, each in enumerate(part.data)
            )
        if planned == prior and isinstance(planned, tuple):
            # A provider may keep the prior value of a whole attribute.
            return planned
        elements = [partial(self._members, inner, element, each, path) for each in part.data]
        return self._set(self._reader.element_schema(attribute.nested), elements, planned, prior, path)

    def _members(
        self, inner: Mapping[str, SchemaAttribute], of: Type, part: Part, path: Path, planned: Data, prior: Data
    ) -> Data:
        """Return an object of nested attributes."""
        if isinstance(part, Unknown):
            return planned
        if not isinstance(part.data, Mapping):
            return None if part.data is None else planned
        members = part.data
        return {
            name: self._attribute(
                attribute, member_type(of, name), members.get(name, _NULL),
                _member(planned, name), _member(prior, name), (*path, GetAttr(name)),
            )
            for name, attribute in inner.items()
        }  # fmt: skip

    def _blocks(
        self, nested: NestedBlock, name: str, body: Body, bound: _Bound, planned: Data, prior: Data, path: Path
    ) -> Data:
        entries = self._entries(nested, name, body, bound)
        if entries is None:
            return planned
        schema = nested.block
        match nested.nesting:
            case "list":
                return tuple(
                    self.block(schema, inside, names, (*path, PathIndex(at)), _item(planned, at), _item(prior, at))
                    for at, (_, inside, names) in enumerate(entries)
                )
            case "map":
                return {
                    key: self.block(
                        schema, inside, names, (*path, PathIndex(key)), _member(planned, key), _member(prior, key)
                    )
                    for key, inside, names in entries
                }
            case "set":
                elements: list[_Element] = [
                    partial(self.block, schema, inside, names, path) for _, inside, names in entries
                ]
                return self._set(schema, elements, planned, prior, path)
            case _ if entries:
                return self.block(schema, entries[0][1], entries[0][2], path, planned, prior)
            case "group":
                return _empty(schema)
            case _:
                return None

    def _entries(
        self, nested: NestedBlock, name: str, body: Body, bound: _Bound
    ) -> list[tuple[str, Body, _Bound]] | None:
        """Return the label, the content and the iterators of each block of a type; None if they are not known."""
        labels = 1 if nested.nesting == "map" else 0
        found = [
            (block.range.start, "".join(block.labels), block.body, bound)
            for block in self._reader.blocks(body, name, labels)
        ]
        generators = self._reader.generators(body, name)
        if generators and (labels or isinstance(body, MergedBody)):
            return None
        for generator in generators:
            for_each, iterator = (self._reader.argument(generator, each) for each in ("for_each", "iterator"))
            part = _NULL if for_each is None else evaluate(for_each.expression, self._names, bound)
            keyword = name if iterator is None else as_keyword(iterator.expression)
            contents = self._reader.blocks(generator, "content")
            if isinstance(part, Unknown) or part.data is None or keyword is None or for_each is None:
                return None
            for key, value in _pairs(part):
                names = {**bound, keyword: object_of({"key": key, "value": value})}
                found += [(for_each.range.start, "", content.body, names) for content in contents]
        found.sort(key=lambda entry: entry[0])
        return [entry[1:] for entry in found]

    def _set(self, schema: SchemaBlock, elements: Sequence[_Element], planned: Data, prior: Data, path: Path) -> Data:
        """Compare the elements of a set of objects, which have no keys: each needs one that it can belong to."""
        if not isinstance(planned, tuple):
            return tuple(make(None, None) for make in elements)
        befores = (None, *(prior if isinstance(prior, tuple) else ()))
        free = dict.fromkeys(range(len(elements)))
        rest: list[Data] = []
        try:
            for element in planned:
                place = next((each for each in free if self._fits(schema, elements[each], element, None)), None)
                if place is None:
                    rest.append(element)
                else:
                    del free[place]
            extra = [one for one in rest if not self._any_fits(schema, elements, (one,), befores)]
            missing = [at for at in free if not self._any_fits(schema, (elements[at],), planned, befores)]
        except _TooManyPairs:
            return planned
        if extra:
            self.problems.append(problem(path, EXTRA_ELEMENT, CtyValue(self._reader.value_type(schema), extra[0])))
        elif missing:
            self.problems.append(problem(path, MISSING_ELEMENT))
        return planned

    def _any_fits(
        self, schema: SchemaBlock, elements: Sequence[_Element], planned: Sequence[Data], befores: Sequence[Data]
    ) -> bool:
        pairs = product(elements, planned, befores)
        return any(self._fits(schema, make, element, before) for make, element, before in pairs)

    def _fits(self, schema: SchemaBlock, make: _Element, element: Data, before: Data) -> bool:
        """Return whether an element of a planned set may belong to one of the configuration and to a prior one."""
        self._reader.spend()
        count = len(self.problems)
        config = make(element, before)
        inside = self.problems[count:]
        del self.problems[count:]
        of = self._reader.value_type(schema)
        return not inside and not plan_problems(schema, *(CtyValue(of, data) for data in (before, config, element)))


def _pairs(part: Value) -> Iterator[tuple[Part, Part]]:
    """Yield the keys and values that a `dynamic` block iterates over."""
    if isinstance(part.data, Mapping):
        yield from ((text(name), value) for name, value in part.data.items())
    else:
        for at, value in enumerate(children(part)):
            yield (value if isinstance(part.type, SetType) else number(at)), value


def _filled(part: Part, of: Type, planned: Data) -> Data:
    """Return a value converted to a type, with parts of the planned value for unknown parts."""
    if isinstance(part, Unknown):
        return planned
    if first_unknown((part,)) is None:
        try:
            found = convert(part, of)
        except ConversionError:
            return planned
        return planned if isinstance(found, Unknown) else to_plain(found)
    if isinstance(part.data, Mapping) and isinstance(of, MapType | ObjectType | DynamicType):
        members = part.data
        names = of.attributes if isinstance(of, ObjectType) else members
        return {
            name: _filled(members.get(name, _NULL), member_type(of, name), _member(planned, name)) for name in names
        }
    if not isinstance(part.data, tuple) or not isinstance(of, ListType | SetType | TupleType | DynamicType):
        return planned
    if isinstance(of, SetType):
        return _filled_set(part.data, of.element, planned)
    same_length = isinstance(planned, tuple) and len(planned) == len(part.data)
    return tuple(
        _filled(each, element_type(of, at), _item(planned, at) if same_length else UnknownData())
        for at, each in enumerate(part.data)
    )


def _filled_set(parts: Sequence[Part], element: Type, planned: Data) -> Data:
    """Return the planned set if it has all known elements, and no more elements than `parts`."""
    known = [_filled(part, element, UnknownData()) for part in parts if first_unknown((part,)) is None]
    if isinstance(planned, tuple):
        if len(planned) * len(known) > _MOST_PAIRS:
            return planned
        if len(planned) <= len(parts) and all(each in planned for each in known):
            return planned
    return make_set(element, [*known, *(UnknownData() for _ in parts[len(known) :])])


def _empty(schema: SchemaBlock) -> Data:
    """Return what a missing block of the nesting mode `group` decodes to."""
    found: dict[str, Data] = dict.fromkeys(schema.attributes)
    for name, nested in schema.decoded_blocks():
        match nested.nesting:
            case "list" | "set":
                found[name] = ()
            case "map":
                found[name] = {}
            case "group":
                found[name] = _empty(nested.block)
            case _:
                found[name] = None
    return found


def _member(data: Data, name: str) -> Data:
    if isinstance(data, dict):
        return data.get(name)
    return data if isinstance(data, UnknownData) else None


def _item(data: Data, at: int) -> Data:
    if isinstance(data, tuple):
        return data[at] if at < len(data) else None
    return data if isinstance(data, UnknownData) else None
