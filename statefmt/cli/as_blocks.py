"""Shows edits as configuration instead of writing them: `moved`, `removed` and `import` blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from statefmt import Snapshot
from statefmt.cli.exit_status import FINE, FOUND
from statefmt.cli.streams import say, write_result
from statefmt.render.terminal import counted
from statefmt.text import printable

if TYPE_CHECKING:
    from statefmt.differences import SnapshotDiff
    from statefmt.operations_files import FileOutcome


def show_as_blocks(changes: SnapshotDiff, after: Snapshot, *, show_sensitive: bool) -> int:
    """Print the blocks for the edit of a state, and return the exit status.

    For objects that get another resource type, there are two ways: not every provider can move them.
    """
    from statefmt.render.diff.blocks import apart_by_type

    apart = apart_by_type(changes)
    if apart is None:
        return _shown([("", changes, after)], show_sensitive=show_sensitive)
    titled = [
        ("# 1. If the provider can move them to the other type, as its documentation says:\n\n", changes, after),
        ("# 2. If not, forget the objects, and import them by their ids:\n\n", apart, after),
    ]
    return _shown(titled, show_sensitive=show_sensitive, done="paste the blocks of one of the two ways")


def show_outcome_as_blocks(names: Mapping[str, str], outcome: FileOutcome, *, show_sensitive: bool) -> int:
    """Print the blocks for what operations do to many states, each under its name, and return the exit status."""
    titled = [
        (f"# For the configuration of the state {short}: {printable(names[short])}\n\n", one.changes, one.edit.snapshot)
        for short in names
        if (one := outcome.outcomes.get(short)) and one.changes
    ]
    return _shown(titled, show_sensitive=show_sensitive)


def _shown(
    edits: Iterable[tuple[str, SnapshotDiff, Snapshot]], *, show_sensitive: bool, done: str = "paste the blocks"
) -> int:
    from statefmt.render.diff.blocks import edit_blocks

    left, texts = 0, list[str]()
    for title, changes, after in edits:
        found = edit_blocks(changes, after, show_sensitive=show_sensitive)
        left += len(found.left)
        if found.text:
            texts.append(title + found.text)
        for warning in found.warnings:
            say(f"statetool: warning: {warning}")
    write_result("\n".join(texts).encode())
    if not texts:
        say("no block is needed; nothing was written")
    elif left:
        say(f"statetool: warning: blocks do not do all of it: see {counted(left, 'comment')}; nothing was written")
    else:
        say(f"nothing was written; change the configuration to the new addresses, {done}, and plan")
    return FOUND if left else FINE
