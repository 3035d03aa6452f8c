"""Offers the choices of a provider that several defects share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from statefmt.edit.repairs.bindings import Rebound
from statefmt.edit.repairs.configured import configured
from statefmt.edit.repairs.defect import Choice
from statefmt.edit.repairs.loose_state import PROVIDER, LooseObject, LooseState
from statefmt.formats.writing.changes import JsonPath
from statefmt.model.addrs import AbsProviderInstance
from statefmt.model.errors import SurgeryError

# More would not help anybody to choose; any other can be named.
MOST_OFFERED: Final = 10
_CONFIG: Final = f"{PROVIDER}=config"


def chosen_provider(address: str, text: str, changes: Callable[[str], Rebound]) -> Choice:
    """Offer a provider by its address."""
    return Choice(f"{PROVIDER}={address}", text, lambda _: changes(address))


def named_provider(text: str, changes: Callable[[str], Rebound], *, alone: bool = False) -> Choice:
    """Let the user name a provider."""
    return Choice(PROVIDER, text, changes, "ADDRESS", alone)


def configured_provider(
    state: LooseState,
    resource: JsonPath,
    objects: Sequence[LooseObject],
    changes: Callable[[Mapping[JsonPath, AbsProviderInstance]], Rebound],
) -> Iterator[Choice]:
    """Offer the provider instances that the configuration gives to objects, if one was given."""
    if state.references is None:
        return
    try:
        # That of the first one shows what the configuration says of the resource; there may be thousands.
        first = next(iter(configured(state, resource, objects[:1]).values()))
        text = f"take it from the configuration: {first}" + (", for the first object" if len(objects) > 1 else "")
    except SurgeryError as error:
        text = f"take it from the configuration; not possible: {error}"
    yield Choice(_CONFIG, text, lambda _: changes(configured(state, resource, objects)))


def counted(number: int, of: int) -> str:
    """Return how many objects change: `2 of 5 objects`."""
    return f"{number} of {of} {'object' if of == 1 else 'objects'}"


def as_others(own: Iterable[object], of_type: Iterable[object], changes: Callable[[str], Rebound]) -> Iterator[Choice]:
    """Offer the providers of other objects of the resource; if there are none, those of resources of the type."""
    text = "as other objects of the resource"
    # There may be thousands, whose addresses are not worth the work.
    found = list(islice(own, MOST_OFFERED))
    if not found:
        found, text = list(islice(of_type, MOST_OFFERED)), "as other resources of the type"
    for bound in found:
        yield chosen_provider(str(bound), text, changes)
