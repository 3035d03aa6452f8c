"""Lists the differences within one member of an instance object value by value, with sensitive parts hidden.

A step to an element of a set contains the element, perhaps the secret itself: it is shown as `users[…]`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Raw, Struct, field

from statefmt.analysis.diff.model import InstanceChange, MemberChange, OutputChange
from statefmt.analysis.diff.places import Crossing, Order, ValuePlace, places, plain
from statefmt.golang import JSONValue, Members, nfc
from statefmt.model.cty.data import GetAttr, Path
from statefmt.model.cty.paths import step_identity
from statefmt.model.snapshot import InstanceState, OutputValue, ResourceInstanceObject
from statefmt.pairing import BlockPairing
from statefmt.redaction.object_value import DecodedOnce, attributes_value, identity_value, output_value, sensitive_paths
from statefmt.redaction.partial import HIDDEN, Hidden, contains_hidden, decoded, path_text, step_key

if TYPE_CHECKING:
    from statefmt.lifecycle.schema import ProviderSchemas
    from statefmt.model.cty import Type


_ELEMENT: Final = "[…]"


def mark_texts(obj: ResourceInstanceObject) -> tuple[str, ...]:
    """Return the sensitive paths of an object, each up to the first step that could reveal a value."""
    paths = sensitive_paths(obj)
    # Elements of sets cannot be keys of dicts.
    found = {tuple(map(step_identity, path)): path for path in paths}
    # Only prefixes of these lengths can be sensitive paths themselves.
    lengths = sorted({len(path) for path in paths})
    decoded = DecodedOnce()

    def text(identity: tuple[Hashable, ...], path: Path) -> str:
        # A sensitive container also hides the names of its members.
        prefixes = (length for length in lengths if length < len(path) and identity[:length] in found)
        return _text(path, next(prefixes, len(path)), obj.attributes, decoded)

    return tuple(sorted({text(identity, path) for identity, path in found.items()}))


def _text(path: Path, whole: int, value: Raw | None, decoded: DecodedOnce) -> str:
    """Format a path up to step number `whole`, if it is that long."""
    steps: list[str | int] = []
    for place, step in enumerate(path):
        key = step_key(step)
        if place == whole:
            return path_text(steps) + _ELEMENT
        if isinstance(step, GetAttr):
            steps.append(step.name)
            value = _member(value, step.name, decoded)
        elif isinstance(key, str) and (member := _member(value, key, decoded)) is not None:
            steps.append(key)
            value = member
        elif isinstance(key, int) and (element := _element(value, key, decoded)) is not None:
            steps.append(key)
            value = element
        else:
            return path_text(steps) + _ELEMENT
    return path_text(steps) or "all attributes"


def _member(value: Raw | None, name: str, decoded: DecodedOnce) -> Raw | None:
    if value is None or memoryview(value)[0] != ord("{"):
        return None
    return decoded.normal_members(value).get(nfc(name))


def _element(value: Raw | None, place: int, decoded: DecodedOnce) -> Raw | None:
    """Return the element at a position of a list; None for numbers, which may be a set that contains `place`."""
    if value is None or memoryview(value)[0] != ord("["):
        return None
    elements = decoded.list_elements(value)
    return elements[place] if elements is not None and 0 <= place < len(elements) else None


class Comparing(Struct, frozen=True):
    """How to compare values: `exact` compares numbers and strings as written, `schemas` determine which lists are sets.

    `show_sensitive` keeps sensitive parts. `pairing` pairs the blocks of all lists that a run compares.
    """

    show_sensitive: bool = False
    exact: bool = False
    schemas: ProviderSchemas | None = None
    pairing: BlockPairing = field(default_factory=BlockPairing)


def details(change: InstanceChange, member: MemberChange, how: Comparing) -> tuple[ValueChange, ...]:
    """Return the differences between both sides of a member; the whole if a side lacks it or is not decodable."""
    sides = change.old, change.new
    texts = member.old, member.new
    if member.name in _LISTS:
        return _list_changes(change, member)
    try:
        shown = [_shown(side, member, text, how.show_sensitive) for side, text in zip(sides, texts, strict=True)]
        old, new = shown
        if isinstance(old, NoValue) or isinstance(new, NoValue) or member.old is None or member.new is None:
            return (ValueChange((), old, new),)
        full = [_shown(side, member, text, True) for side, text in zip(sides, texts, strict=True)]
    except ValueError:
        return (_hidden(member.old, member.new),)
    before, now = full
    assert not isinstance(before, NoValue) and not isinstance(now, NoValue)
    of = None if how.schemas is None or member.name != "attributes" else _type(change, member.deposed, how.schemas)
    return value_changes(before, now, old, new, exact=how.exact, pairing=how.pairing, of=of)


def _type(change: InstanceChange, deposed: str, schemas: ProviderSchemas) -> Type | None:
    """Return the type of the attributes of both sides; None unless they have the provider's schema version."""
    of: Type | None = None
    for side in (change.old, change.new):
        if side is None or side.resource.provider_config is None:
            return None
        addr = side.resource.addr.resource
        schema = schemas.schema(side.resource.provider_config.provider, addr.mode, addr.type)
        if schema is None or side.object_of(deposed).schema_version != schema.version:
            return None
        of = schema.type
    return of


