"""The criteria for selecting instances, as given by users."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from statefmt.model.addrs import AbsResource, AbsResourceInstance, ModuleInstance, ResourceMode
from statefmt.text.wildcards import has_wildcards


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

    - `selectors`: addresses of instances, resources and modules, and patterns of them (`_address.py`);
    - `excluded`: selectors of instances to leave out;
    - `types`: resource types, or patterns of them: `aws_*`;
    - `modes`: managed or data;
    - `providers`: sources, configurations and instances of providers (`statefmt.analysis.selection.provider`);
    - `ids`: values of the attribute `id`, or patterns of them;
    - `conditions`: on the values of attributes (`statefmt.analysis.selection.condition`);
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
