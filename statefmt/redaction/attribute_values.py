"""Reads the values at one path from many objects, of which it decodes only the attribute that the path begins with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec import Raw

from statefmt.formats.versions import object_members
from statefmt.golang import JSONValue, Members
from statefmt.model.errors import SelectionError
from statefmt.model.resources import ResourceInstanceObject
from statefmt.redaction._dynamic import unwrapped
from statefmt.redaction._hide import hide
from statefmt.redaction.flat import FLAT_COUNTS
from statefmt.redaction.hidden import HIDDEN, Hidden
from statefmt.redaction.look_up import look_up_all
from statefmt.redaction.object_value import attributes_value, secret_steps, sensitive_paths
from statefmt.redaction.partial import Partial, decoded
from statefmt.redaction.path_text import parse_path_pattern


class ValueReader:
    """Reads the values at a path: `tags.Owner`, `ingress[*].port`, or the name of a flat attribute: `tags.%`.

    `problem` is why only flat attributes can have such a path.
    """

    def __init__(self, path: str, *, show_sensitive: bool = False) -> None:
        self._path = path
        self._show_sensitive = show_sensitive
        self._steps: Sequence[str | int | None] | None = None
        self.problem: SelectionError | None = None
        try:
            self._steps = parse_path_pattern(path)
        except SelectionError as error:
            # It may still be the name of a flat attribute.
            self.problem = error

    @property
    def name(self) -> str:
        """The name of the attribute that the path begins with."""
        return self._path if self._steps is None else str(self._steps[0])

    def values(self, obj: ResourceInstanceObject, type_name: str) -> list[JSONValue] | None:
        """Return the values at the path, with HIDDEN for those that may not be shown.

        Returns None if the object has no attribute of the first name, and [] if the path ends further down. Raises
        ValueError if the value is nested too deeply.
        """
        if obj.attributes is None:
            return self._flat_values(obj, type_name, obj.attributes_flat or {})
        if self._steps is None:
            return None
        first, *rest = self._steps
        attributes = self._members(obj, type_name)
        if attributes is None:
            return [HIDDEN]
        if str(first) not in attributes:
            return None
        return look_up_all(decoded(unwrapped(attributes[str(first)])), rest)

    def names(self, obj: ResourceInstanceObject, type_name: str) -> Iterable[str]:
        """Return the names that the object has instead."""
        if obj.attributes is None:
            return obj.attributes_flat or ()
        return self._members(obj, type_name) or ()

    def _members(self, obj: ResourceInstanceObject, type_name: str) -> Mapping[str, Partial] | None:
        """Return the attributes by name, undecoded; None if they are hidden as a whole."""
        raw = obj.attributes or Raw(b"{}")
        if self._show_sensitive:
            value: Partial = raw
        else:
            value = hide(raw, sensitive_paths(obj), known=secret_steps(obj, type_name))
        if isinstance(value, Hidden):
            return None
        if isinstance(value, dict):
            return value
        try:
            return object_members(raw)
        except msgspec.ValidationError:
            # The attributes are not an object.
            return {}

    def _flat_values(
        self, obj: ResourceInstanceObject, type_name: str, flat: Mapping[str, str]
    ) -> list[JSONValue] | None:
        names = [self._path] if self._path in flat else self._fitting(flat)
        if names:
            shown = attributes_value(obj, type_name, show_sensitive=self._show_sensitive)
            values = dict(shown) if isinstance(shown, Members) else {}
            return [values[name] for name in names]
        return [] if any(name == self.name or name.startswith(f"{self.name}.") for name in flat) else None

    def _fitting(self, flat: Mapping[str, str]) -> list[str]:
        if self._steps is None:
            return []
        if None not in self._steps:
            name = ".".join(map(str, self._steps))
            return [name] if name in flat else []
        wanted = [part for step in self._steps for part in ([None] if step is None else str(step).split("."))]
        return [name for name in flat if _fits(name.split("."), wanted)]


def _fits(parts: Sequence[str], wanted: Sequence[str | None]) -> bool:
    """Return whether the parts of a flat name are the wanted ones; None is any index, hash or key, but not a count."""
    return len(parts) == len(wanted) and all(
        part not in FLAT_COUNTS if want is None else part == want for part, want in zip(parts, wanted, strict=True)
    )