def output_details(change: OutputChange, how: Comparing) -> tuple[ValueChange, ...]:
    """Return the differences between the values of an output; empty if only its type or marks differ."""
    sides = change.old, change.new
    same = change.old is not None and change.new is not None and change.old.value == change.new.value
    if not how.show_sensitive and any(side is not None and side.sensitive for side in sides):
        return () if same else (_hidden(*sides),)
    try:
        shown = [_output_side(side, how.show_sensitive) for side in sides]
        full = [_output_side(side, True) for side in sides]
    except ValueError:
        return (_hidden(*sides),)
    (old, new), (before, now) = shown, full
    if isinstance(old, NoValue) or isinstance(new, NoValue) or isinstance(before, NoValue) or isinstance(now, NoValue):
        return (ValueChange((), old, new),)
    return () if same else value_changes(before, now, old, new, exact=how.exact, pairing=how.pairing)


def _output_side(output: OutputValue | None, show_sensitive: bool) -> JSONValue | NoValue:
    return ABSENT if output is None else decoded(output_value(output, show_sensitive=show_sensitive))


def _hidden(old: object, new: object) -> ValueChange:
    """Return a change without values; a side that is None is ABSENT."""
    return ValueChange((), ABSENT if old is None else HIDDEN, ABSENT if new is None else HIDDEN)


def _list_changes(change: InstanceChange, member: MemberChange) -> tuple[ValueChange, ...]:
    """Return the addresses or paths that exist on only one side; empty if only their order or number differs."""
    old, new = (
        () if side is None else _LISTS[member.name](side.object_of(member.deposed)) for side in (change.old, change.new)
    )
    had, has = set(old), set(new)
    removed = [ValueChange((), text, ABSENT, True) for text in old if text not in has]
    return (*removed, *(ValueChange((), ABSENT, text, True) for text in new if text not in had))


def _addresses(addrs: Sequence[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, addrs)))


_LISTS: Final[Mapping[str, Callable[[ResourceInstanceObject], tuple[str, ...]]]] = {
    "dependencies": lambda obj: _addresses(obj.dependencies),
    "depends_on": lambda obj: _addresses(obj.depends_on),
    "sensitive_attributes": mark_texts,
}


def _shown(
    side: InstanceState | None, member: MemberChange, text: bytes | None, show_sensitive: bool
) -> JSONValue | NoValue:
    """Return the displayable value of a member on one side. Raises ValueError if it is nested too deeply."""
    if text is None or side is None:
        return ABSENT
    obj = side.object_of(member.deposed)
    if member.name in ("attributes", "attributes_flat"):
        return decoded(attributes_value(obj, side.resource.addr.resource.type, show_sensitive=show_sensitive))
    if member.name == "identity":
        return decoded(identity_value(obj, side.resource.addr.resource.type, show_sensitive=show_sensitive))
    if member.name == "private" and not show_sensitive:
        return HIDDEN
    # A member that is unknown to statetool may be sensitive.
    if not show_sensitive and any(unknown.name == member.name for unknown in obj.unknown):
        return HIDDEN
    return decoded(Raw(text))


