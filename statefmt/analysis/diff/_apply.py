"""Applies the result of a comparison to a snapshot."""

from __future__ import annotations

from msgspec import Raw
from msgspec.structs import replace

from statefmt.analysis.diff._model import EnvelopeChange, SnapshotDiff
from statefmt.golang import loads_exact
from statefmt.model.addrs import AbsResource
from statefmt.model.outputs import OutputValue
from statefmt.model.resources import ResourceState, UnknownMember
from statefmt.model.snapshot import Snapshot


def apply(snapshot: Snapshot, changes: SnapshotDiff) -> Snapshot:
    """Return the snapshot with all changes applied.

    The result of `diff(old, new, exact=True)` turns `old` into `new`, apart from the order of resources and outputs.
    """
    return replace(
        _with_envelope(snapshot, changes.envelope),
        outputs=_outputs(snapshot, changes),
        resources=_resources(snapshot, changes),
        check_results=changes.check_results.new if changes.check_results else snapshot.check_results,
    )


def _with_envelope(snapshot: Snapshot, changes: tuple[EnvelopeChange, ...]) -> Snapshot:
    unknown = {member.name: member for member in snapshot.unknown}
    for change in changes:
        if change.name == "version":
            # The format version belongs to the file, not to the snapshot.
            continue
        if change.is_known:
            value = loads_exact(change.new or b"null")
            text = value if isinstance(value, str) else ""
            snapshot = replace(snapshot, **{change.name: int(text) if change.name == "serial" else str(text)})
        else:
            unknown.pop(change.name, None)
            if change.new is not None:
                unknown[change.name] = UnknownMember(change.name, Raw(change.new), "")
    return replace(snapshot, unknown=tuple(unknown.values()))


def _outputs(snapshot: Snapshot, changes: SnapshotDiff) -> tuple[OutputValue, ...]:
    outputs = {output.name: output for output in snapshot.outputs}
    for change in changes.outputs:
        outputs.pop(change.name, None)
        if change.new is not None:
            outputs[change.name] = change.new
    return tuple(outputs.values())


def _resources(snapshot: Snapshot, changes: SnapshotDiff) -> tuple[ResourceState, ...]:
    resources = {resource.addr: resource for resource in snapshot.resources}
    emptied: set[AbsResource] = set()
    instances = (*changes.instances, *changes.followed)
    for change in instances:
        if change.old is not None:
            addr, key = change.old.resource.addr, change.old.addr.key
            left = tuple(obj for obj in resources[addr].objects if obj.key != key)
            resources[addr] = replace(resources[addr], objects=left)
            emptied.add(addr)
    for change in instances:
        if change.new is not None:
            target = change.new.resource
            objects = resources[target.addr].objects if target.addr in resources else ()
            resources[target.addr] = replace(target, objects=(*objects, *change.new.objects))
    for shell in changes.resources:
        if shell.new is not None:
            objects = resources[shell.new.addr].objects if shell.new.addr in resources else ()
            resources[shell.new.addr] = replace(shell.new, objects=objects)
        elif shell.old is not None:
            emptied.add(shell.old.addr)
    kept = {change.new.addr for change in changes.resources if change.new is not None}
    return tuple(
        resource for addr, resource in resources.items() if resource.objects or addr not in emptied or addr in kept
    )
