"""Writes a state encrypted or in plain text, with unchanged contents."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import structs
from typer import BadParameter, Option

from statefmt import EncryptionError, StoreError
from statefmt.cli.command_line import command_line
from statefmt.cli.exit_status import FAILED, FINE
from statefmt.cli.options.write import WriteOptions, store_of
from statefmt.cli.run import run_context
from statefmt.cli.streams import say
from statefmt.cli.target import kept_text, printed_text
from statefmt.edit.pipeline import Proposal, edit
from statefmt.edit.session import LoadedState, loaded
from statefmt.encryption import EncryptionConfiguration, Opened, decrypt, encrypts, glance
from statefmt.locations import STANDARD_INPUT, RemoteName, display_name, state_words
from statefmt.pieces import Span
from statefmt.sealed import Seal, about
from statefmt.store.files import read_bounded
from statefmt.store.local.backups import backups, discard_plain
from statefmt.store.local.state_file import history_path
from statefmt.store.local.transaction import open_state
from statefmt.store.reading import LARGEST_STATE
from statefmt.text import shell_line

DiscardPlainOption = Annotated[
    bool,
    Option("--discard-plain", help="With --in-place: delete the plain-text backups and history that statetool made."),
]


class Form(NamedTuple):
    """The bytes of a state, and whether they are plain text."""

    data: bytes
    is_plain: bool


class EncryptionChange(NamedTuple):
    """The forms of a state before and after, and a description of the change."""

    old: Form
    new: Form
    done: str

    def proposal(self, state: LoadedState) -> Proposal[EncryptionChange]:
        """Return the change as an edit that leaves the contents of the state unchanged."""
        return Proposal(self, [Span(0, len(state.data))], stored=self.new.data, check=False)


def opened_state(name: str, data: bytes, configuration: EncryptionConfiguration) -> tuple[LoadedState, Opened]:
    """Decrypt and load a state; return it and how it was decrypted.

    Raises EncryptionError if the configuration does not read it, or StateError if the result is not a state.
    """
    context = run_context()
    with about(name):
        opened = decrypt(data, configuration)
        state = loaded(context, name, opened.plain)
        return structs.replace(state, seal=Seal(data, opened, configuration)), opened


def check_local(discard_plain: bool, name: str) -> None:
    """Raise StoreError for --discard-plain on a state in a backend, which may keep copies of its own."""
    if discard_plain and isinstance(name, RemoteName):
        raise StoreError(
            f"{name}: --discard-plain deletes copies beside a file; for a state in a backend, use `statetool history "
            "--prune`, and delete older versions there; nothing was written"
        )


def check_discarding(discard_plain: bool, in_place: bool, configuration: EncryptionConfiguration | None = None) -> None:
    """Raise a usage error for --discard-plain without --in-place, or if the result is plain text."""
    if discard_plain and not in_place:
        raise BadParameter("requires --in-place", param_hint="--discard-plain")
    if discard_plain and configuration is not None and not encrypts(configuration):
        raise BadParameter(
            "the first method is of type unencrypted; plain copies are deleted only if the state is encrypted",
            param_hint="--discard-plain",
        )


def refuse_on_terminal(target: str | None, options: WriteOptions) -> None:
    """Raise EncryptionError before printing plain text to a terminal without --yes."""
    if target == STANDARD_INPUT and sys.stdout.isatty() and not options.yes:
        raise EncryptionError(
            "refusing to print the secrets of a state to the terminal; use --out to write a file, or --yes"
        )


def write_form(
    name: str,
    target: str | None,
    options: WriteOptions,
    operation: str,
    opening: Callable[[bytes], LoadedState],
    change: Callable[[LoadedState], EncryptionChange],
    *,
    discard_plain: bool = False,
) -> tuple[EncryptionChange, int]:
    """Write a state in another form and report it. Returns the change and the exit status.

    Encrypting a plain state in place leaves plain copies behind: the message lists them, or `discard_plain` deletes
    them.
    """
    where = display_name(name) if target in (None, STANDARD_INPUT, name) else f"{display_name(name)} to {target}"
    kept: list[str | None] = []

    def leaves_plain(made: EncryptionChange) -> bool:
        return target is None and made.old.is_plain and not made.new.is_plain

    def written(made: EncryptionChange, backup: str | None) -> None:
        kept.append(backup)
        shown = None if leaves_plain(made) and discard_plain else backup
        printed = printed_text(name, options) if target == STANDARD_INPUT else ""
        kept_in = kept_text(shown, "state" if target is None else "file")
        say(f"{where}: {made.done}{kept_in}{'; ' if printed else ''}{printed}")

    terms = options.terms(name, operation, to=target)
    made = edit(
        run_context(),
        store_of(name),
        terms,
        lambda state: change(state).proposal(state),
        opening=opening,
        written=written,
    )
    if terms.dry_run:
        say(f"{where}: dry run; nothing was written")
    elif target is not None and not kept:
        say(f"{target}: already has this content; nothing was written")
    elif target is None and discard_plain and (kept or not made.new.is_plain):
        return made, discard_copies(name, made.new, operation)
    elif kept and leaves_plain(made):
        _tell_of_plain_copies(name, None if kept[0] is None else Path(kept[0]))
    return made, FINE


def discard_copies(name: str, current: Form, operation: str) -> int:
    """Delete the plain copies of a state, whose file has the `current` form, and report each of them.

    Returns FAILED if a copy could not be deleted. Raises StoreError if the file has changed.
    """
    path = Path(name)
    info = run_context().lock_info(path, operation, command_line())
    try:
        with open_state(path, info, run_context().note) as state:
            if current.is_plain or state.data != current.data:
                raise StoreError(f"{name}: the file changed since it was encrypted")
            copies = discard_plain(path, _is_plain)
    except StoreError as error:
        # Drop the rest of the message: it says that the state was not written, but it was.
        reason = str(error).partition(";")[0]
        raise StoreError(f"{reason}; no plain copies were deleted. Run the command again to delete them") from error
    if copies.deleted:
        say(f"Plain copies deleted: {', '.join(map(str, copies.deleted))}.", "  ")
    elif not copies.failed:
        say("There are no plain copies made by statetool.", "  ")
    if copies.foreign:
        others = ", ".join(map(str, copies.foreign))
        say(f"Plain copies made by other programs remain: {others}. Delete them once you no longer need them.", "  ")
    for kept in copies.failed:
        say(f"statetool: {kept.path}: not deleted: {kept.reason}")
    if copies.failed:
        say("These files may be in plain text. Delete them, or fix the cause and run the command again.", "  ")
    return FAILED if copies.failed else FINE


def _tell_of_plain_copies(name: str, backup: Path | None) -> None:
    """Report the remaining plain copies of a state, and how to delete them."""
    if isinstance(name, RemoteName):
        line = shell_line(["statetool", "history", "--prune", "--older-than", "0h", *state_words(name)])
        say(
            "Its history and its backups on this machine are in plain text, and so are older versions that the backend "
            f"keeps. Delete them once the encrypted state is in use; for those on this machine: `{line}`.",
            "  ",
        )
        return
    history = history_path(Path(name))
    copies, them = ("The history", "it") if backup is None else ("That copy and the history", "both")
    note = (
        f"{copies} ({history}) {'is' if backup is None else 'are'} in plain text. Delete {them} once the encrypted "
        "state is in use; --discard-plain does that, now or in a later run."
    )
    others = [path.name for path in backups(Path(name)) if path != backup and not is_encrypted(path)]
    if others:
        note += f" Plain copies of earlier edits remain: {', '.join(others)}."
    say(note, "  ")


def is_encrypted(path: Path) -> bool:
    """Return whether a file is an envelope, intact or damaged; False if it cannot be read."""
    try:
        return not _is_plain(read_bounded(path, LARGEST_STATE, links=False))
    except OSError:
        return False


def _is_plain(content: bytes) -> bool:
    """Return whether bytes are not an envelope, intact or damaged."""
    try:
        return bool(content) and glance(content) is None
    except EncryptionError:
        return False
