"""Models the results of `check` blocks, conditions and validations in the last run."""

from __future__ import annotations

from msgspec import Struct

from statefmt.model.resources import UnknownMember

KNOWN_STATUSES = frozenset({"pass", "fail", "error", "unknown"})


class CheckObject(Struct, frozen=True, kw_only=True):
    """The result for one checkable object; `status` is taken from the file even if it is unknown."""

    object_addr: str
    status: str
    failure_messages: tuple[str, ...] = ()
    unknown: tuple[UnknownMember, ...] = ()


class CheckResult(Struct, frozen=True, kw_only=True):
    """The results for all objects of one checkable configuration construct.

    `known_kind` is False for an object kind that OpenTofu does not know; it drops such results.
    Source: OpenTofu `internal/states/checks.go`, `statefile/version4.go`.
    """

    object_kind: str
    config_addr: str
    status: str
    objects: tuple[CheckObject, ...] = ()
    known_kind: bool = True
    unknown: tuple[UnknownMember, ...] = ()
