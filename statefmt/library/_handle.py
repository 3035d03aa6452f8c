"""Holds what a `State` knows of its place: what was read, its store, and whether an edit is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from statefmt.context import RunContext
from statefmt.edit.session import LoadedState, loaded, repeated_members
from statefmt.library._located import located
from statefmt.model.errors import StoreError
from statefmt.store.reading import GIT, display_name

if TYPE_CHECKING:
    # Most programs only read.
    from statefmt.edit.pipeline import OpenedEdit, Terms
    from statefmt.formats.reading.inspect import ReadResult
    from statefmt.store.protocol import Store


class StateHandle:
    """A place of a state, what was read there last, and the edit that is open."""

    def __init__(self, context: RunContext, location: str) -> None:
        self.context = context
        self.location = location
        self._found: LoadedState | None = None
        self._is_edited = False

    @property
    def loaded(self) -> LoadedState:
        """What was read, now if nothing was before."""
        if self._found is None:
            self.reload()
        assert self._found is not None
        return self._found

    @cached_property
    def store(self) -> Store:
        """The store of the place."""
        if self.location.startswith(GIT):
            from statefmt.store.git_version import GitVersion

            return GitVersion(self.location, self.context.environment)
        from statefmt.edit.stores import store_at

        return store_at(self.context, self.location)

    def reload(self, like: ReadResult | None = None) -> None:
        """Read the state again; faster if most resources are the same in `like`.

        Raises StoreError, StateError or EncryptionError, and keeps what it had then.
        """
        self.refuse_nested()
        with located(self.location):
            # The context reports progress, and a program that only reads needs no store.
            self._found = loaded(self.context, self.location, self.context.read(self.location), like=like)
            if repeated := repeated_members(self._found):
                self.context.note(f"{display_name(self.location)}: {repeated}")

    @contextmanager
    def opened(self, terms: Terms, opening: Callable[[bytes], LoadedState] | None = None) -> Iterator[OpenedEdit]:
        """Open the state for an edit, and forget what was read if it was written or opened in another way."""
        from statefmt.edit.pipeline import opened_edit

        self.refuse_nested()
        self._is_edited = True
        try:
            with located(self.location), opened_edit(self.context, self.store, terms, opening=opening) as opened:
                # Nothing must read the file under the lock.
                self._found = opened.state
                yield opened
                if terms.in_place or opening is not None:
                    self._found = None
        finally:
            self._is_edited = False

    def refuse_nested(self) -> None:
        """Raise StoreError if an edit is open."""
        if self._is_edited:
            raise StoreError(f"{self.location}: an edit is open, and its lock would be lost; end it first")
