"""Copies states between places: locks them, compares all, and only then writes, verifies and deletes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, structs

from statefmt.context import RunContext
from statefmt.edit.transfers.comparison import Comparison, compared
from statefmt.model.errors import StatetoolError, StoreError
from statefmt.store.local.journal import checksum
from statefmt.store.protocol import LockedManagedStore, LockInfo, ManagedStore


class Route(Struct, frozen=True):
    """From where to where a state is copied; `workspace` is for messages, "" if there is only one."""

    source: ManagedStore
    target: ManagedStore
    workspace: str = ""


class Transfer(Struct, frozen=True):
    """The copy of one state: what it does, and what was done so far.

    `checksum` is the SHA-256 of the content, `size` its length in bytes. `backup` is where the replaced state of the
    target is kept, `kept` where the deleted source is; None if nowhere, or if that did not happen.
    """

    workspace: str
    source: str
    target: str
    comparison: Comparison
    checksum: str
    size: int
    is_written: bool = False
    is_deleted: bool = False
    backup: str | None = None
    kept: str | None = None


class TransferTerms(Struct, frozen=True):
    """The conditions of a transfer: what the locks and histories say, and whether the sources are deleted.

    `timeout` is in seconds, for each lock, None for no locks. `agreed` is called once, under the locks, before anything
    is written.
    """

    operation: str
    command: str
    timeout: float | None = 0
    dry_run: bool = False
    delete_source: bool = False
    agreed: Callable[[Sequence[Transfer]], bool] = lambda _: True


_Locked: TypeAlias = Mapping[str, LockedManagedStore]


def transferred(context: RunContext, routes: Sequence[Route], terms: TransferTerms) -> tuple[Transfer, ...]:
    """Copy states byte for byte, with lineage and serial, and verify each by its hash.

    All states there are get locked, in the order of their names, and all are compared before the first is written. A
    place without a state is locked while it is written, and must still have none: in PostgreSQL, only one state can be
    created at a time. With `delete_source`, the sources are deleted at the end, and only in the version that was
    copied. If it fails on the way, running it again goes on: a target that has the same content is left as it is.
    Without agreement, or in a dry run, nothing is written. Raises StatetoolError, with all reasons if several states
    are refused.
    """
    _refuse_same_places(routes)
    context.phase("reading")
    targets = {route.target.name: route.target.found() for route in routes}
    if terms.dry_run:
        sources = {route.source.name: route.source.found() for route in routes}
        return _compared(context, routes, {name: one.data for name, one in (sources | targets).items() if one})
    with ExitStack() as stack:
        context.phase("locking")
        stores = {route.source.name: route.source for route in routes}
        stores |= {route.target.name: route.target for route in routes if targets[route.target.name] is not None}
        locked: dict[str, LockedManagedStore] = {}
        for name in sorted(stores):
            locked[name] = stack.enter_context(stores[name].locked(*_lock(context, name, terms)))
        transfers = _compared(context, routes, {name: one.stored.data for name, one in locked.items()})
        if not terms.agreed(transfers):
            return transfers
        done = _copied(context, routes, transfers, locked, terms)
        return _deleted(context, done, locked) if terms.delete_source else done


def _lock(context: RunContext, name: str, terms: TransferTerms) -> tuple[LockInfo, float | None]:
    return context.lock_info(name, terms.operation, terms.command), terms.timeout


def _compared(context: RunContext, routes: Sequence[Route], contents: Mapping[str, bytes]) -> tuple[Transfer, ...]:
    """Compare all states. Raises StatetoolError with the reasons of all that are refused."""
    context.phase("checking")
    transfers: list[Transfer] = []
    refused: list[StatetoolError] = []
    for route in routes:
        source, target = route.source.name, route.target.name
        content = contents.get(source, b"")
        try:
            comparison = compared(context, (source, content), (target, contents.get(target, b"")))
        except StatetoolError as error:
            refused.append(error)
            continue
        transfers.append(Transfer(route.workspace, source, target, comparison, checksum(content), len(content)))
    if len(refused) > 1:
        reasons = "\n".join(str(error).replace("\n", " ") for error in refused)
        raise StoreError(f"{len(refused)} of {len(routes)} states cannot be copied:\n{reasons}") from refused[0]
    if refused:
        raise refused[0]
    return tuple(transfers)


def _copied(
    context: RunContext, routes: Sequence[Route], transfers: Sequence[Transfer], locked: _Locked, terms: TransferTerms
) -> tuple[Transfer, ...]:
    """Write and verify all targets. Raises StatetoolError that says how many are."""
    now = int(context.clock().timestamp())
    done: list[Transfer] = []
    for number, (one, transfer) in enumerate(zip(routes, transfers, strict=True)):
        context.phase("writing", number, len(transfers), "states")
        content, target = locked[one.source.name].stored.data, locked.get(one.target.name)
        try:
            if target is not None:
                done.append(_written(transfer, content, target, now))
                continue
            with one.target.locked_place(*_lock(context, one.target.name, terms)) as place:
                if place.stored.data not in (b"", content):
                    raise StoreError(f"{transfer.target}: there is a state by now; it was not replaced. Try again")
                done.append(_written(transfer, content, place, now))
        except StatetoolError as error:
            if len(transfers) == 1:
                raise
            raise StoreError(
                *error.parts,
                f". Of {len(transfers)} states, {number} are copied and verified; no source was deleted. Run the "
                "command again to go on",
            ) from error
    return tuple(done)


def _deleted(context: RunContext, transfers: Sequence[Transfer], locked: _Locked) -> tuple[Transfer, ...]:
    """Delete the sources in the version that was copied. Raises StatetoolError that says how many are deleted."""
    now = int(context.clock().timestamp())
    done: list[Transfer] = []
    for number, transfer in enumerate(transfers):
        source = locked[transfer.source]
        with source.undisturbed():
            try:
                kept = source.delete(source.stored.version, now=now)
            except StatetoolError as error:
                raise StoreError(
                    *error.parts,
                    f". All {len(transfers)} states are copied and verified; of the sources, {number} are deleted",
                ) from error
        done.append(structs.replace(transfer, is_deleted=True, kept=kept))
    return tuple(done)


def _written(transfer: Transfer, content: bytes, target: LockedManagedStore, now: int) -> Transfer:
    """Write a target, unless it has the content already, and verify it."""
    if target.stored.data == content:
        return transfer
    with target.undisturbed():
        backup = target.write([content], target.stored.version, backup=None, keeps_backup=True, now=now)
        if checksum(target.renewed().stored.data) != transfer.checksum:
            raise StoreError(
                f"{transfer.target}: what was written reads back as other bytes, so the copy cannot be trusted; the "
                "source is unchanged"
            )
    return structs.replace(transfer, is_written=True, backup=backup)


def _refuse_same_places(routes: Sequence[Route]) -> None:
    targets = [route.target.name for route in routes]
    for route in routes:
        source = route.source.name
        if any(source == target or _is_same_file(source, target) for target in targets):
            raise StoreError(f"{source}: this is both the source and the target")


def _is_same_file(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except (OSError, ValueError):
        return False
