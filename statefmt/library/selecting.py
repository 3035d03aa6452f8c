"""Selects instances by selectors and filters, as strings or as typed addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

from statefmt._arguments import refuse_unknown
from statefmt.analysis.selection import select_in
from statefmt.analysis.selection.criteria import Criteria, Selector, selector_text
from statefmt.model.addrs import AbsProviderInstance, ConfigProviderConfig, Provider, ResourceMode
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import Snapshot

if TYPE_CHECKING:
    from statefmt.analysis.selection.criteria import Condition
    from statefmt.library.instance import Instance

_MOST_LISTED: Final = 10
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


def criteria(selectors: Iterable[Selector], filters: Filters, *more: str) -> Criteria:
    """Return the criteria of a selection; `more` are other keywords of the function that takes the filters.

    Raises TypeError for an unknown filter or one of another type, and SelectionError if a condition is invalid.
    """
    refuse_unknown("filter", filters, Filters.__annotations__, more)
    return Criteria(
        selectors=tuple(map(selector_text, selectors)),
        excluded=tuple(map(selector_text, _several(filters.get("exclude", ())))),
        types=_strings("type", filters.get("type", ())),
        modes=tuple(map(_mode, _several(filters.get("mode", ())))),
        providers=tuple(map(_provider_text, _several(filters.get("provider", ())))),
        ids=_strings("id", filters.get("id", ())),
        conditions=tuple(map(_condition, _strings("where", filters.get("where", ())))),
        tainted=_flag("tainted", filters.get("tainted", False)),
        deposed=_flag("deposed", filters.get("deposed", False)),
    )


class Selected(tuple["Instance", ...]):
    """The selected instances, as a tuple."""

    __slots__ = ()

    def one(self) -> Instance:
        """Return the only instance. Raises SelectionError if there is none, or if there are several."""
        if len(self) != 1:
            listed = "".join(f"\n  {instance}" for instance in self[:_MOST_LISTED])
            more = f"\n  … and {len(self) - _MOST_LISTED:,} more" if len(self) > _MOST_LISTED else ""
            raise SelectionError(
                f"one instance is wanted, and {len(self):,} are selected{':' if self else ''}{listed}{more}"
            )
        return self[0]


def selected(snapshot: Snapshot, chosen: Criteria, note: Callable[[str], None]) -> Selected:
    """Return the instances of a snapshot that meet the criteria, in the order of `tofu state list`."""
    # Imported late, for programs that read the snapshot alone.
    from statefmt.library.instance import Instance

    return Selected(map(Instance, select_in(snapshot, chosen, note)))


def _several(value: Any) -> tuple[Any, ...]:
    """Return one value or an iterable of values as a tuple."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else (value,)


def _strings(name: str, value: Any) -> tuple[str, ...]:
    values = _several(value)
    for one in values:
        if not isinstance(one, str):
            raise TypeError(f"{name}= must be a string or several, not {type(one).__name__}")
    return values


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name}= must be True or False, not {value!r}")
    return value


def _mode(value: object) -> ResourceMode:
    try:
        return ResourceMode(value)
    except ValueError:
        raise TypeError(f"mode= must be 'managed' or 'data', not {value!r}") from None


def _provider_text(value: object) -> str:
    if not isinstance(value, (str, Provider, ConfigProviderConfig, AbsProviderInstance)):
        raise TypeError(f"provider= must be a string or a provider, not {type(value).__name__}")
    return str(value)


def _condition(text: str) -> Condition:
    # Imported late: most selections have no condition.
    from statefmt.analysis.selection.condition import parse_condition

    return parse_condition(text)
