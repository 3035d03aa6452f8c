"""Lists the states of all sources, and decides which of them are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from statefmt.context import RunContext
from statefmt.fleet.errors import FleetError
from statefmt.fleet.index._database import KnownState
from statefmt.fleet.rows.extract import StateOrigin
from statefmt.fleet.rows.hashes import state_id_of
from statefmt.fleet.sources.found import SourceState, found_states
from statefmt.fleet.work.task import Task
from statefmt.model.errors import StoreError
from statefmt.store.reading import STANDARD_INPUT

# After how many states the listing says how far it is.
_REPORTED: Final = 1000


class FleetListing(NamedTuple):
    """What the sources have: the ids of their states with what tells different states of one id apart, those to read,
    and the sources that were listed to their end.

    `missing` has the reasons why others were not.
    """

    found: dict[str, str]
    due: list[Task]
    whole: set[str]
    missing: list[str]


def listed(context: RunContext, sources: Sequence[str], known: Mapping[str, KnownState], made: str) -> FleetListing:
    """List the sources. A state is due if it is not known by this version, or its rows depend on something else.

    `known` is what the index has, and `made` what its rows depend on beside their states. Raises FleetError for
    standard input.
    """
    listing = FleetListing({}, [], set(), [])
    for source in sources:
        if source == STANDARD_INPUT:
            raise FleetError("an index is not made of standard input: name files, folders or URLs")
        where = ""
        try:
            for state in found_states(context, source):
                where = state.source
                _add(listing, state, known, made)
                if len(listing.found) % _REPORTED == 0:
                    context.phase("listing", len(listing.found), unit="states")
        except StoreError as error:
            listing.missing.append(error.on_command_line)
        else:
            listing.whole.add(where)
    return listing


def _add(listing: FleetListing, state: SourceState, known: Mapping[str, KnownState], made: str) -> None:
    state_id = state_id_of(state.uri)
    if state_id in listing.found:
        # A region is no difference: a bucket has one.
        if _apart(listing.found[state_id]) != _apart(state.identity):
            listing.missing.append(
                f"{state.uri}: another state has the same location, at another endpoint or with another query; "
                "make an index of its own for it"
            )
        return
    listing.found[state_id] = state.identity
    if _is_due(state, known.get(state_id), made):
        origin = StateOrigin(state_id, state.uri, state.source, state.workspace, state.version, made)
        listing.due.append(Task(state.name, origin, state.size))


def _is_due(state: SourceState, known: KnownState | None, made: str) -> bool:
    if known is None or known.failed or known.made_by != made:
        return True
    return state.version is None or state.version != known.version


def _apart(identity: str) -> str:
    """Return what `StatePlace.identity` adds to the location."""
    return identity.partition("\n")[2]
