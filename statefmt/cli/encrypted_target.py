"""Writing one state in another form, encrypted or plain: what it says stays the same, to the byte."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.streams import message_terminal
from statefmt.cli.target import Target
from statefmt.encryption import glance
from statefmt.errors import EncryptionError
from statefmt.session import write_new
from statefmt.store.backups import other_backups
from statefmt.store.history_contents import compress_one, forget_history
from statefmt.store.lock import lock_info
from statefmt.store.reading import STANDARD_INPUT, display_name
from statefmt.store.state_file import history_path
from statefmt.store.writing import replace_content

DiscardPlainOption = Annotated[
    bool, typer.Option("--discard-plain", help="With --in-place: delete the plain copies that statetool keeps.")
]


class Form(NamedTuple):
    """The bytes of a state in some form, and whether that is plain text."""

    data: bytes
    is_plain: bool


def check_discarding(discard_plain: bool, target: Target) -> None:
    """Raises a usage error where there is nothing to discard."""
    if discard_plain and not target.in_place:
        raise typer.BadParameter("goes with --in-place, which makes copies", param_hint="--discard-plain")


def write_form(
    name: str,
    old: Form,
    new: Form,
    target: Target,
    operation: str,
    done: str,
    *,
    replace: bool,
    discard_plain: bool = False,
) -> None:
    """Write the new form of the state `name`, and tell that it was `done`.

    With `replace`, another file that exists is backed up and replaced. Where a plain state becomes an encrypted one in
    place, its copies are plain: that is told, or, with `discard_plain`, they are deleted.
    """
    if target.in_place:
        path = Path(name)
        info = lock_info(path, operation, command_line())
        backup = replace_content(path, old.data, new.data, info, now=int(time.time()))
        compress_one(path)
    else:
        backup = write_new(target.path, new.data, command_line(), replace=replace)
    leaves_plain = target.in_place and backup is not None and old.is_plain and not new.is_plain
    if leaves_plain and discard_plain:
        assert backup is not None
        forget_history(Path(name))
        backup.unlink()
    what = "the state" if target.in_place else "the file"
    kept = f"; {what} as it was is kept in {backup}" if backup and not (leaves_plain and discard_plain) else ""
    where = display_name(name) if target.path in (STANDARD_INPUT, name) else f"{display_name(name)} to {target.path}"
    print(message_terminal().wrap(f"{where}: {done}{kept}", "", "  "), file=sys.stderr)
    if leaves_plain:
        _tell_of_plain_copies(name, backup, discarded=discard_plain)


def _tell_of_plain_copies(name: str, backup: Path | None, *, discarded: bool) -> None:
    """Say where the state still stands in plain text, and how that ends."""
    history = history_path(Path(name))
    if discarded:
        note = f"The plain backup and the history ({history}) were deleted."
    else:
        note = (
            f"That copy and the history ({history}) are in plain text: delete both once the encrypted state is in use. "
            "--discard-plain does so at once."
        )
    others = [path.name for path in other_backups(Path(name)) if path != backup and not is_encrypted(path)]
    if others:
        note += f" Plain copies of earlier edits are left beside it: {', '.join(others)}."
    print(message_terminal().wrap(note, "  ", "  "), file=sys.stderr)


def is_encrypted(path: Path) -> bool:
    """Whether a file is an envelope, damaged perhaps; False where it cannot be read."""
    try:
        return glance(path.read_bytes()) is not None
    except OSError:
        return False
    except EncryptionError:
        return True
