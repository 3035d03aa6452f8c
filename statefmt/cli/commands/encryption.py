"""`statetool encrypt`, `decrypt`, `reencrypt` and `encryption-info`.

They change the envelope of a state and the plain copies beside it, but not its content.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import structs
from typer import BadParameter, Option

from statefmt import ConfigurationError, EncryptionError, StatetoolError, StoreError
from statefmt.cli.command import declared, examples, takes
from statefmt.cli.named_state import state_name
from statefmt.cli.options.encryption import needed_configuration
from statefmt.cli.options.shared import (
    FormatOption,
    OutputFormat,
    StateArgument,
    StateOption,
    StatesArgument,
    one_state,
)
from statefmt.cli.options.write import destination, store_of, write_options
from statefmt.cli.outcome import FAILED, FINE, FOUND, kept_text, printed_text, show_failure
from statefmt.cli.run import command_line, run_context
from statefmt.cli.streams import listed_name, result_terminal, say
from statefmt.cli.target import InPlaceOption
from statefmt.edit.pipeline import EditOptions, Proposal, edit
from statefmt.edit.session import LoadedState, loaded
from statefmt.encryption import (
    EncryptionConfiguration,
    EnvelopeLayout,
    Opened,
    SystemRandomness,
    decrypt,
    encrypt_checked,
    encrypts,
    glance,
    parse_envelope,
)
from statefmt.encryption.key_providers import CheckedEncryption
from statefmt.locations import STANDARD_INPUT, RemoteName, display_name, state_words
from statefmt.pieces import Span
from statefmt.render.encryption import encryption_json, encryption_text, reencrypt_json
from statefmt.sealed import Seal, about
from statefmt.store.files import read_bounded
from statefmt.store.local.history import backups, discard_plain
from statefmt.store.local.state_file import history_path
from statefmt.store.local.transaction import open_state
from statefmt.store.reading import LARGEST_STATE
from statefmt.text import shell_line

DiscardPlainOption = Annotated[
    bool,
    Option("--discard-plain", help="With --in-place: delete the plain-text backups and history that statetool made."),
]


@examples(
    ("Encrypt a state file.", "statetool encrypt --encryption encryption.tofu --in-place prod.tfstate"),
    (
        "Also delete its backups in plain text.",
        "statetool encrypt --encryption encryption.tofu --in-place --discard-plain",
    ),
    (
        "Write the encrypted state to another file.",
        "statetool encrypt --encryption encryption.tofu -o new.tfstate old.tfstate",
    ),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=write_options)
def encrypt_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    in_place: InPlaceOption = False,
    discard_plain: DiscardPlainOption = False,
    *,
    options: EditOptions,
) -> int:
    """Encrypt a plain state as OpenTofu does, with the first method of its configuration.

    The contents stay the same to the byte, including serial and lineage. The result is decrypted as a check before it
    is written. With --discard-plain, the plain copies of a state that is already encrypted are deleted, too.
    """
    name = state_name(one_state(state, state_option))
    target = destination(options, name, in_place)
    check_discarding(discard_plain, in_place)
    check_local(discard_plain, name)
    configuration = needed_configuration()
    if not encrypts(configuration):
        raise ConfigurationError("the first method is of type unencrypted: nothing would be encrypted")
    context = run_context()
    if discard_plain and not options.dry_run:
        data = context.read(name)
        with about(name):
            is_encrypted = parse_envelope(data) is not None
        if is_encrypted:
            # An earlier run was killed before it deleted them, or had no --discard-plain. Check the key first: without
            # it, the copies may be the only readable ones.
            opened_state(name, data, configuration)
            print(f"{display_name(name)}: already encrypted; the state was not written", file=sys.stderr)
            return discard_copies(name, data, "encrypt")

    def opening(data: bytes) -> LoadedState:
        with about(name):
            if parse_envelope(data) is not None:
                raise EncryptionError("this state is already encrypted; use `statetool reencrypt` to change the method")
        return loaded(context, name, data)

    def change(state: LoadedState) -> EncryptionChange:
        with about(name):
            encrypted = encrypt_checked(state.data, configuration, SystemRandomness())
        return EncryptionChange(encrypted, was_plain=True, is_plain=False, done="encrypted")

    return write_form(name, target, options, "encrypt", opening, change, discard_plain=discard_plain)


@examples(
    (
        "Write the plain state to another file.",
        "statetool decrypt --encryption encryption.tofu -o plain.tfstate prod.tfstate",
    ),
    ("Pass it to another program.", "statetool decrypt --encryption encryption.tofu prod.tfstate | jq .serial"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=write_options)
def decrypt_command(
    state: StateArgument = None,
    state_option: StateOption = None,
    in_place: InPlaceOption = False,
    *,
    options: EditOptions,
) -> int:
    """Decrypt a state to the exact bytes that were encrypted.

    The result has all secrets in plain text. A new file is readable only by its owner; printing to a terminal needs
    --yes.
    """
    name = state_name(one_state(state, state_option))
    target = destination(options, name, in_place)
    refuse_on_terminal(target, options)
    configuration = needed_configuration()

    def opening(data: bytes) -> LoadedState:
        with about(name):
            if glance(data) is None:
                loaded(run_context(), name, data)
                raise EncryptionError("this state is not encrypted")
        return opened_state(name, data, configuration)[0]

    def change(state: LoadedState) -> EncryptionChange:
        assert state.seal is not None
        done = f"decrypted by {state.seal.opened.method}"
        return EncryptionChange(state.data, was_plain=False, is_plain=True, done=done)

    return write_form(name, target, options, "decrypt", opening, change)


@examples(
    (
        "List the states that are not yet encrypted with the current method.",
        "statetool reencrypt --check --encryption new.tofu *.tfstate",
    ),
    ("Encrypt them with it.", "statetool reencrypt --in-place --encryption new.tofu *.tfstate"),
)
@declared(paged=False, decrypts=True, connects=True)
@takes(options=write_options)
def reencrypt_command(
    states: StatesArgument = None,
    state: StateOption = None,
    check: Annotated[
        bool, Option("--check", help="Write nothing; list the states that a fallback decrypts (exit status 1).")
    ] = False,
    anew: Annotated[
        bool,
        Option(
            "--anew",
            help="Also encrypt states of the first method again, with new salts and the configured iterations.",
        ),
    ] = False,
    in_place: InPlaceOption = False,
    discard_plain: DiscardPlainOption = False,
    output_format: FormatOption = OutputFormat.TEXT,
    *,
    options: EditOptions,
) -> int:
    """Encrypt states with the first method of a configuration if a fallback decrypts them, as OpenTofu's writes do.

    To change a passphrase, add a new key provider and method, and make the old method the fallback. The contents stay
    the same to the byte. A plain state is encrypted if a fallback is of type unencrypted.
    """
    names = [*(states or ()), *([state] if state else ())] or [state_name(None)]
    if check and (in_place or options.out is not None or options.dry_run or anew):
        raise BadParameter("cannot be combined with --in-place, --out, --dry-run or --anew", param_hint="--check")
    if output_format is OutputFormat.JSON and not check:
        raise BadParameter("requires --check", param_hint="--format")
    if len(names) > 1 and not (in_place or check):
        raise BadParameter("several states require --in-place or --check", param_hint="STATE")
    targets = [destination(options, name, in_place) for name in names]
    check_discarding(discard_plain, in_place)
    configuration = needed_configuration()
    check_discarding(discard_plain, in_place, configuration)
    if check:
        return _check(names, configuration, output_format)
    status = FINE
    for given, target in zip(names, targets, strict=True):
        try:
            name = state_name(given)
            check_local(discard_plain, name)
            status = max(status, _reencrypt(name, target, options, configuration, anew, discard_plain))
        except StatetoolError as error:
            show_failure(error)
            status = FAILED
    return status


def _reencrypt(
    name: str,
    target: str | None,
    options: EditOptions,
    configuration: EncryptionConfiguration,
    anew: bool,
    discard_plain: bool,
) -> int:
    first = next(configuration.targets["state"].chain())

    def change(state: LoadedState) -> EncryptionChange:
        assert state.seal is not None
        opened = state.seal.opened
        was_plain, done = opened.envelope is None, f"from {opened.method} to {first}"
        if opened.is_current and not anew:
            if target is None:
                say(f"{name}: already uses {opened.method}, the first method; nothing was written")
            return EncryptionChange(state.stored, was_plain=was_plain, is_plain=was_plain, done=done)
        is_plain = not encrypts(configuration)
        with about(name):
            if is_plain:
                refuse_on_terminal(target, options)
            layout = EnvelopeLayout.COMPACT if opened.envelope is None else opened.envelope.layout
            content = encrypt_checked(opened.plain, configuration, SystemRandomness(), layout)
        return EncryptionChange(content, was_plain=was_plain, is_plain=is_plain, done=done)

    def opening(data: bytes) -> LoadedState:
        return opened_state(name, data, configuration)[0]

    return write_form(name, target, options, "reencrypt", opening, change, discard_plain=discard_plain)


def _check(names: list[str], configuration: EncryptionConfiguration, output_format: OutputFormat) -> int:
    """List the states that need a fallback or cannot be decrypted, and return the worst exit status."""
    status = FINE
    checked: list[CheckedEncryption] = []
    for given in names:
        name = given
        try:
            name = state_name(given, to_read=True)
            data = run_context().read(name)
            _, opened = opened_state(name, data, configuration)
            found = CheckedEncryption(
                name=display_name(name),
                is_encrypted=opened.envelope is not None,
                method=opened.method,
                is_current=opened.is_current,
            )
            status = max(status, FINE if opened.is_current else FOUND)
        except StatetoolError as error:
            show_failure(error)
            found = CheckedEncryption(display_name(name), error=error.on_command_line)
            status = FAILED
        checked.append(found)
        if output_format is OutputFormat.TEXT and not found.error and not found.is_current:
            print(listed_name(name))
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(reencrypt_json(checked))
    return status


@examples(
    ("Show how the state of this directory is encrypted.", "statetool encryption-info"),
    ("Also show which method decrypts it.", "statetool encryption-info --encryption encryption.tofu prod.tfstate"),
)
@declared(paged=True, decrypts=True, connects=True)
def encryption_info_command(
    state: StateArgument = None, state_option: StateOption = None, output_format: FormatOption = OutputFormat.TEXT
) -> int:
    """Show how a state is encrypted: its serial, its lineage and the metadata of each key provider. No key is needed.

    With a configuration, also show which method decrypts it, and whether that is a fallback. No values of the state are
    shown.
    """
    name = state_name(one_state(state, state_option), to_read=True)
    found = run_context().configuration()
    data = run_context().read(name)
    with about(name):
        envelope = parse_envelope(data)
        if envelope is None:
            # Refuse a file that is neither encrypted nor a state.
            loaded(run_context(), name, data)
        opened = None if found is None else decrypt(data, found)
    if output_format is OutputFormat.JSON:
        sys.stdout.buffer.write(encryption_json(envelope, opened))
    else:
        print(encryption_text(display_name(name), envelope, opened, result_terminal()))
    return FINE


class EncryptionChange(NamedTuple):
    """The new stored bytes of a state, whether the old and the new bytes are plain, and a description of the change."""

    content: bytes
    was_plain: bool
    is_plain: bool
    done: str


def opened_state(name: str, data: bytes, configuration: EncryptionConfiguration) -> tuple[LoadedState, Opened]:
    """Decrypt and load a state; also return the details of the decryption.

    Raises EncryptionError if the configuration does not read it, or StateError if the result is not a state.
    """
    context = run_context()
    with about(name):
        opened = decrypt(data, configuration)
        state = loaded(context, name, opened.plain)
        return structs.replace(state, seal=Seal(data, opened, configuration)), opened


def check_local(discard_plain: bool, name: str) -> None:
    """Raise StoreError for --discard-plain on a state in a backend, which may keep its own copies."""
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


def refuse_on_terminal(target: str | None, options: EditOptions) -> None:
    """Raise EncryptionError before printing plain text to a terminal without --yes."""
    if target == STANDARD_INPUT and sys.stdout.isatty() and not options.yes:
        raise EncryptionError(
            "refusing to print the secrets of a state to the terminal; use --out to write a file, or --yes"
        )


def write_form(
    name: str,
    target: str | None,
    options: EditOptions,
    operation: str,
    opening: Callable[[bytes], LoadedState],
    change: Callable[[LoadedState], EncryptionChange],
    *,
    discard_plain: bool = False,
) -> int:
    """Write a state encrypted or plain, and report it. Returns the exit status.

    Encrypting a plain state in place leaves plain copies behind: the message lists them, or `discard_plain` deletes
    them.
    """
    where = display_name(name) if target in (None, STANDARD_INPUT, name) else f"{display_name(name)} to {target}"
    kept: list[str | None] = []

    def proposed(state: LoadedState) -> Proposal[EncryptionChange]:
        made = change(state)
        # The content of the state stays the same.
        return Proposal(made, [Span(0, len(state.data))], stored=made.content, check=False)

    def leaves_plain(made: EncryptionChange) -> bool:
        return target is None and made.was_plain and not made.is_plain

    def written(made: EncryptionChange, backup: str | None) -> None:
        kept.append(backup)
        shown = None if leaves_plain(made) and discard_plain else backup
        printed = printed_text(name, options.out) if target == STANDARD_INPUT else ""
        kept_in = kept_text(shown, "state" if target is None else "file")
        say(f"{where}: {made.done}{kept_in}{'; ' if printed else ''}{printed}")

    encrypting = replace(options, operation=operation, out=target)
    made = edit(run_context(), store_of(name), encrypting, proposed, opening=opening, written=written)
    if options.dry_run:
        say(f"{where}: dry run; nothing was written")
    elif target is not None and not kept:
        say(f"{target}: already has this content; nothing was written")
    elif target is None and discard_plain and (kept or not made.is_plain):
        return discard_copies(name, made.content, operation)
    elif kept and leaves_plain(made):
        _tell_of_plain_copies(name, None if kept[0] is None else Path(kept[0]))
    return FINE


def discard_copies(name: str, current: bytes, operation: str) -> int:
    """Delete the plain copies of a state, whose file has the `current` bytes, and report each copy.

    Returns FAILED if a copy could not be deleted. Raises StoreError if the file has changed.
    """
    path = Path(name)
    info = run_context().lock_info(path, operation, command_line())
    try:
        with open_state(path, info, run_context().note) as state:
            if _is_plain(current) or state.data != current:
                raise StoreError(f"{name}: the file changed since it was encrypted")
            copies = discard_plain(path, _is_plain)
    except StoreError as error:
        # Drop the rest of the message, which says that the state was not written.
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
