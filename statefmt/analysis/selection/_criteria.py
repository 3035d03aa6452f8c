"""The criteria for selecting instances, as given by users."""

from __future__ import annotations

from msgspec import Struct

from statefmt.model.addrs import ResourceMode


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