class NoValue:
    """The type of ABSENT."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = NoValue()


class ValueChange(Struct, frozen=True):
    """A place where two values differ; `old` or `new` is ABSENT if only the other side has a value.

    `path` has the names and positions of the place, with a Crossing at each step into a string that contains JSON. A
    position refers to the old list, or to the new one if only that has the element. With `is_element`, the two values
    are elements of the set at `path`.

    Two fields describe changes of a list without values. `order` is its new order: for each element, its position in
    the old list, or None if it was added. With `by_position`, its blocks were compared by position, because the run
    had too many to pair all by content.
    """

    path: tuple[str | int | Crossing, ...]
    old: JSONValue | NoValue
    new: JSONValue | NoValue
    is_element: bool = False
    order: Order | None = None
    by_position: bool = False

    @property
    def hidden(self) -> bool:
        """Whether a side is sensitive, so that neither can be shown."""
        return isinstance(self.old, Hidden) or isinstance(self.new, Hidden)


def value_changes(
    old: JSONValue,
    new: JSONValue,
    shown_old: JSONValue,
    shown_new: JSONValue,
    *,
    exact: bool,
    pairing: BlockPairing | None = None,
    of: Type | None = None,
) -> tuple[ValueChange, ...]:
    """Return the differences between `old` and `new`.

    Numbers are compared by value and strings that contain JSON as JSON; with `exact`, both are compared as written.
    Blocks in lists are compared with blocks of similar content. If no inner difference is found (repeated members),
    the values differ as a whole.

    Args:
        old: The old value.
        new: The new value.
        shown_old: The old value with HIDDEN for sensitive parts.
        shown_new: The new value with HIDDEN for sensitive parts.
        exact: Compare numbers and strings as written.
        pairing: Pairs the blocks of all lists that a run compares, up to its limit.
        of: The type of both values, if a schema gives it: sets have no order.
    """
    whole = _hidden_alike(shown_old, shown_new)
    try:
        different = places(plain(old, exact=exact), plain(new, exact=exact), pairing, of)
        found = tuple(_found(different, old, new, shown_old, shown_new))
    except (RecursionError, LookupError):
        # Nested too deeply, or with another structure around a hidden part.
        found = ()
    return _merged(found) or (ValueChange((), *whole),)


def _found(
    different: Iterable[ValuePlace], old: JSONValue, new: JSONValue, shown_old: JSONValue, shown_new: JSONValue
) -> Iterator[ValueChange]:
    parts = _Parts()
    for place in different:
        steps, new_steps = place.steps, place.new_steps or place.steps
        inside = place.order is None
        depth = min(
            parts.hidden_at(shown_old, steps, inside=inside), parts.hidden_at(shown_new, new_steps, inside=inside)
        )
        if depth < len(steps) or (depth == len(steps) and (place.element is not None or place.order)):
            # Parts of a hidden value are hidden, too. Both sides have the value, or it would differ as a whole.
            yield ValueChange(parts.path(old, steps[:depth], steps), HIDDEN, HIDDEN)
            continue
        path = parts.path(old, steps, steps) if place.on_old else parts.path(new, new_steps, steps)
        if place.order is not None or place.by_position:
            yield ValueChange(path, ABSENT, ABSENT, order=place.order, by_position=place.by_position)
        elif place.element is not None:
            element = place.element
            yield ValueChange(path, element if place.on_old else ABSENT, element if place.on_new else ABSENT, True)
        else:
            before = parts.at(shown_old, steps) if place.on_old else ABSENT
            now = parts.at(shown_new, new_steps) if place.on_new else ABSENT
            yield ValueChange(path, *_hidden_alike(before, now))


class _Parts:
    """Follows steps into values. Decodes each value once, as it may have many changes."""

    def __init__(self) -> None:
        # By the id() of values, which are kept alive so that no other value gets the same id().
        self._inside: dict[int, tuple[JSONValue, JSONValue]] = {}
        self._named: dict[int, tuple[JSONValue, Mapping[str, JSONValue]]] = {}
        self._with_hidden: dict[int, tuple[JSONValue, bool]] = {}

    def hidden_at(self, value: JSONValue, steps: Sequence[str | int], *, inside: bool) -> int:
        """Return the number of steps to a hidden value; more than all steps if none is hidden.

        A list with a hidden element counts as hidden: if it is a set, the element has no position in it. With
        `inside`, so does a list with an element that has a hidden part: the whole element would be shown.
        """
        for depth, step in enumerate(steps):
            if isinstance(value, Hidden):
                return depth
            value = self._crossed(value)
            if isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                value = self._members(value).get(str(step))
        if inside:
            return len(steps) if self._holds_hidden(value) else len(steps) + 1
        elements = value if isinstance(value, list) else [value]
        return len(steps) if any(isinstance(item, Hidden) for item in elements) else len(steps) + 1

    def at(self, value: JSONValue, steps: Sequence[str | int]) -> JSONValue:
        """Return the part at the end of the steps. Raises LookupError."""
        for step in steps:
            value = self._next(self._crossed(value), step)
        return value

    def path(
        self, value: JSONValue, steps: Sequence[str | int], named: Sequence[str | int]
    ) -> tuple[str | int | Crossing, ...]:
        """Return the steps in `named`, with a Crossing where `steps` lead into a string that contains JSON.

        Raises LookupError.
        """
        path: list[str | int | Crossing] = []
        for step, name in zip(steps, named, strict=False):
            if isinstance(value, str):
                path.append(Crossing())
                value = self._crossed(value)
            path.append(name)
            value = self._next(value, step)
        return tuple(path)

    def _next(self, value: JSONValue, step: str | int) -> JSONValue:
        return value[step] if isinstance(value, list) and isinstance(step, int) else self._members(value)[str(step)]

    def _crossed(self, value: JSONValue) -> JSONValue:
        if not isinstance(value, str):
            return Crossing.inside(value)
        if id(value) not in self._inside:
            self._inside[id(value)] = value, Crossing.inside(value)
        return self._inside[id(value)][1]

    def _members(self, value: JSONValue) -> Mapping[str, JSONValue]:
        if not isinstance(value, Members):
            return {}
        if id(value) not in self._named:
            self._named[id(value)] = value, dict(value)
        return self._named[id(value)][1]

    def _holds_hidden(self, value: JSONValue) -> bool:
        if not isinstance(value, list):
            return isinstance(value, Hidden)
        if id(value) not in self._with_hidden:
            self._with_hidden[id(value)] = value, contains_hidden(value)
        return self._with_hidden[id(value)][1]


def _hidden_alike(
    old: JSONValue | NoValue, new: JSONValue | NoValue
) -> tuple[JSONValue | NoValue, JSONValue | NoValue]:
    """Hide both sides if either is hidden: the other must not reveal a value that is sensitive on one side."""
    if any(isinstance(side, Hidden) for side in (old, new)):
        return (old if old is ABSENT else HIDDEN), (new if new is ABSENT else HIDDEN)
    return old, new


def _merged(changes: Sequence[ValueChange]) -> tuple[ValueChange, ...]:
    """Return the changes by path, with one change for each place that is hidden as a whole."""
    seen: dict[object, ValueChange] = {}
    for change in changes:
        what = change.is_element, change.order, change.by_position
        seen.setdefault((change.path, what, repr(change.old), repr(change.new)), change)
    return tuple(sorted(seen.values(), key=_order))


def _order(change: ValueChange) -> tuple[object, ...]:
    """Return the sort key: by path; among the elements of a set, removed ones first, then by value."""
    return [_step_order(step) for step in change.path], change.old is ABSENT, repr(change.old), repr(change.new)


def _step_order(step: str | int | Crossing) -> tuple[int, int, str]:
    return (0, step, "") if isinstance(step, int) else (1, 0, str(step))
