"""Writing one state in another form, encrypted or plain: what it says stays the same, to the byte."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from statefmt.cli.command_line import command_line
from statefmt.cli.streams import message_terminal, say
from statefmt.cli.target import Target, kept_text
from statefmt.encryption import glance
from statefmt.errors import EncryptionError, StoreError
from statefmt.session import replace_bytes, write_new
from statefmt.store.backups import other_backups
from statefmt.store.history import history_folder
from statefmt.store.history_contents import compress_one, forget_history
from statefmt.store.lock import lock_info
from statefmt.store.reading import STANDARD_INPUT, display_name, reason_of

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
    where = display_name(name) if target.path in (STANDARD_INPUT, name) else f"{display_name(name)} to {target.path}"
    leaves_plain = target.in_place and old.is_plain and not new.is_plain
    kept: list[Path] = []

    def written(backup: Path | None) -> None:
        kept.extend([backup] if backup else [])
        shown = None if leaves_plain and discard_plain else backup
        say(f"{where}: {done}{kept_text(shown, 'state' if target.in_place else 'file')}")

    if not target.in_place:
        if not write_new(target.path, new.data, command_line(), written, replace=replace):
            say(f"{target.path}: has this content already; nothing was written")
        return
    path = Path(name)
    replace_bytes(path, old.data, new.data, lock_info(path, operation, command_line()), written)
    compress_one(path)
    if kept and leaves_plain:
        (backup,) = kept
        if discard_plain:
            _discard(path, backup)
        _tell_of_plain_copies(name, backup, discarded=discard_plain)


def _discard(path: Path, backup: Path) -> None:
    """Delete the plain copies of a state. Raises StoreError where one is left."""
    try:
        backup.unlink()
    except OSError as error:
        raise StoreError(
            f"{backup}: this plain backup could not be deleted ({reason_of(error)}), nor was the history "
            f"({history_folder(path)}); delete both"
        ) from error
    forget_history(path)


def _tell_of_plain_copies(name: str, backup: Path, *, discarded: bool) -> None:
    """Say where the state still stands in plain text, and how that ends."""
    history = history_folder(Path(name))
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
