"""Selects instances by selectors and filters, as strings or as typed addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from statefmt.analysis.selection import Criteria, select_in
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    ModuleInstance,
    Provider,
    ResourceMode,
)
from statefmt.model.snapshot import Snapshot
from statefmt.text.wildcards import has_wildcards

if TYPE_CHECKING:
    from statefmt.analysis.selection import Condition
    from statefmt.library.instance import Instance

# A string is an address or a pattern; everything else is exactly one address.
Selector: TypeAlias = "str | ModuleInstance | AbsResource | AbsResourceInstance | Instance"
# A string is a name, an address or a pattern; everything else is exactly one provider, configuration or instance.
ProviderSelector: TypeAlias = str | Provider | ConfigProviderConfig | AbsProviderInstance
# `managed` and `data` as in states.
ModeSelector: TypeAlias = Literal["managed", "data"] | ResourceMode


class Filters(TypedDict, total=False):
    """The filters of a selection. An instance must meet all of them, and meets one by matching any of its values.

    `exclude`: selectors of instances to leave out. `type`: resource types or patterns of them (`aws_*`). `mode`:
    `managed` or `data`. `provider`: a provider, configuration or instance (`aws.by_region["eu"]`), or a pattern of
    these. `id`: values of the attribute `id`, or patterns of them. `where`: conditions on attributes
    (`tags.Owner=web`), of which all must be met; sensitive values are not compared. `tainted`: only tainted instances.
    `deposed`: only instances with deposed objects.
    """

    exclude: Selector | Iterable[Selector]
    type: str | Iterable[str]
    mode: ModeSelector | Iterable[ModeSelector]
    provider: ProviderSelector | Iterable[ProviderSelector]
    id: str | Iterable[str]
    where: str | Iterable[str]
    tainted: bool
    deposed: bool


def selector_text(selector: Selector) -> str:
    r"""Return the selector as a string. The wildcards in the keys of a typed address are escaped: `\*`."""
    text = str(selector)
    if isinstance(selector, str) or not has_wildcards(text):
        return text
    return text.replace("*", r"\*").replace("?", r"\?")


def criteria(selectors: Iterable[Selector], filters: Filters) -> Criteria:
    """Return the criteria of a selection. Raises SelectionError if a condition is invalid."""
    return Criteria(
        selectors=tuple(map(selector_text, selectors)),
        excluded=tuple(map(selector_text, _several(filters.get("exclude", ())))),
        types=tuple(_several(filters.get("type", ()))),
        modes=tuple(map(ResourceMode, _several(filters.get("mode", ())))),
        providers=tuple(map(str, _several(filters.get("provider", ())))),
        ids=tuple(_several(filters.get("id", ()))),
        conditions=tuple(map(_condition, _several(filters.get("where", ())))),
        tainted=filters.get("tainted", False),
        deposed=filters.get("deposed", False),
    )


def selected(snapshot: Snapshot, chosen: Criteria, note: Callable[[str], None]) -> tuple[Instance, ...]:
    """Return the instances of a snapshot that meet the criteria, in the order of `tofu state list`."""
    # Imported late, for programs that read the snapshot alone.
    from statefmt.library.instance import Instance

    return tuple(map(Instance, select_in(snapshot, chosen, note)))


def _several(value: Any) -> tuple[Any, ...]:
    """Return one value or an iterable of values as a tuple."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def _condition(text: str) -> Condition:
    # Imported late: most selections have no condition.
    from statefmt.analysis.selection.condition import parse_condition

    return parse_condition(text)
