"""Says in errors which state they are about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from statefmt.edit.session import StateFileError
from statefmt.model.errors import StateError, StatetoolError


@contextmanager
def located(location: str | None) -> Iterator[None]:
    """Set the location of every error that passes, unless it has one.

    A StateFileError is replaced by the error of a specific kind behind it, such as EncryptedStateError, which keeps its
    name.
    """
    try:
        yield
    except StateFileError as error:
        cause = error.__cause__ if isinstance(error.__cause__, StateError) else error
        cause.name, cause.location = error.name, cause.location or location
        raise cause from None
    except StatetoolError as error:
        error.location = error.location or location
        raise
