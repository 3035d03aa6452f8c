"""What a choice may change, by the documentation: the place of its defect and the consequences listed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from statefmt.edit.repairs.repair import Mended
from tests.edit.repairs.json_spans import Part, parts_of
from tests.edit.repairs.unchanged import APPENDED, Path

# Choices that forget the part that has the defect.
_FORGET: Final = frozenset({"forget"})
# A joined block has the other members of all.
_JOINED: Final = frozenset({"module", "mode", "type", "name", "each", "provider", "instances"})


def allowed(mended: Mended, before: bytes) -> set[Path]:
    """The paths at or under which the choice for a defect may change something."""
    path = mended.defect.path
    found = {path}
    if mended.decided.choice.name in _FORGET:
        found.add(path[:-1])
    consequences = _BY_CODE.get(mended.defect.finding.code)
    if consequences is not None:
        found.update(consequences(mended, parts_of(before)))
    return found


def _duplicates(mended: Mended, top: Part) -> Iterator[Path]:
    """The other objects with the same address and key, which one choice forgets."""
    path = mended.defect.path
    modules = top.under("modules")
    if modules is not None:
        # Formats 1 to 3: the same name in another entry for the module.
        yield from (("modules", str(number), *path[2:]) for number in range(len(modules.items)))
        yield from _renamed(mended, top)
    wanted = _identity(top.under(*path))
    for block in _blocks(mended, top):
        instances = top.under(*block, "instances")
        for number, one in enumerate(instances.items if instances else ()):
            if _identity(one) == wanted:
                yield (*block, "instances", str(number))


def _providers(mended: Mended, top: Part) -> Iterator[Path]:
    """The provider at both levels in all blocks of the resource."""
    for block in _blocks(mended, top):
        yield (*block, "provider")
        instances = top.under(*block, "instances")
        for number in range(len(instances.items if instances else ())):
            yield (*block, "instances", str(number), "provider")


def _merged(mended: Mended, top: Part) -> Iterator[Path]:
    """The blocks of the resource, whose objects follow those of the first that has any."""
    blocks = _blocks(mended, top)
    base = next((one for one in blocks if top.under(*one, "instances", "0") is not None), blocks[0])
    yield from (block for block in blocks if block != base)
    yield (*base, "instances", APPENDED)
    for block in blocks:
        part = top.under(*block)
        yield from ((*base, item.name) for item in part.items if item.name not in _JOINED) if part else ()


def _whole(mended: Mended, top: Part) -> Iterator[Path]:
    """The output, or the check result: what is in it is worthless alone."""
    yield mended.defect.path[:-1]


def _attribute_forms(mended: Mended, top: Part) -> Iterator[Path]:
    for name in ("attributes", "attributes_flat"):
        yield (*mended.defect.path[:-1], name)


def _renamed(mended: Mended, top: Part) -> Iterator[Path]:
    """In formats 1 to 3, the name of the member is the address of the resource."""
    if mended.decided.choice.name == "rename":
        yield (*mended.defect.path[:-1], mended.decided.value)


_BY_CODE: Final[Mapping[str, Callable[[Mended, Part], Iterator[Path]]]] = {
    "ADR002": _duplicates,
    "ADR005": _merged,
    "CHK001": _whole,
    "INS008": _attribute_forms,
    "OUT001": _whole,
    "OUT002": _whole,
    "STA005": _renamed,
    **dict.fromkeys(("PRV001", "PRV002", "PRV003", "PRV004", "PRV005", "PRV006"), _providers),
}


def _blocks(mended: Mended, top: Part) -> list[Path]:
    """The paths of all blocks with the address of the one that has the defect."""
    blocks = top.under("resources")
    wanted = _head(top.under(*mended.defect.path[:2]))
    items = blocks.items if blocks else []
    return [("resources", str(number)) for number, one in enumerate(items) if _head(one) == wanted]


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
