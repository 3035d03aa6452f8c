"""Copies states between places: locks all, compares all, and only then writes, verifies and deletes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, structs

from statefmt.context import RunContext
from statefmt.edit.transfers.comparison import Comparison, TransferAction, compared
from statefmt.model.errors import StatetoolError, StoreError
from statefmt.store.durable import signals_held_back
from statefmt.store.local.journal import checksum
from statefmt.store.managed import LockedManagedStore, ManagedStore


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

    `timeout` is in seconds, for each lock. `agreed` is called once, under the locks, before anything is written.
    """

    operation: str
    command: str
    timeout: float = 0
    dry_run: bool = False
    delete_source: bool = False
    agreed: Callable[[Sequence[Transfer]], bool] = lambda _: True


_Locked: TypeAlias = Mapping[str, LockedManagedStore]


def transferred(context: RunContext, routes: Sequence[Route], terms: TransferTerms) -> tuple[Transfer, ...]:
    """Copy states byte for byte, with lineage and serial, and verify each by its hash.

    All places are locked, in the order of their names, and all are compared before the first is written. With
    `delete_source`, the sources are deleted at the end, and only in the version that was copied. If it fails on the
    way, running it again goes on: a target that has the same content is left as it is. Without agreement, or in a dry
    run, nothing is written. Raises StatetoolError, with all reasons if several states are refused.
    """
    _refuse_same_places(routes)
    if terms.dry_run:
        context.phase("reading")
        contents = {store.name: _content(store) for route in routes for store in (route.source, route.target)}
        return _compared(context, routes, contents)
    with _locked(context, routes, terms) as locked:
        transfers = _compared(context, routes, {name: one.stored.data for name, one in locked.items()})
        if not terms.agreed(transfers):
            return transfers
        return _carried_out(context, transfers, locked, terms)


def _content(store: ManagedStore) -> bytes:
    found = store.found()
    return b"" if found is None else found.data


@contextmanager
def _locked(context: RunContext, routes: Sequence[Route], terms: TransferTerms) -> Iterator[_Locked]:
    """Lock all places, in one order, so that two transfers never wait for each other."""
    context.phase("locking")
    sources = {route.source.name: route.source for route in routes}
    targets = {route.target.name: route.target for route in routes}
    locked: dict[str, LockedManagedStore] = {}
    with ExitStack() as stack:
        for name in sorted({*sources, *targets}):
            info = context.lock_info(Path(name), terms.operation, terms.command)
            # Only a target may have no state yet: a source is never created.
            opening = targets[name].locked_place if name in targets else sources[name].locked
            locked[name] = stack.enter_context(opening(info, terms.timeout))
        yield locked


def _compared(context: RunContext, routes: Sequence[Route], contents: Mapping[str, bytes]) -> tuple[Transfer, ...]:
    """Compare all states. Raises StatetoolError with the reasons of all that are refused."""
    context.phase("checking")
    transfers: list[Transfer] = []
    refused: list[StatetoolError] = []
    for route in routes:
        source, target = route.source.name, route.target.name
        content = contents[source]
        try:
            comparison = compared(context, (source, content), (target, contents[target]))
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


def _carried_out(
    context: RunContext, transfers: Sequence[Transfer], locked: _Locked, terms: TransferTerms
) -> tuple[Transfer, ...]:
    now = int(context.clock().timestamp())
    done: list[Transfer] = []
    for number, transfer in enumerate(transfers):
        context.phase("writing", number, len(transfers), "states")
        try:
            done.append(_written(transfer, locked, now))
        except StatetoolError as error:
            if len(transfers) == 1:
                raise
            raise StoreError(
                f"{error}. Of {len(transfers)} states, {number} are copied and verified; no source was deleted. Run "
                "the command again to go on"
            ) from error
    if terms.delete_source:
        for number, transfer in enumerate(done):
            source = locked[transfer.source]
            with signals_held_back():
                try:
                    kept = source.delete(source.stored.version, now=now)
                except StatetoolError as error:
                    raise StoreError(
                        f"{error}. All {len(done)} states are copied and verified; of the sources, {number} are deleted"
                    ) from error
                done[number] = structs.replace(transfer, is_deleted=True, kept=kept)
    return tuple(done)


def _written(transfer: Transfer, locked: _Locked, now: int) -> Transfer:
    """Write the target, if it has other content, and verify it."""
    content, target = locked[transfer.source].stored.data, locked[transfer.target]
    if transfer.comparison.action is TransferAction.NOTHING:
        return transfer
    with signals_held_back():
        backup = target.write([content], target.stored.version, backup=None, keeps_backup=True, now=now)
        if checksum(target.read_again()) != transfer.checksum:
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
