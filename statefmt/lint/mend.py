"""Defines how a rule's findings are mended by `check --fix`."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from statefmt.formats.providers.sources import KEEP, SourceChoice
from statefmt.model.findings import Finding
from statefmt.model.resources import ResourceInstanceObject, ResourceState
from statefmt.model.snapshot import Snapshot


class Mending(Struct, frozen=True):
    """What a mend works on: a state, and the addresses of the resources with findings of the rule.

    `sources` has the sources that the configuration gives to providers known by their type only.
    """

    snapshot: Snapshot
    addresses: frozenset[str] = frozenset()
    sources: SourceChoice = KEEP

    def with_resources(self, change: Callable[[ResourceState], ResourceState]) -> Snapshot:
        """Return the state with the resources that have findings replaced by the result of `change`."""
        resources = (
            change(resource) if str(resource.addr) in self.addresses else resource
            for resource in self.snapshot.resources
        )
        return replace(self.snapshot, resources=tuple(resources))

    def with_objects(self, change: Callable[[ResourceInstanceObject], ResourceInstanceObject]) -> Snapshot:
        """Return the state with the objects of these resources replaced by the result of `change`."""
        return self.with_resources(
            lambda resource: replace(resource, objects=tuple([change(obj) for obj in resource.objects]))
        )


class Mend(Struct, frozen=True):
    """How `check --fix` mends what a rule finds.

    `does` says it in a sentence, for the rule's page. A mend `is_safe` if there is one right answer; others are applied
    only if the user asks for them. `change` is a pure function that returns the mended state. Without it, the
    canonical form of the state has none of the rule's findings to which the mend `applies`. `needs_sources` if a
    configuration must have the sources of providers.
    """

    does: str
    change: Callable[[Mending], Snapshot] | None = None
    is_safe: bool = True
    needs_sources: bool = False
    applies: Callable[[Finding], bool] = lambda _: True

    @property
    def sentence(self) -> str:
        """What the mend does and with which options, for the rule's page."""
        return f"`statetool check {self.options}` {self.does}"

    @property
    def options(self) -> str:
        """The options of `check` that apply it."""
        return "--fix" if self.is_safe else "--fix --unsafe-fixes"
