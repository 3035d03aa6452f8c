"""The system's refusals, in words that name the file."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from statefmt.model.errors import StoreError
from statefmt.store.reading import reason_of


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn the system's errors into one that names the file."""
    try:
        yield
    except FileExistsError as error:
        raise StoreError(f"{path}: the file exists already") from error
    except FileNotFoundError as error:
        raise StoreError(f"{path}: there is no such file or folder") from error
    except IsADirectoryError as error:
        raise StoreError(f"{path}: {reason_of(error)}") from error
    except PermissionError as error:
        raise StoreError(f"{path}: permission denied; nothing was written") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror}; nothing was written") from error


def check_platform() -> None:
    """Raises StoreError on Windows, where nothing is written."""
    if sys.platform == "win32":
        raise StoreError(
            "statetool does not write files on Windows, where it cannot lock a state as OpenTofu does. "
            "Write to standard output and put the file in place yourself."
        )
