"""Turns errors of the operating system into messages that name the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.reading import reason_of


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn an OSError into a StoreError that names the file."""
    try:
        yield
    except FileExistsError as error:
        raise StoreError(f"{path}: the file already exists; name another file") from error
    except FileNotFoundError as error:
        raise StoreError(f"{path}: there is no such file or folder") from error
    except IsADirectoryError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    except PermissionError as error:
        raise StoreError(f"{path}: permission denied; nothing was written") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; nothing was written") from error


def check_platform() -> None:
    """Raise StoreError on Windows, where statetool does not write files."""
    if sys.platform == "win32":
        raise StoreError(
            "statetool does not write files on Windows, where it cannot lock a state as OpenTofu does. "
            "Write to standard output and put the file in place yourself."
        )
