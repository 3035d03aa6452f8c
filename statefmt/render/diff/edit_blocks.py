"""Prints an edit as configuration: the blocks that do the same, and comments on what no block does.

Source: the releases that read each block first, from their changelogs: `moved` Terraform 1.1, `import` Terraform 1.5,
`removed` Terraform 1.7 and OpenTofu 1.7, its `lifecycle` OpenTofu 1.10.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from msgspec import structs

from statefmt.analysis.diff.model import InstanceChange, Movable, SnapshotDiff
from statefmt.formats.providers import engine_of
from statefmt.model.addrs import AbsResource, ModuleInstance
from statefmt.model.snapshot import ObjectStatus, Snapshot
from statefmt.render.diff.statements import statements
from statefmt.render.printable import printable

_FIRST: Final = {"moved": (1, 1), "import": (1, 5), "removed": (1, 7)}
# So many lines are in each list.
_MOST: Final = 20


class EditBlocks(NamedTuple):
    """The blocks of an edit; `left` comments of changes that no block makes, and `warnings` about releases."""

    blocks: tuple[str, ...]
    left: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def text(self) -> str:
        """The blocks and comments, ready to paste into the root module."""
        return "\n".join((*self.blocks, *self.left))


def edit_blocks(changes: SnapshotDiff, new: Snapshot, *, show_sensitive: bool) -> EditBlocks:
    """Return the blocks for the changes that an edit makes; `new` is the whole snapshot after it."""
    version = _minor(new.terraform_version)
    gone = (change.old.resource for change in changes.removed if change.old is not None)
    configs = (resource.provider_config for resource in (*new.resources, *gone))
    engine = engine_of(config.provider.hostname for config in configs if config is not None)
    lifecycle = not (engine == "OpenTofu" and (1, 7) <= version < (1, 10))
    found = tuple(statements(changes, new, show_sensitive=show_sensitive, lifecycle=lifecycle))
    blocks = tuple(text for text in found if not text.startswith("#"))
    comments = tuple(text for text in found if text.startswith("#"))
    kinds = {text.partition(" ")[0] for text in blocks}
    warnings = [
        f"{kind} blocks need release {first[0]}.{first[1]} or later, but {new.terraform_version} wrote the state"
        for kind, first in _FIRST.items()
        if kind in kinds and (0, 0) < version < first
    ]
    if "removed" in kinds and engine is None and (1, 7) <= version < (1, 10):
        warnings.append("OpenTofu 1.7 to 1.9 reads removed blocks without lifecycle: leave it out there")
    return EditBlocks(blocks, (*comments, *_beyond(changes)), tuple(warnings))


def apart_by_type(changes: SnapshotDiff) -> SnapshotDiff | None:
    """Return the changes with objects that got another resource type removed and added; None if there are none.

    A `moved` block from one type to another needs a provider that supports it. An import does not.
    """
    retyped = [one for one in changes.moved if one.old is not None and _type(one.old.addr) != _type(one.addr)]
    if not retyped:
        return None
    apart = [
        side for one in retyped for side in (structs.replace(one, new=None), structs.replace(one, old=None, members=()))
    ]
    return structs.replace(
        changes,
        instances=(*(one for one in changes.instances if one not in retyped), *apart),
        moves=tuple(one for one in changes.moves if _type(one.old) == _type(one.new)),
    )


def _type(place: Movable) -> str:
    if isinstance(place, ModuleInstance):
        return ""
    return place.resource.type if isinstance(place, AbsResource) else place.resource.resource.type


def _beyond(changes: SnapshotDiff) -> Iterator[str]:
    """Yield a comment for each kind of change that no block makes."""
    yield from _listed("no block changes the provider; change it in the configuration, and plan", _rebound(changes))
    tainted = [one for one in changes.changed if _has(one, "status") and _status(one) is ObjectStatus.TAINTED]
    yield from _listed("no block taints; plan with -replace=ADDRESS instead", _addresses(tainted))
    untainted = [one for one in changes.changed if _has(one, "status") and _status(one) is ObjectStatus.READY]
    yield from _listed("no block removes a taint", _addresses(untainted))
    deposed = [one for one in changes.changed if one.objects]
    yield from _listed("no block forgets deposed objects", _addresses(deposed))
    values = [one for one in changes.changed if _has(one, "attributes", "attributes_flat", "sensitive_attributes")]
    yield from _listed("no block sets attributes", _addresses(values))
    bare = [one for one in changes.added if one.new is not None and _loses(one)]
    yield from _listed("an import does not bring a taint or deposed objects along", _addresses(bare))
    outputs = [f"output.{printable(change.name)}" for change in changes.outputs]
    yield from _listed("no block changes an output; an apply computes it", outputs)


def _listed(reason: str, places: Sequence[str]) -> Iterator[str]:
    if places:
        more = [f"#   and {len(places) - _MOST:,} more\n"] if len(places) > _MOST else []
        yield "".join([f"# Not as blocks: {reason}\n", *(f"#   {place}\n" for place in places[:_MOST]), *more])


def _rebound(changes: SnapshotDiff) -> list[str]:
    return [f"{printable(str(one.addr))}: {one.rebound[1]}" for one in changes.rebound if one.rebound is not None]


def _addresses(changes: Iterable[InstanceChange]) -> list[str]:
    return [printable(str(change.addr)) for change in changes]


def _has(change: InstanceChange, *names: str) -> bool:
    return any(member.name in names for member in change.members)


def _status(change: InstanceChange) -> ObjectStatus | None:
    current = None if change.new is None else change.new.current
    return None if current is None else current.status


def _loses(change: InstanceChange) -> bool:
    after = change.new
    if after is None:
        return False
    current = after.current
    return bool(after.deposed) or (current is not None and current.status is ObjectStatus.TAINTED)


def _minor(version: str) -> tuple[int, int]:
    """Return the first two numbers of a version; (0, 0) if it is missing."""
    parts = version.split(".")
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and parts[0].isdigit() and parts[1].isdigit() else (0, 0)
