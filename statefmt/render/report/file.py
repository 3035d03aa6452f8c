"""Writes a report to a file, and replaces nothing but an earlier report."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from statefmt.model.errors import StoreError
from statefmt.store.files import read_bounded
from statefmt.store.local.store import create_file, replace_file
from statefmt.store.reading import display_name

# How every report begins.
_START: Final = b'<!doctype html>\n<html lang="en" data-report="statetool">'
_MOST: Final = 1 << 30


def write_report(path: str, report: bytes) -> None:
    """Write a report to a new file with mode 0600, or in place of an earlier report, atomically. Raises StoreError.

    What the path names otherwise, such as a state, is never overwritten.
    """
    place = Path(path)
    if not place.is_file():
        create_file(place, report)
        return
    try:
        earlier = read_bounded(place, _MOST, links=False)
    except OSError as error:
        raise StoreError(f"{display_name(path)}: {error.strerror}; the report was not written") from error
    if not earlier.startswith(_START):
        raise StoreError(f"{display_name(path)}: the file exists and is not a report; name another file")
    replace_file(place, report)
