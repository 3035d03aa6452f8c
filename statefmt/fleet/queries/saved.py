"""Finds the saved queries: `.sql` files that begin with a title and an explanation in comments."""

from __future__ import annotations

from importlib.resources import files
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from statefmt.fleet.errors import FleetError
from statefmt.store.files import read_bounded
from statefmt.store.reading import reason_of

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_SUFFIX: Final = ".sql"
# In bytes.
_LARGEST: Final = 1 << 20


class SavedQuery(Struct, frozen=True):
    """A saved query: its name, the first line of its comment, the other lines, and its SQL with the comment."""

    name: str
    title: str
    explanation: str
    sql: str


def saved_queries(folder: Path | None = None) -> dict[str, SavedQuery]:
    """Return the queries of statetool and those of a folder by name, sorted; the latter win. Raises FleetError."""
    found = dict(_in_folder(files("statefmt.fleet.queries").joinpath("sql")))
    if folder is not None:
        try:
            found.update(_in_folder(folder))
        except OSError as error:
            raise FleetError(f"{error.filename or folder}: {reason_of(error)}") from error
    return dict(sorted(found.items()))


def saved_query(name: str, folder: Path | None = None) -> SavedQuery:
    """Return a saved query by its name. Raises FleetError if it does not exist."""
    found = saved_queries(folder)
    if name not in found:
        raise FleetError(f"there is no saved query {name!r}; there are: {', '.join(found)}")
    return found[name]


def _in_folder(folder: Traversable | Path) -> list[tuple[str, SavedQuery]]:
    return [
        (name, _parsed(name, _text(entry)))
        for entry in folder.iterdir()
        if entry.name.endswith(_SUFFIX) and (name := entry.name.removesuffix(_SUFFIX))
    ]


def _text(entry: Traversable | Path) -> str:
    try:
        if isinstance(entry, Path):
            return read_bounded(entry, _LARGEST).decode("utf-8")
        return entry.read_text(encoding="utf-8")
    except OSError as error:
        raise FleetError(f"{entry}: {reason_of(error)}") from error
    except UnicodeDecodeError as error:
        raise FleetError(f"{entry}: it is not UTF-8") from error


def _parsed(name: str, sql: str) -> SavedQuery:
    comment = [line[2:].strip() for line in takewhile(lambda line: line.startswith("--"), sql.splitlines())]
    title, *explanation = comment or [name]
    return SavedQuery(name, title, " ".join(explanation).strip(), sql)
