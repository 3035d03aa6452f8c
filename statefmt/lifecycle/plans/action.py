"""Models the actions that a plan takes on one object."""

from __future__ import annotations

from enum import Enum


class Action(Enum):
    """What a plan does with an object; the value is the list `actions` of the JSON form.

    `FORGET_THEN_CREATE` is written by OpenTofu only, `CREATE_THEN_FORGET` by Terraform only.
    Source: OpenTofu `internal/command/jsonplan`, `actionString`.
    """

    NO_OP = ("no-op",)
    CREATE = ("create",)
    READ = ("read",)
    UPDATE = ("update",)
    DELETE = ("delete",)
    DELETE_THEN_CREATE = ("delete", "create")
    CREATE_THEN_DELETE = ("create", "delete")
    FORGET = ("forget",)
    FORGET_THEN_CREATE = ("forget", "create")
    CREATE_THEN_FORGET = ("create", "forget")

    __hash__ = object.__hash__  # a single object each, so identity suffices and is much cheaper than Enum's hash

    def __str__(self) -> str:
        """Return the action in words: `delete, then create`."""
        return ", then ".join(self.value)

    @property
    def creates(self) -> bool:
        """Whether the action makes a new object."""
        return "create" in self.value

    @property
    def removes(self) -> bool:
        """Whether the object before leaves the state: destroyed, or only forgotten."""
        return "delete" in self.value or "forget" in self.value

    @property
    def destroys(self) -> bool:
        """Whether the object before is destroyed."""
        return "delete" in self.value

    @property
    def replaces(self) -> bool:
        """Whether a new object takes the place of the one before."""
        return self.creates and self.removes

    @property
    def leaves_object(self) -> bool:
        """Whether the state has an object afterwards."""
        return self not in (Action.DELETE, Action.FORGET)
