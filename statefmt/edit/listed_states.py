"""Finds the states that a list of names stands for."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.context import RunContext
from statefmt.edit.session import state_name
from statefmt.model.errors import StoreError
from statefmt.store.backends import RemoteName
from statefmt.store.backends.options import allowed_paths
from statefmt.store.reading import is_folder


def listed_states(context: RunContext, names: Iterable[str], *, everything: bool = False) -> list[str]:
    """Return the states that names stand for, without duplicates and in the order given, to read them.

    A URL stands for one state, a folder for its state in a backend, if it has one, and for the files that
    `find_states` finds below it, as globs do. Raises StoreError as that does, and RemoteStateError if a folder has no
    files, and its backend is not supported.
    """
    from statefmt.store.reading import find_states

    found: dict[str, None] = {}
    for name in names:
        if "://" in name:
            found.update(dict.fromkeys(find_states([state_name(context, name, to_read=True)], everything=everything)))
        elif is_folder(name):
            found.update(dict.fromkeys(_of_folder(context, name, everything)))
        else:
            allowed = allowed_paths(context.backend, context.environment)
            found.update(dict.fromkeys(find_states([name], everything=everything, allowed=allowed)))
    return list(found)


def _of_folder(context: RunContext, folder: str, everything: bool) -> list[str]:
    from statefmt.store.reading import find_states

    problem: StoreError | None = None
    own = ""
    try:
        own = state_name(context, folder, to_read=True)
    except StoreError as error:
        problem = error
    is_remote = isinstance(own, RemoteName)
    try:
        allowed = allowed_paths(context.backend, context.environment)
        below = find_states([folder], everything=everything, allowed=allowed)
    except StoreError:
        if problem is not None:
            raise problem from None
        if not is_remote:
            raise
        below = []
    if problem is not None:
        context.note(f"{problem.on_command_line}; only the files below are used")
    return [own, *below] if is_remote else below
