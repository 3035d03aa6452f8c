"""Lists the differences within one member of an instance object value by value, with secrets hidden."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Raw

from statefmt.analysis.diff._marks import mark_texts
from statefmt.analysis.diff._model import InstanceChange, MemberChange, OutputChange
from statefmt.analysis.diff.values import ABSENT, NoValue, ValueChange, value_changes
from statefmt.golang import JSONValue
from statefmt.model.instances import InstanceState
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction.hidden import HIDDEN
from statefmt.redaction.object_value import attributes_value, identity_value, output_value
from statefmt.redaction.partial import decoded

if TYPE_CHECKING:
    # Most comparisons have no schemas.
    from statefmt.lifecycle.schemas.providers import ProviderSchemas
    from statefmt.model.cty import Type
    from statefmt.pairing import BlockPairing


def details(
    change: InstanceChange,
    member: MemberChange,
    *,
    show_sensitive: bool,
    exact: bool,
    pairing: BlockPairing | None = None,
    schemas: ProviderSchemas | None = None,
) -> tuple[ValueChange, ...]:
    """Return where the two sides of a member differ; as a whole if a side lacks it or it cannot be decoded.

    `pairing` pairs the blocks of all lists that a run compares. `schemas` say which lists are sets.
    """
    sides = change.old, change.new
    texts = member.old, member.new
    if member.name in _LISTS:
        return _list_changes(change, member)
    try:
        shown = [_shown(side, member, text, show_sensitive) for side, text in zip(sides, texts, strict=True)]
        old, new = shown
        if isinstance(old, NoValue) or isinstance(new, NoValue) or member.old is None or member.new is None:
            return (ValueChange((), old, new),)
        full = [_shown(side, member, text, True) for side, text in zip(sides, texts, strict=True)]
    except ValueError:
        return (_hidden(member.old, member.new),)
    before, now = full
    assert not isinstance(before, NoValue) and not isinstance(now, NoValue)
    of = None if schemas is None or member.name != "attributes" else _type(change, member.deposed, schemas)
    return value_changes(before, now, old, new, exact=exact, pairing=pairing, of=of)


def _type(change: InstanceChange, deposed: str, schemas: ProviderSchemas) -> Type | None:
    """Return the type of the attributes of both sides; None if they are not of the provider's schema version."""
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


def output_details(
    change: OutputChange, *, show_sensitive: bool, exact: bool, pairing: BlockPairing | None = None
) -> tuple[ValueChange, ...]:
    """Return where the values of an output differ; empty if only its type or marks do."""
    sides = change.old, change.new
    same = change.old is not None and change.new is not None and change.old.value == change.new.value
    if not show_sensitive and any(side is not None and side.sensitive for side in sides):
        return () if same else (_hidden(*sides),)
    try:
        shown = [_output_side(side, show_sensitive) for side in sides]
        full = [_output_side(side, True) for side in sides]
    except ValueError:
        return (_hidden(*sides),)
    (old, new), (before, now) = shown, full
    if isinstance(old, NoValue) or isinstance(new, NoValue) or isinstance(before, NoValue) or isinstance(now, NoValue):
        return (ValueChange((), old, new),)
    return () if same else value_changes(before, now, old, new, exact=exact, pairing=pairing)


def _output_side(output: OutputValue | None, show_sensitive: bool) -> JSONValue | NoValue:
    return ABSENT if output is None else decoded(output_value(output, show_sensitive=show_sensitive))


def _hidden(old: object, new: object) -> ValueChange:
    """Return a change that shows no values; a side that is None is ABSENT."""
    return ValueChange((), ABSENT if old is None else HIDDEN, ABSENT if new is None else HIDDEN)


def _list_changes(change: InstanceChange, member: MemberChange) -> tuple[ValueChange, ...]:
    """Return the addresses or paths that only one side has; empty if only their order or number differs."""
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
    """Return the value of a member on one side as it may be shown. Raises ValueError if it is nested too deeply."""
    if text is None or side is None:
        return ABSENT
    obj = side.object_of(member.deposed)
    if member.name in ("attributes", "attributes_flat"):
        return decoded(attributes_value(obj, side.resource.addr.resource.type, show_sensitive=show_sensitive))
    if member.name == "identity":
        return decoded(identity_value(obj, side.resource.addr.resource.type, show_sensitive=show_sensitive))
    if member.name == "private" and not show_sensitive:
        return HIDDEN
    return _unknown_or_plain(obj, member.name, text, show_sensitive)


def _unknown_or_plain(obj: ResourceInstanceObject, name: str, text: bytes, show_sensitive: bool) -> JSONValue:
    """Return a member without provider values; a member unknown to statetool may be sensitive, so it is hidden."""
    if not show_sensitive and any(member.name == name for member in obj.unknown):
        return HIDDEN
    return decoded(Raw(text))
