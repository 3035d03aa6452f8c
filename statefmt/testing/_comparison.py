"""Compares two states by what they mean, for assertions."""

from __future__ import annotations

from collections.abc import Collection

# Heavy imports wait for the first comparison: pytest asks after each failed assertion whether it compares states.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from statefmt.analysis.diff.model import SnapshotDiff
    from statefmt.model.snapshot import Snapshot


class ComparableState:
    """A state that equals another one if `statetool diff` reports no differences; made by `as_state()`.

    Order, white space and the layout of the file make no difference; serial and lineage do.
    """

    __slots__ = ("snapshot", "version")

    def __init__(self, snapshot: Snapshot, version: int = 4) -> None:
        self.snapshot = snapshot
        self.version = version

    def __eq__(self, other: object) -> bool:
        return not differences(self, other) if isinstance(other, ComparableState) else NotImplemented

    # Equal states may have different bytes.
    __hash__ = None  # type: ignore[assignment]  # how Python says that values cannot be hashed

    def __repr__(self) -> str:
        return f"<state with serial {self.snapshot.serial} and {len(self.snapshot.resources)} resources>"


def as_state(state: bytes | Snapshot) -> ComparableState:
    """Return a state that `assert as_state(old) == as_state(new)` compares by what it means.

    If the assertion fails, pytest prints what `statetool diff` prints, with sensitive values hidden. Plain bytes are
    compared as bytes. Raises StateError if the bytes are not a readable state.
    """
    if not isinstance(state, bytes):
        return ComparableState(state)
    from statefmt.formats.reading import read

    result = read(state)
    return ComparableState(result.snapshot, result.version)


def assert_same_state(old: bytes | Snapshot, new: bytes | Snapshot, ignore: Collection[str] = ("serial",)) -> None:
    """Fail if two states differ, with what `statetool diff` prints; sensitive values are hidden.

        assert_same_state(before, after)
        assert_same_state(before, after, ignore=("serial", "lineage", "tainted"))

    Args:
        old: The bytes or the snapshot of a state.
        new: The other one.
        ignore: Differences to ignore: `serial`, `lineage`, `terraform_version`, `version`, and the kinds that
            `statetool diff --ignore` takes, such as `tainted`, `dependencies` or `outputs`.

    Raises:
        AssertionError: The states differ.
        StateError: The bytes are not a readable state.
        ValueError: `ignore` has an unknown name.
    """
    __tracebackhide__ = True  # pytest shows the line that calls this function
    changes = differences(as_state(old), as_state(new), ignore)
    if changes:
        raise AssertionError("\n".join(["the states differ:", *difference_lines(changes)]))


def differences(old: ComparableState, new: ComparableState, ignore: Collection[str] = ()) -> SnapshotDiff:
    """Compare two states. Raises ValueError if `ignore` has an unknown name."""
    from msgspec.structs import replace

    from statefmt.analysis.diff import diff
    from statefmt.analysis.diff.model import Kind, kinds, narrowed

    members = {"serial", "lineage", "terraform_version", "version"}
    unknown = set(ignore) - members - set(Kind)
    if isinstance(ignore, str) or unknown:
        names = ", ".join(sorted(members | set(Kind)))
        raise ValueError(f"ignore: {', '.join(sorted(unknown)) or ignore}: give a collection of: {names}")
    changes = diff(old.snapshot, new.snapshot, versions=(old.version, new.version))
    changes = narrowed(changes, kinds(ignored=[Kind(name) for name in ignore if name not in members]))
    return replace(changes, envelope=tuple(change for change in changes.envelope if change.name not in ignore))


def difference_lines(changes: SnapshotDiff) -> list[str]:
    """Return the lines that `statetool diff` prints, for 80 columns."""
    from statefmt.render.diff import Manner, diff_text
    from statefmt.render.terminal import Terminal

    return "\n".join(diff_text(changes, Manner(), Terminal())).split("\n")
