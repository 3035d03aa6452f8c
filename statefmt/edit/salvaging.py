"""Salvages a damaged state: whole objects of the file and of its backups, and import blocks for lost ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from statefmt.analysis.object_id import SECRET_IDS
from statefmt.context import RunContext
from statefmt.edit.pipeline import EditOptions, refuse_existing, write_copy
from statefmt.edit.salvage_sources import (
    ConflictSide,
    KnownBackup,
    backup_content,
    damaged_file,
    known_backups,
    opened_backup,
    read_anything,
    restoring,
)
from statefmt.edit.session import listed_states, state_name
from statefmt.formats.raw_json.slips import Slip
from statefmt.formats.reading import inspect
from statefmt.formats.reading.damaged import description, may_be_torn
from statefmt.formats.salvage import Backup, Filled, filled, salvaged_envelope, salvaged_state
from statefmt.formats.salvage.model import (
    FoundObject,
    LostObject,
    Salvage,
    SalvagedDocument,
    SalvagedEnvelope,
    SalvagedKey,
)
from statefmt.golang import encode_string
from statefmt.model.addrs.parsing import parse_abs_resource_instance
from statefmt.model.cty.paths import decode_paths
from statefmt.model.errors import AddressError, EncryptionError, StateError, StoreError
from statefmt.model.findings import NO_STATE, Finding, Severity
from statefmt.redaction.object_value import named_steps, sounds_secret, typed_steps
from statefmt.redaction.partial import step_key
from statefmt.sealed import Seal
from statefmt.store.reading import GIT, STANDARD_INPUT, display_name

_NO_PART: Final = "no part of a state was found in this file;"
# Reading backups takes time, and a history may have hundreds.
_MOST_COMPARED: Final = 10


def salvage_state(
    context: RunContext,
    name: str,
    *,
    backups: Sequence[str] = (),
    use_known: bool = False,
    include_uncertain: bool = False,
    side: ConflictSide | None = None,
    document: int | None = None,
    out: str | None = None,
    overwrite: bool = False,
) -> Salvaged:
    """Take the whole objects of a state that is no longer JSON, and fill torn objects from backups.

    Args:
        context: Opens encrypted states and backups with its encryption configuration.
        name: The damaged state: a path, `-`, a URL, or `git:REVISION:PATH`.
        backups: Backups of the state: files, URLs, or folders and globs, of which only fitting backups are used. A
            backup with a name of its own may be damaged; it raises StoreError if its lineage is different or missing.
        use_known: Also use the backups beside the state and the contents of its history, as far as they fit.
        include_uncertain: Take objects that are only in backups, although they may have been destroyed since, and
            objects that are whole but uncertain.
        side: The side of the conflict to take if the file has git's conflict markers.
        document: The number of the chosen state, from 1, if the file has several.
        out: The destination of the result, which is composed now, and read again. A destination that write_salvaged()
            would refuse is refused before anything is read.
        overwrite: `out` may be replaced if it exists.

    Takes format version 4 only. Raises StoreError if nothing was found, EncryptionError if it cannot be decrypted.
    """
    name = state_name(context, name, to_read=True)
    if out is not None:
        _refuse_destination(out, [name], overwrite=overwrite)
    where, known = display_name(name), known_backups(context, name)
    data = read_anything(context, name)
    file = damaged_file(context, name, data, side, document)
    if file is None:
        listed = "".join([f"\n  {one.name}" for one in known])
        # A restore only replaces states, including torn states.
        away = "" if may_be_torn(data) else "move it away; then "
        what = description(data)
        said = f"{what[0].lower()}{what[1:]} No part of a state was found in it;" if what else _NO_PART
        raise StoreError(
            f"{where}: {said} {away}{restoring(name)} puts a backup in its place" + (f":{listed}" if listed else "")
        )
    unused: list[Unused] = []
    lineage = file.document.envelope.lineage
    used = list(named_backups(context, name, backups, lineage, unused))
    named = {os.path.realpath(one.name) for one in used}
    known = tuple(one for one in known if one.checksum or os.path.realpath(one.name) not in named)
    if use_known:
        used += fitting_backups(context, name, known, lineage, unused)
        known = ()
    if out is not None:
        _refuse_destination(out, [one.name for one in used], overwrite=overwrite)
    older = [Backup(f"{where} (an older state in it)", one) for one in file.others]
    found = [*older, *(one.backup for one in used)]
    merged = filled(file.document, found, include_uncertain=include_uncertain)
    envelope = salvaged_envelope(file.document.envelope, found, merged)
    has_any = bool(merged.taken or envelope.outputs or file.document.is_whole)
    is_whole = file.found.is_whole and not file.slips
    content, errors = _content(file.document, envelope, merged) if has_any and out is not None else (b"", ())
    seals = [file.seal, *(one.seal for one in used)]
    return Salvaged(
        name=where,
        found=file.found,
        document=file.document,
        filled=merged,
        envelope=envelope,
        is_empty=not has_any,
        content=content,
        backups=tuple(found),
        unused=tuple(unused),
        known=known,
        compared=() if is_whole else tuple(_compared(context, name, file.document, known)),
        slips=file.slips,
        importable=importable(merged, (one for backup in found for one in backup.document.objects)),
        findings=tuple(one for one in errors if one.severity is Severity.ERROR),
        inputs=(name, *(one.name for one in used)),
        side=file.side,
        seal=next((seal for seal in seals if seal is not None), None),
    )


def _compared(
    context: RunContext, name: str, document: SalvagedDocument, known: Sequence[KnownBackup]
) -> Iterator[Compared]:
    """Compare the first known backups with the certain objects of the file."""
    here = {one.key for one in document.certain}
    for backup in known[:_MOST_COMPARED]:
        unused: list[Unused] = []
        opened = next(fitting_backups(context, name, [backup], document.envelope.lineage, unused), None)
        if opened is None:
            yield Compared(backup, reason=unused[0].reason)
        else:
            objects = {one.key for one in opened.backup.document.certain}
            serial = opened.backup.document.envelope.serial
            yield Compared(backup, serial, len(objects), len(objects - here))


def _content(
    document: SalvagedDocument, envelope: SalvagedEnvelope, merged: Filled
) -> tuple[bytes, tuple[Finding, ...]]:
    """Return the bytes of the result, and the findings of reading it."""
    content = salvaged_state(document, envelope, merged.taken)
    findings = inspect(content).findings
    if document.raw and any(one.code in NO_STATE for one in findings):
        # Without a valid version, the bytes of the file are not a state, but its objects are whole.
        content = salvaged_state(replace(document, raw=b""), envelope, merged.taken)
        findings = inspect(content).findings
    return content, findings


def write_salvaged(
    context: RunContext,
    salvaged: Salvaged,
    out: str,
    *,
    message: str = "",
    overwrite: bool = False,
    written: Callable[[str | None], None] = lambda _: None,
) -> None:
    """Write the salvaged state to a file, or to the output of the context for `-`; encrypted if any input is.

    `message` is for the history of a file that is replaced. `written` is called right after the write, with the path of
    the backup of that file, if any. Raises StoreError if `out` is the damaged state or a backup under any name, or
    exists unless `overwrite`; and if nothing was found.
    """
    if salvaged.is_empty:
        raise StoreError(f"{salvaged.name}: no part of a state was found in this file; nothing was written")
    _refuse_destination(out, salvaged.inputs, overwrite=overwrite)
    content = salvaged.content or _content(salvaged.document, salvaged.envelope, salvaged.filled)[0]
    content = content if salvaged.seal is None else salvaged.seal.sealed(content)
    write_copy(context, out, EditOptions(command=message, yes=overwrite), content, written)


def _refuse_destination(out: str, inputs: Sequence[str], *, overwrite: bool) -> None:
    """Raise StoreError if `out` is one of the inputs under any name, or exists and must not be overwritten."""
    if out == STANDARD_INPUT:
        return
    for name in inputs:
        if is_one_file(name, out):
            as_what = "" if out == name else f", here as {display_name(name)}"
            raise StoreError(f"{out}: salvage reads this file{as_what}, so it does not write it; name another file")
    refuse_existing(out, replace=overwrite)


class Unused(NamedTuple):
    """An unused backup, and the reason."""

    name: str
    reason: str


class Compared(NamedTuple):
    """A comparison of an unused backup with the file: its serial, its objects, and the objects that the file lacks.

    `reason` says why it cannot be used, "" if it can.
    """

    backup: KnownBackup
    serial: int | None = None
    objects: int = 0
    absent: int = 0
    reason: str = ""


class Salvaged(Struct, frozen=True, kw_only=True):
    """The result of salvaging a damaged state.

    `found` is the content of the file, `document` its newest state, and `side` the chosen side of a conflict. `filled`
    are its objects with the objects of `backups`. `envelope` is the rest of the result; `is_empty` says that nothing
    was found. With a destination, `content` are the bytes of the result, in plain text with all secrets, and `findings`
    the errors of reading it. `known` are backups that the user did not name; the first of them are `compared` with a
    file that is not whole. `unused` are backups that do not fit. `slips` are the repaired slips of a hand edit.
    `importable` are missing objects that can be imported. `inputs` are the names of all files read.
    """

    name: str
    found: Salvage
    document: SalvagedDocument
    filled: Filled
    envelope: SalvagedEnvelope
    is_empty: bool
    content: bytes = b""
    backups: tuple[Backup, ...] = ()
    unused: tuple[Unused, ...] = ()
    known: tuple[KnownBackup, ...] = ()
    importable: tuple[Importable, ...] = ()
    findings: tuple[Finding, ...] = ()
    inputs: tuple[str, ...] = ()
    slips: tuple[Slip, ...] = ()
    compared: tuple[Compared, ...] = ()
    side: ConflictSide | None = None
    seal: Seal | None = None

    def __repr__(self) -> str:
        # Keep the contents of states out of logs and tracebacks.
        return f"<Salvaged {self.name}>"

    @property
    def is_whole(self) -> bool:
        """Whether the file was whole, apart from its encoding and surrounding text."""
        return self.found.is_whole and not self.slips

    @property
    def is_encrypted(self) -> bool:
        """Whether the file or a backup is encrypted; then the result is encrypted, too."""
        return self.seal is not None


class OpenedBackup(NamedTuple):
    """A usable backup, its seal if it is encrypted, and its name."""

    backup: Backup
    seal: Seal | None
    name: str


def named_backups(
    context: RunContext, state: str, names: Sequence[str], lineage: str | None, unused: list[Unused]
) -> Iterator[OpenedBackup]:
    """Yield the backups of a state with given names; add unfitting backups in folders and globs to `unused`.

    Raises StoreError, StateError or EncryptionError if a backup with a name of its own cannot be used.
    """
    for given in names:
        found = [given] if given.startswith(GIT) else listed_states(context, [given], everything=True)
        if given == state or (found == [given] and is_one_file(given, state)):
            raise StoreError(f"{display_name(given)}: this is the damaged state itself, not a backup of it")
        if len(found) == 1 and not os.path.isdir(given):  # noqa: PTH112 - a name may be a URL
            content = read_anything(context, found[0])
            yield OpenedBackup(*opened_backup(context, found[0], content, may_be_damaged=True), found[0])
            continue
        others = [(one, partial(read_anything, context, one)) for one in found if not is_one_file(one, state)]
        yield from _fitting(context, others, lineage, unused)


def fitting_backups(
    context: RunContext, state: str, known: Sequence[KnownBackup], lineage: str | None, unused: list[Unused]
) -> Iterator[OpenedBackup]:
    """Yield the usable known backups of a state; add the others to `unused`."""
    contents = [(one.name, partial(backup_content, context, state, one)) for one in known]
    yield from _fitting(context, contents, lineage, unused)


def is_one_file(one: str, other: str) -> bool:
    """Return whether two names lead to the same file, by spelling, symbolic link or hard link."""
    try:
        return os.path.samefile(one, other)  # noqa: PTH121 - names may be URLs
    except OSError:
        return False


def _fitting(
    context: RunContext, contents: Iterable[tuple[str, Callable[[], bytes]]], lineage: str | None, unused: list[Unused]
) -> Iterator[OpenedBackup]:
    for name, content in contents:
        try:
            backup, seal = opened_backup(context, name, content())
        except (StoreError, StateError, EncryptionError) as error:
            reason = error.on_command_line.removeprefix(f"{name}: ")
            if isinstance(error, StateError) and error.reasons:
                reason = error.reasons[0].detail or error.reasons[0].summary
            unused.append(Unused(name, reason))
            continue
        theirs = backup.document.envelope.lineage
        if lineage and theirs != lineage:
            unused.append(Unused(name, f"it has another lineage, {theirs or 'none'}"))
        else:
            yield OpenedBackup(backup, seal, name)


# In place of bytes that are not UTF-8.
_REPLACED: Final = "\ufffd"


class Importable(Struct, frozen=True):
    """A missing object with an `id`, by which most providers import it.

    `address` is a valid address. `is_sensitive` if the id is marked as sensitive, if it may be secret by its resource
    type or, if the marks are lost, if the name of the type or a whole version of the object suggests a secret.
    """

    address: str
    id: str
    is_sensitive: bool = False


def importable(filled: Filled, known: Iterable[FoundObject] = ()) -> tuple[Importable, ...]:
    """Return the missing and uncertain objects that can be imported: current ones of managed resources, with an id.

    `known` are whole versions of objects, such as in backups, whose marks apply to torn objects.
    """
    left: list[FoundObject | LostObject] = [*filled.missing, *filled.uncertain]
    taken = {one.key for one in filled.taken}
    wanted = {one.key for one in left}
    secret = {
        one.key for one in known if one.key in wanted and _has_sensitive_id(one.raw, one.head.type if one.head else "")
    }
    found: dict[SalvagedKey, Importable] = {}
    for one in left:
        if one.key is None or one.head is None or one.key in taken or one.key.deposed or one.head.mode != "managed":
            continue
        if not one.import_id or _REPLACED in one.import_id or not _is_address(str(one.key)):
            continue
        hidden = one.key in secret or _is_sensitive(one, one.head.type)
        found.setdefault(one.key, Importable(str(one.key), one.import_id, hidden))
    return tuple(found.values())


def _is_address(text: str) -> bool:
    """Return whether a text from a state is exactly an address, so that it may be part of a configuration."""
    try:
        return _REPLACED not in text and str(parse_abs_resource_instance(text)) == text
    except AddressError:
        return False


def _is_sensitive(one: FoundObject | LostObject, resource_type: str) -> bool:
    if resource_type in SECRET_IDS:
        return True
    if isinstance(one, LostObject):
        return sounds_secret(resource_type) or bool(named_steps("id", Raw(encode_string(one.import_id))))
    return _has_sensitive_id(one.raw, resource_type)


class _Marks(Struct):
    sensitive_attributes: Raw = Raw(b"[]")
    attributes: Raw = Raw(b"{}")


def _has_sensitive_id(raw: bytes, resource_type: str) -> bool:
    """Return whether a sensitive path covers the `id`, or the id is a secret; true if in doubt."""
    try:
        marks = msgspec.json.decode(raw, type=_Marks)
        if any(steps[:1] in ((), ("id",)) for steps in typed_steps(resource_type, marks.attributes)):
            return True
        if bytes(marks.sensitive_attributes) in (b"[]", b"null"):
            return False
        paths, problems = decode_paths(bytes(marks.sensitive_attributes))
    except (ValueError, RecursionError):
        return True
    first = [step_key(path[0]) if path else "id" for path in paths]
    return bool(problems) or any(key == "id" or not isinstance(key, str) for key in first)
