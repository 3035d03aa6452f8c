"""What a choice may change, by the documentation: the place of its defect and the consequences listed here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from statefmt.edit.repairs import MendedDefect
from tests.edit.repairs.json_spans import Part, parts_of
from tests.edit.repairs.unchanged import APPENDED, Path

# Choices that forget the part that has the defect.
_FORGET: Final = frozenset({"forget"})
# A joined block has the other members of all.
_KEY: Final = re.compile(r'\[(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\]')
_JOINED: Final = frozenset({"module", "mode", "type", "name", "each", "provider", "instances"})


def allowed(mended: MendedDefect, before: bytes) -> set[Path]:
    """The paths at or under which the choice for a defect may change something."""
    path = mended.defect.path
    found = {path}
    if mended.decided.choice.name in _FORGET:
        found.add(path[:-1])
    consequences = _BY_CODE.get(mended.defect.finding.code)
    if consequences is not None:
        found.update(consequences(mended, parts_of(before)))
    return found


def _duplicates(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The other objects with the same address and key, which one choice forgets."""
    path = mended.defect.path
    modules = top.under("modules")
    if modules is not None:
        # Formats 1 to 3: the same name in another entry for the module.
        yield from (("modules", str(number), *path[2:]) for number in range(len(modules.items)))
        yield from _renamed(mended, top)
    wanted = _identity(top.under(*path))
    yield from (one for one in _objects(mended, top) if _identity(top.under(*one)) == wanted)


def _providers(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The provider at both levels in all blocks of the resource."""
    yield from ((*block, "provider") for block in _blocks(mended, top))
    yield from ((*one, "provider") for one in _objects(mended, top))


def _merged(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The blocks of the resource, whose objects follow those of the first that has any."""
    blocks = _blocks(mended, top)
    base = next((one for one in blocks if top.under(*one, "instances", "0") is not None), blocks[0])
    yield from (block for block in blocks if block != base)
    yield (*base, "instances", APPENDED)
    for block in blocks:
        part = top.under(*block)
        yield from ((*base, item.name) for item in part.items if item.name not in _JOINED) if part else ()


def _whole(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The output, or the check result: what is in it is worthless alone."""
    yield mended.defect.path[:-1]


def _attribute_forms(mended: MendedDefect, top: Part) -> Iterator[Path]:
    for name in ("attributes", "attributes_flat"):
        yield (*mended.defect.path[:-1], name)


def _renamed(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """In formats 1 to 3, the name of the member is the address of the resource."""
    if mended.decided.choice.name == "rename":
        yield (*mended.defect.path[:-1], mended.decided.value)


def _dependencies(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The same dependency of all objects of the resource, with any instance key."""
    wanted = _without_keys(top.under(*mended.defect.path))
    for one in _objects(mended, top):
        for member in ("dependencies", "depends_on"):
            entries = top.under(*one, member)
            for number, entry in enumerate(entries.items if entries else ()):
                if _without_keys(entry) == wanted:
                    yield (*one, member, str(number))


def _keys(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The keys of all objects of the resource, or every object with the same key."""
    path = mended.defect.path[:4]
    for one in _objects(mended, top):
        yield (*one, "index_key")
        if mended.decided.choice.name == "forget" and _identity(top.under(*one))[0] == _identity(top.under(*path))[0]:
            yield one


def _identifiers(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The type and the name in all blocks of the resource, or all of them."""
    for block in _blocks(mended, top):
        yield from ((*block, "type"), (*block, "name"))
        if mended.decided.choice.name == "forget":
            yield block


def _repeated(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """All members of the objects on the way whose names are repeated."""
    path = mended.defect.path
    for parent in (path[:length] for length in range(len(path))):
        part = top.under(*parent)
        names = [item.name for item in part.items] if part and part.opening == b"{" else []
        lower = [name.lower() for name in names]
        yield from ((*parent, name) for name in names if lower.count(name.lower()) > 1)


_BY_CODE: Final[Mapping[str, Callable[[MendedDefect, Part], Iterator[Path]]]] = {
    "ADR002": _duplicates,
    "ADR005": _merged,
    "ADR006": _keys,
    "ADR009": _identifiers,
    "CHK001": _whole,
    "DEP002": _dependencies,
    "INS008": _attribute_forms,
    "OUT001": _whole,
    "OUT002": _whole,
    "STA004": _repeated,
    "STA005": _renamed,
    **dict.fromkeys(("PRV001", "PRV002", "PRV003", "PRV004", "PRV005", "PRV006"), _providers),
}


def _blocks(mended: MendedDefect, top: Part) -> list[Path]:
    """The paths of all blocks with the address of the one that has the defect."""
    blocks = top.under("resources")
    wanted = _head(top.under(*mended.defect.path[:2]))
    items = blocks.items if blocks else []
    return [("resources", str(number)) for number, one in enumerate(items) if _head(one) == wanted]


def _objects(mended: MendedDefect, top: Part) -> Iterator[Path]:
    """The paths of all objects of the resource that has the defect."""
    for block in _blocks(mended, top):
        instances = top.under(*block, "instances")
        for number in range(len(instances.items if instances else ())):
            yield (*block, "instances", str(number))


def _without_keys(part: Part | None) -> str:
    return _KEY.sub("", str(part.decoded())) if part else ""


def _head(block: Part | None) -> list[object]:
    return [_value(block, name) or "" for name in ("module", "mode", "type", "name")]


def _identity(one: Part | None) -> tuple[str, object]:
    key = one.under("index_key") if one else None
    # 1.0 is the key 1.
    text = key.raw.decode("utf-8", "replace") if key else "null"
    return text.removesuffix(".0"), _value(one, "deposed") or ""


def _value(part: Part | None, name: str) -> object:
    found = part.under(name) if part else None
    return None if found is None else found.decoded()
