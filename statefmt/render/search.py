"""Prints the matches of a search, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from statefmt.analysis.search import Match, NotSearched
from statefmt.golang import NumberText, quote
from statefmt.render.json_output import exact_document, fragment
from statefmt.render.terminal import Terminal
from statefmt.text import printable

# The minimum width of a truncated value, however long the address is.
_ROOM: Final = 40
_CUT: Final = "…"


def match_text(match: Match, terminal: Terminal, name: str = "", columns: int | None = None) -> str:
    """Render a match in one line, after the name of its file if given.

    With `columns`, a long value is truncated around the match, so that the line fits if possible. Addresses are never
    truncated.
    """
    deposed = f" (deposed object {printable(match.deposed)})" if match.deposed else ""
    path = f": {printable(_path(match))}" if _path(match) else ""
    lead = f"{address_text(match, name)}{deposed}{path} = "
    before, found, after = _parts(match, None if columns is None else max(_ROOM, columns - len(lead)))
    mark = "" if isinstance(match.value, (bool, NumberText)) else '"'
    return f"{lead}{mark}{before}{terminal.paint(found, 'red', 'bold') if found else ''}{after}{mark}"


def address_text(match: Match, name: str = "") -> str:
    """Return the address of the instance or output, after the name of its file if given."""
    where = f"output.{match.output}" if match.address is None else str(match.address)
    return (f"{name}: " if name else "") + printable(where)


def _path(match: Match) -> str:
    if match.inner_path is None:
        return match.path
    dot = "." if match.inner_path and not match.inner_path.startswith("[") else ""
    return f"jsondecode({match.path or 'value'}){dot}{match.inner_path}"


def _parts(match: Match, room: int | None) -> tuple[str, str, str]:
    """Return the text before the match, the match and the text after it, escaped and truncated to `room` columns."""
    text = str(match.value).lower() if isinstance(match.value, bool) else str(match.value)
    start, end = match.span
    if room is None:
        return _escaped(text[:start]), _escaped(text[start:end]), _escaped(text[end:])
    room -= 2
    if len(text) <= room and len(_escaped(text)) <= room:
        return _parts(match, None)
    found = _shortened(_escaped(text[start:end]), room)
    # At least a third of the room is for the text before the match, unless that is shorter.
    spare = room - len(found)
    after = _escaped(text[end : end + room])
    before = _escaped(text[max(0, start - room) : start])
    left = min(len(before), max(spare // 3, spare - len(after)))
    if left < len(before) or start > room:
        before = _CUT + before[max(0, len(before) - left + 1) :] if left else ""
    return before, found, _shortened(after + ("" if end + room >= len(text) else " "), spare - len(before))


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)] + _CUT


def _escaped(text: str) -> str:
    return quote(text)[1:-1]


class SearchedState(NamedTuple):
    """The matches in a state; `left_out` is None if sensitive values were searched, too."""

    name: str
    matches: list[Match]
    left_out: NotSearched | None


def search_json(states: Sequence[SearchedState], unreadable: Sequence[tuple[str, str]]) -> bytes:
    """Render the matches, with numbers as written (schema: `grep-output.schema.json`).

    `unreadable` has the names of states that could not be searched in full, each with the reason.
    """
    return exact_document(
        states=[_state(one) for one in states],
        unreadable=[{"path": name, "message": message} for name, message in unreadable],
    )


def _state(searched: SearchedState) -> dict[str, object]:
    left_out = searched.left_out or NotSearched(0, 0)
    return {
        "path": searched.name,
        "matches": [_match(match) for match in searched.matches],
        "not_searched": {"objects": left_out.objects, "outputs": left_out.outputs},
    }


def _match(match: Match) -> dict[str, object]:
    return {
        "address": None if match.address is None else str(match.address),
        "deposed_key": match.deposed or None,
        "output": match.output or None,
        "path": match.path,
        "inner_path": match.inner_path,
        "value": fragment(match.value),
    }
