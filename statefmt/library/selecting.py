"""Selects instances by selectors and filters, and presents each as Python values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict

from statefmt._lazy import refuse_unknown
from statefmt.analysis.selection import Criteria, Selector, select_in, selector_text
from statefmt.model.addrs import (
    AbsProviderInstance,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    ModuleInstance,
    ResourceMode,
)
from statefmt.model.addrs.provider import Provider
from statefmt.model.errors import SelectionError
from statefmt.model.snapshot import InstanceState, ObjectStatus, ResourceInstanceObject, Snapshot

if TYPE_CHECKING:
    from statefmt.analysis.selection import Condition
    from statefmt.library.values import Attributes, ResourceIdentity


_MOST_LISTED: Final = 10
# A string is a name, an address or a pattern; everything else is exactly one provider, configuration or instance.
ProviderSelector: TypeAlias = str | Provider | ConfigProviderConfig | AbsProviderInstance
# `managed` and `data` as in states.
ModeSelector: TypeAlias = Literal["managed", "data"] | ResourceMode


class Filters(TypedDict, total=False):
    """The filters of a selection. An instance must match all filters; any value of a filter is enough.

    `exclude`: selectors of instances to leave out. `type`: resource types or patterns of them (`aws_*`). `mode`:
    `managed` or `data`. `provider`: a provider, configuration or instance (`aws.by_region["eu"]`), or a pattern of
    these. `id`: values of the attribute `id`, or patterns of them. `where`: conditions on attributes
    (`tags.Owner=web`), all required; sensitive values are not compared. `tainted`: only tainted instances. `deposed`:
    only instances with deposed objects.
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
    return Selected(map(Instance, select_in(snapshot, chosen, note)))


def _several(value: Any) -> tuple[Any, ...]:
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
    from statefmt.analysis.selection.filters import parse_condition

    return parse_condition(text)


@dataclass(frozen=True, repr=False)
class Instance:
    """A resource instance in a state; `str()` is its address.

        for instance in state.select("module.net.**"):
            print(instance.address, instance.provider, instance.attributes["tags"]["Owner"])

    `provider`, `id`, `attributes` and `identity` describe the current object, else the first deposed object. `state` is
    the instance in the model.
    """

    state: InstanceState

    def __str__(self) -> str:
        return str(self.address)

    def __repr__(self) -> str:
        return f"<Instance {self.address}>"

    @property
    def address(self) -> AbsResourceInstance:
        """The absolute address: `module.app["eu"].aws_instance.web[0]`."""
        return self.state.addr

    @property
    def module(self) -> ModuleInstance:
        """The module instance that contains it; the root module has no steps."""
        return self.state.resource.addr.module

    @property
    def mode(self) -> ResourceMode:
        """Whether it is a managed or a data resource."""
        return self.state.resource.addr.resource.mode

    @property
    def type(self) -> str:
        """The resource type: `aws_instance`."""
        return self.state.resource.addr.resource.type

    @property
    def name(self) -> str:
        """The name of the resource: `web`."""
        return self.state.resource.addr.resource.name

    @property
    def key(self) -> InstanceKey:
        """The key from `count` or `for_each`; NO_KEY without one."""
        return self.state.key

    @property
    def provider(self) -> AbsProviderInstance | None:
        """The provider instance of the object; None if the state names no provider."""
        return self.state.provider(self._object)

    @property
    def id(self) -> str | None:
        """The attribute `id` as a string, even if it is sensitive; None if it has none."""
        # Imported late: the address alone needs no attributes.
        from statefmt.analysis.object_id import object_id

        return object_id(self._object)

    @cached_property
    def attributes(self) -> Attributes:
        """The attributes as Python values, decoded on first use. Sensitive values are `Sensitive`."""
        from statefmt.library.values import Attributes

        return Attributes(self._object, self.state.resource.addr.resource.type)

    @property
    def attributes_raw(self) -> bytes:
        """The attributes as the exact JSON text of the state."""
        return self.attributes.raw

    @cached_property
    def identity(self) -> ResourceIdentity:
        """The identity of the real object, decoded on first use; empty if the state has none."""
        from statefmt.library.values import ResourceIdentity

        return ResourceIdentity(self._object, self.state.resource.addr.resource.type)

    @property
    def identity_raw(self) -> bytes | None:
        """The identity as the exact JSON text of the state; None if it has none."""
        return self.identity.raw

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The paths of sensitive attributes, as `attributes.at()` takes them: `tags.Owner`, `ingress[0].port`."""
        return self.attributes.sensitive

    @property
    def status(self) -> Literal["ready", "tainted", "deposed"]:
        """`deposed` if there are only deposed objects, else the status of the current object."""
        current = self.state.current
        if current is None:
            return "deposed"
        return "tainted" if current.status is ObjectStatus.TAINTED else "ready"

    @property
    def current(self) -> ResourceInstanceObject | None:
        """The current object; None if only deposed objects are left."""
        return self.state.current

    @property
    def deposed(self) -> tuple[ResourceInstanceObject, ...]:
        """The deposed objects, in file order."""
        return self.state.deposed

    @property
    def _object(self) -> ResourceInstanceObject:
        return self.state.current_first[0]
