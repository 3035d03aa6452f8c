"""Models the criteria for selecting instances as users give them, and suggests the nearest names."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct

from statefmt.model.addrs import AbsResource, AbsResourceInstance, ModuleInstance, ResourceMode
from statefmt.text import has_wildcards


class Addressed(Protocol):
    """Something with the address of an instance, such as an Instance."""

    @property
    def address(self) -> AbsResourceInstance:
        """The absolute address."""


# A string is an address or a pattern; everything else is exactly one address.
Selector: TypeAlias = str | ModuleInstance | AbsResource | AbsResourceInstance | Addressed


class Condition(Struct, frozen=True):
    """A condition on the values at a path, as given and in its parts.

    `show_sensitive` compares hidden values, too; it is None if the caller cannot choose that.
    """

    text: str
    path: str
    operator: str
    value: str
    show_sensitive: bool | None = None


class Criteria(Struct, frozen=True):
    """Criteria that an instance must all meet; it meets one by matching any of its values.

    Of `conditions`, it must meet all. An empty criterion matches everything. `docs/selectors.md` describes the syntax;
    in short:

    - `selectors`: addresses of instances, resources and modules, and patterns of them
      (`statefmt.analysis.selection.addresses`);
    - `excluded`: selectors of instances to leave out;
    - `types`: resource types, or patterns of them: `aws_*`;
    - `modes`: managed or data;
    - `providers`: sources, configurations and instances of providers (`statefmt.analysis.selection.filters`);
    - `ids`: values of the attribute `id`, or patterns of them;
    - `conditions`: on the values of attributes (`statefmt.analysis.selection.filters`);
    - `tainted`: the current object is tainted; `deposed`: there are deposed objects.
    """

    selectors: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    modes: tuple[ResourceMode, ...] = ()
    providers: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    conditions: tuple[Condition, ...] = ()
    tainted: bool = False
    deposed: bool = False

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if isinstance(value, (str, bytes)):
                # A string is a sequence, too: each of its characters would be a criterion.
                raise TypeError(f"Criteria: {name} must be a tuple, not {value!r}; write ({value!r},)")

    def __str__(self) -> str:
        """The criteria in words, to follow "an instance that" or the like."""
        parts = [
            ("matches", self.selectors),
            ("is of type", self.types),
            ("is", tuple(mode.value for mode in self.modes)),
            ("is bound to", self.providers),
            ("has the id", self.ids),
        ]
        words = [f"{verb} {' or '.join(values)}" for verb, values in parts if values]
        words += [f"has {condition.text}" for condition in self.conditions]
        words += ["is tainted"] * self.tainted + ["has deposed objects"] * self.deposed
        words += ["is not excluded"] * bool(self.excluded)
        return " and ".join(words)


def criteria_of(chosen: Criteria | Selector | Iterable[Selector]) -> Criteria:
    """Return criteria as they are, or those of one selector or several. Raises TypeError for anything else."""
    if isinstance(chosen, Criteria):
        return chosen
    several: Iterable[Any] = (chosen,) if _is_selector(chosen) or not isinstance(chosen, Iterable) else chosen
    return Criteria(selectors=tuple(map(selector_text, several)))


def selector_text(selector: Selector) -> str:
    r"""Return the selector as a string. The wildcards in the keys of a typed address are escaped: `\*`.

    Raises TypeError for anything but a selector.
    """
    if isinstance(selector, str):
        return selector
    if not _is_selector(selector):
        raise TypeError(f"a selector must be a string, an address or an Instance, not {type(selector).__name__}")
    text = str(selector)
    return text.replace("*", r"\*").replace("?", r"\?") if has_wildcards(text) else text


def _is_selector(value: object) -> bool:
    if isinstance(value, (str, ModuleInstance, AbsResource, AbsResourceInstance)):
        return True
    return isinstance(getattr(value, "address", None), AbsResourceInstance)


_MOST: Final = 3
# difflib takes a tenth of a millisecond or more for each string, and a state has tens of thousands.
_COMPARED: Final = 300
_LENGTH: Final = 3
# If no name is near, list at most so many.
_LISTED: Final = 10


def nearest(text: str, known: Iterable[str]) -> list[str]:
    """Return the few strings most similar to `text`, best first; empty if none is similar."""
    # Imported late: nearly everything that is looked for is there.
    from difflib import get_close_matches
    from heapq import nlargest

    # Much longer strings cannot be similar, and comparing long keys takes much longer.
    candidates = {other for other in known if len(other) <= 3 * len(text) + 16}
    if len(candidates) > _COMPARED:
        wanted = _parts(text)
        candidates = set(nlargest(_COMPARED, candidates, key=lambda other: (len(wanted & _parts(other)), other)))
    return get_close_matches(text, sorted(candidates), n=_MOST)


def suggestion(text: str, known: Iterable[str]) -> str:
    """Return the end of a message that nothing matches `text`: the nearest names, one per line; "" without any."""
    near = nearest(text, known)
    return "; the nearest are:" + "".join(f"\n  {other}" for other in near) if near else ""


def did_you_mean(text: str, known: Collection[str]) -> str:
    """Return the end of a message that `text` is unknown: the nearest names, else those that exist; "" if none do."""
    near = nearest(text, known)
    if len(near) == 1:
        return f"; did you mean {near[0]}?"
    more = len(known) - _LISTED
    names = near or [*sorted(known)[:_LISTED], *([f"… and {more} more"] if more > 0 else [])]
    if not names:
        return "."
    return ("; did you mean one of these:" if near else "; there are:") + "".join(f"\n  {other}" for other in names)


def _parts(text: str) -> set[str]:
    """Return all runs of three characters: similar strings have many in common."""
    return {text[pos : pos + _LENGTH] for pos in range(max(1, len(text) - _LENGTH + 1))}
