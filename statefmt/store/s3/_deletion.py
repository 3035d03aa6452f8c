"""Deletes an object only if it is still the one that was read."""

from __future__ import annotations

from statefmt.model.errors import ChangedError
from statefmt.store.s3._errors import RefusedRequestError
from statefmt.store.s3._objects import Objects
from statefmt.store.s3._version import ReadVersion


def delete_unchanged(objects: Objects, key: str, version: ReadVersion, url: str) -> None:
    """Delete an object that has this version. Raises ChangedError, UnknownOutcomeError and StoreError.

    Servers without conditional deletion either ignore the condition, or refuse it: then the object is read again, and
    deleted if it is the same.
    """
    try:
        objects.delete(key, version.etag)
        return
    except RefusedRequestError as error:
        if not (error.is_condition or error.is_unsupported or error.is_missing):
            raise
    found = objects.read(key)
    if found is None or found.version != version:
        raise ChangedError(f"{url}: it has changed since it was read; nothing was deleted", version.etag)
    objects.delete(key)
