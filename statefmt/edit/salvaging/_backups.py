"""Opens the backups that fill a damaged state: those that are named, and those of folders as far as they fit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from statefmt.context import RunContext
from statefmt.edit.listed_states import listed_states
from statefmt.edit.salvaging.known_backups import KnownBackup, backup_content
from statefmt.edit.salvaging.result import Unused
from statefmt.edit.salvaging.source import opened_backup, read_anything
from statefmt.formats.salvage.fill import Backup
from statefmt.model.errors import EncryptionError, StateError, StatetoolError, StoreError
from statefmt.sealed import Seal
from statefmt.store.reading import GIT, display_name


class OpenedBackup(NamedTuple):
    """A backup that can be used, its seal if it is encrypted, and its name."""

    backup: Backup
    seal: Seal | None
    name: str


def named_backups(
    context: RunContext, state: str, names: Sequence[str], lineage: str | None, unused: list[Unused]
) -> Iterator[OpenedBackup]:
    """Yield the backups of a state with given names; add those of folders and globs that do not fit to `unused`.

    Raises StoreError, StateError or EncryptionError if one that is named itself cannot be used.
    """
    for given in names:
        found = [given] if given.startswith(GIT) else listed_states(context, [given], everything=True)
        if given == state or (found == [given] and is_one_file(given, state)):
            raise StoreError(f"{display_name(given)}: this is the damaged state itself, not a backup of it")
        if len(found) == 1 and not os.path.isdir(given):  # noqa: PTH112 - a name may be a URL
            content = read_anything(context, found[0])
            yield OpenedBackup(*opened_backup(context, found[0], content, may_be_damaged=True), found[0])
            continue
        others = [(one, partial(read_anything, context, one)) for one in found if not is_one_file(one, state)]
        yield from _fitting(context, others, lineage, unused)


def fitting_backups(
    context: RunContext, state: str, known: Sequence[KnownBackup], lineage: str | None, unused: list[Unused]
) -> Iterator[OpenedBackup]:
    """Yield the known backups of a state that can be used; add the others to `unused`."""
    contents = [(one.name, partial(backup_content, context, state, one)) for one in known]
    yield from _fitting(context, contents, lineage, unused)


def is_one_file(one: str, other: str) -> bool:
    """Return whether two names lead to one file: by another spelling, a symbolic link or a hard link."""
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - names may be URLs
    except OSError:
        return False


def _fitting(
    context: RunContext, contents: Iterable[tuple[str, Callable[[], bytes]]], lineage: str | None, unused: list[Unused]
) -> Iterator[OpenedBackup]:
    for name, content in contents:
        try:
            backup, seal = opened_backup(context, name, content())
        except (StoreError, StateError, EncryptionError) as error:
            unused.append(Unused(name, _reason(error, name)))
            continue
        theirs = backup.document.envelope.lineage
        if lineage and theirs != lineage:
            unused.append(Unused(name, f"it has another lineage, {theirs or 'none'}"))
        else:
            yield OpenedBackup(backup, seal, name)


def _reason(error: StatetoolError, name: str) -> str:
    if isinstance(error, StateError) and error.reasons:
        return error.reasons[0].detail or error.reasons[0].summary
    return error.on_command_line.removeprefix(f"{name}: ")
