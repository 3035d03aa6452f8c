"""Finds the intact parts of a state file that is no longer JSON: truncated, for example, or with merge conflicts.

Missing parts come from backups, and the result is written as a state.
"""

from __future__ import annotations

import codecs
import html
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from statefmt.formats.reading import without_repeated
from statefmt.formats.reading.damaged import unwrapped
from statefmt.formats.salvage._collect import documents
from statefmt.formats.salvage._scan import BreakKind, Scan, scan
from statefmt.formats.salvage.model import (
    Doubt,
    FoundObject,
    Head,
    LostObject,
    Salvage,
    SalvagedDocument,
    SalvagedEnvelope,
    SalvagedKey,
    StateLayout,
)
from statefmt.golang import encode_string
from statefmt.model.errors import StoreError
from statefmt.model.snapshot import HIGHEST_SERIAL
from statefmt.text import pattern


def salvage(data: bytes) -> Salvage:
    """Return the states of format version 4 in a file, whole or in part. Never raises on bad data.

    Takes only whole values, with their bytes unchanged. If the file may be torn (a new beginning and an old end),
    objects that may contain the seam have a doubt. A tear that leaves valid JSON without repeated objects cannot be
    detected. If two seams are detected, all objects have a doubt, since further seams may be hidden: two writers
    mixed their blocks. Repeated members of a readable state are merged first, as OpenTofu reads them. Of an encrypted
    state, only the serial and the lineage can be read: no part can be decrypted without the rest.
    """
    text, undone, is_cut, advice = decoded(data)
    text = without_repeated(text)
    scanned = scan(text)
    found = documents(text, scanned)
    if ENTITIES not in undone:
        found = tuple(doubted_on_page(text, one) for one in found)
    return Salvage(
        documents=found,
        undone=undone,
        breaks=tuple(one.position for one in scanned.breaks),
        text=text,
        is_whole=not is_cut and _is_whole(text, found, scanned),
        lacks_end=is_cut or (bool(scanned.breaks) and scanned.breaks[-1].kind is BreakKind.END),
        advice=advice,
    )


def _is_whole(text: bytes, found: Sequence[SalvagedDocument], scanned: Scan) -> bool:
    """Decide whether a file is whole; no other function does.

    The file is whole if it has one state, that two parsers accept as JSON from its first bracket to its last, and no
    other text in the file can be part of a state: the beginning of a new state may follow an old one.
    """
    if len(found) != 1 or not found[0].is_whole or scanned.breaks:
        return False
    state = found[0]
    try:
        msgspec.json.decode(state.raw, type=msgspec.Raw)
        state.raw.decode()
    except (ValueError, RecursionError):
        return False
    gaps, position = [], 0
    for node in scanned.nodes:
        if node.start < state.start:
            gaps.append(text[position : node.start])
            position = node.end
    gaps.append(text[position : state.start])
    behind = _PART_OF_STATE.search(text, state.start + len(state.raw))
    return behind is None and not any(_PART_OF_OBJECT.search(gap) for gap in gaps)


# Characters of the beginning of a state, and of its end.
_PART_OF_OBJECT: Final = pattern(rb"[{}]")
_PART_OF_STATE: Final = pattern(rb'[{}\[\]":,]')


_MARKER: Final = pattern(rb"(?m)^(<{7}|\|{7}|={7}|>{7})(?: [^\n]*)?\r?(?:\n|\Z)")


class Sides(NamedTuple):
    """The file as each side of a merge had it."""

    ours: bytes
    theirs: bytes


def sides(data: bytes) -> Sides | None:
    """Return both sides of a file with git's conflict markers, to be salvaged one by one.

    Returns None if there are no markers, or if they are out of order.
    """
    text = decoded(data).text
    if not text.startswith(b"<<<<<<<") and b"\n<<<<<<<" not in text:
        return None
    parts: list[tuple[bytes, bytes]] = []
    part, position = b"", 0
    for marker in _MARKER.finditer(text):
        if marker[1][:1] not in _NEXT[part]:
            return None
        parts.append((part, text[position : marker.start()]))
        part = b"" if marker[1].startswith(b">") else marker[1][:1]
        position = marker.end()
    if part:
        return None
    parts.append((part, text[position:]))
    ours, theirs = (b"".join(lines for of, lines in parts if of in (b"", side)) for side in (b"<", b"="))
    return Sides(ours, theirs)


_NEXT: Final = {b"": b"<", b"<": b"|=", b"|": b"=", b"=": b">"}


_UTF16: Final = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
ENTITIES: Final = "HTML entities"
_SAMPLE: Final = 4096
_QUOTE: Final = rb"&(?:quot|#34|#x22);"
# A state in the text of a web page has neither quotes nor tags. Text in a state follows a member with quotes.
_ESCAPED_STATE: Final = pattern(
    rb"\{\s*" + _QUOTE + rb"(?:version|serial|lineage)" + _QUOTE + rb'[^"<]*+'
)  # fmt: skip
_MEMBER: Final = pattern(rb'[{,]\s*"\w++"\s*:')
# Terminal colors. No JSON contains the first byte.
_COLOR: Final = pattern(rb"\x1b\[[0-9;]*+[mK]")


class DecodedText(NamedTuple):
    """The text in UTF-8, and the encodings that were undone (such as "UTF-16").

    `is_cut` if the text comes from a file that lacks its end; `advice` is further advice about such a file.
    """

    text: bytes
    undone: tuple[str, ...] = ()
    is_cut: bool = False
    advice: tuple[str, ...] = ()


def decoded(data: bytes) -> DecodedText:
    """Return the text of a file. Halves of characters stay invalid UTF-8, so that damage is detected."""
    data, layers = unwrapped(data)
    undone = tuple(layer.what for layer in layers)
    if data.startswith(codecs.BOM_UTF8):
        data, undone = data[len(codecs.BOM_UTF8) :], (*undone, "a byte order mark")
    elif encoding := _utf16(data):
        text = data[: len(data) // 2 * 2].decode(encoding, "surrogatepass").removeprefix("\ufeff")
        data, undone = text.encode("utf-8", "surrogatepass"), (*undone, "UTF-16")
    if b"\x1b[" in data:
        data, undone = _COLOR.sub(b"", data), (*undone, "terminal colors")
    escaped = _ESCAPED_STATE.search(data)
    if escaped is not None and _MEMBER.search(data, 0, escaped.start()) is None:
        unescaped = html.unescape(escaped[0].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        data = data[: escaped.start()] + unescaped + data[escaped.end() :]
        undone = (*undone, ENTITIES)
    advice = tuple(layer.advice for layer in layers if layer.advice)
    return DecodedText(data, undone, any(layer.is_cut for layer in layers), advice)


def _utf16(data: bytes) -> str:
    for mark, encoding in _UTF16:
        if data.startswith(mark):
            return encoding
    sample = data.rstrip(b"\0")[:_SAMPLE]
    if len(sample) < 4 or (sample[0] and sample[1]):
        return ""
    # JSON is mostly ASCII: exactly every other byte is zero.
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.8 and even < half * 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > half * 0.8 and odd < half * 0.1 else ""


_TAG: Final = pattern(rb"(?i)<(?:!doctype|html|body|div|pre|code|textarea)\b[^<>]*+>\s*+\Z")
_LONGEST_TAG: Final = 1000
_ENTITY: Final = pattern(rb"&(?:amp|lt|gt|quot|apos|#[0-9]++|#x[0-9a-fA-F]++);")


def doubted_on_page(text: bytes, document: SalvagedDocument) -> SalvagedDocument:
    """Return a state with a doubt for each object that contains an entity, if a tag directly precedes the state."""
    front = text[max(document.start - _LONGEST_TAG, 0) : document.start]
    if _TAG.search(front) is None:
        return document
    objects = tuple(
        replace(one, doubt=Doubt.ESCAPED) if one.doubt is None and _has_entity(one) else one for one in document.objects
    )
    envelope = document.envelope
    outputs = tuple((name, raw) for name, raw in envelope.outputs if _ENTITY.search(raw) is None)
    if objects == document.objects and outputs == envelope.outputs:
        return document
    lost = tuple(name for name, raw in envelope.outputs if _ENTITY.search(raw) is not None)
    return replace(
        document,
        envelope=replace(envelope, outputs=outputs),
        objects=objects,
        lost_outputs=(*document.lost_outputs, *lost),
        is_whole=False,
        raw=b"",
        serial_at=-1,
    )


def _has_entity(found: FoundObject) -> bool:
    parts = [found.raw, *(raw for _, raw in (found.head.members if found.head else ()))]
    return any(_ENTITY.search(part) is not None for part in parts)


class Backup(Struct, frozen=True):
    """A backup: its name in messages, and its state, of which only certain parts count."""

    name: str
    document: SalvagedDocument


class Filled(Struct, frozen=True, kw_only=True):
    """The contents of a state after filling it from its backups.

    `taken` are the objects of the result, `uncertain` the omitted objects, `missing` the objects that the file names
    and that were not found. `outputs` are names and bytes, `uncertain_outputs` the names of outputs that only backups
    have.
    """

    taken: tuple[FoundObject, ...]
    uncertain: tuple[FoundObject, ...]
    missing: tuple[LostObject, ...]
    outputs: tuple[tuple[str, bytes], ...] = ()
    uncertain_outputs: tuple[str, ...] = ()


def refuse_other_states(document: SalvagedDocument, backups: Iterable[Backup]) -> None:
    """Raise StoreError for a backup whose lineage differs from the file's or, if that is lost, the other backups'."""
    lineage = document.envelope.lineage
    for backup in backups:
        theirs = backup.document.envelope.lineage
        lineage = lineage or theirs
        if theirs != lineage:
            raise StoreError(
                f"{backup.name}: this is a backup of another state: its lineage is {theirs or 'missing'}, not {lineage}"
            )


def filled(document: SalvagedDocument, backups: Sequence[Backup], *, include_uncertain: bool = False) -> Filled:
    """Fill missing parts from backups of the same lineage; of each object, the version in the newest state counts.

    An object that only backups have is uncertain: it may have been destroyed since. An object that the file still
    names, or whose bytes it has, is taken; so are outputs. Raises StoreError for a backup of another lineage.
    """
    refuse_other_states(document, backups)
    newest_first = sorted(backups, key=_serial, reverse=True)
    best = _best(newest_first)
    heads = _heads(document)
    taken = {found.key: found for found in document.certain if found.key is not None}
    known = _named(document) | _recognized(document, best)
    uncertain: list[FoundObject] = []
    for key, (found, backup) in best.items():
        if key in taken and not _is_newer(backup, document):
            continue
        head = heads.get(key.resource)
        if head is not None and found.head is not None and head.provider != found.head.provider:
            if key not in taken:
                uncertain.append(replace(found, doubt=Doubt.PROVIDER))
        elif key in taken or key in known or include_uncertain:
            taken[key] = found
        else:
            uncertain.append(replace(found, doubt=Doubt.ONLY_IN_BACKUP))
    contents = {found.raw for found in taken.values()}
    for found in document.objects:
        if found.doubt is None:
            continue
        fits = found.key is not None and found.doubt not in (Doubt.PROVIDER, Doubt.SEAM)
        if include_uncertain and fits and found.key is not None and found.key not in taken:
            taken[found.key] = found
        elif found.doubt is not Doubt.REPEATED and not (found.doubt is Doubt.HEADLESS and found.raw in contents):
            uncertain.append(found)
    outputs, left = _outputs(document, newest_first, include_uncertain=include_uncertain)
    return Filled(
        taken=tuple(taken.values()),
        uncertain=tuple(uncertain),
        missing=tuple(lost for lost in document.lost if lost.key not in taken),
        outputs=outputs,
        uncertain_outputs=left,
    )


def _serial(backup: Backup) -> int:
    return backup.document.envelope.serial or 0


def _is_newer(backup: Backup, document: SalvagedDocument) -> bool:
    return document.envelope.serial is not None and _serial(backup) > document.envelope.serial


def _best(newest_first: Iterable[Backup]) -> dict[SalvagedKey, tuple[FoundObject, Backup]]:
    best: dict[SalvagedKey, tuple[FoundObject, Backup]] = {}
    for backup in newest_first:
        for found in backup.document.certain:
            if found.key is not None and found.key not in best:
                best[found.key] = replace(found, source=backup.name), backup
    return best


def _heads(document: SalvagedDocument) -> dict[str, Head]:
    """Return the heads of resources by address: heads of certain objects before heads of lost ones."""
    heads: dict[str, Head] = {}
    for found in document.certain:
        if found.head is not None:
            heads.setdefault(found.head.address, found.head)
    for lost in document.lost:
        heads.setdefault(lost.head.address, lost.head)
    return heads


def _named(document: SalvagedDocument) -> set[SalvagedKey]:
    """Return the objects that the file names, but has only damaged or uncertain."""
    # Data after the end of a state is not part of it, and the text of a torn object may name anything.
    other = (None, Doubt.NESTED, Doubt.LOOSE, Doubt.BEHIND)
    doubtful = {one.key for one in document.objects if one.key is not None and one.doubt not in other}
    return doubtful | {lost.key for lost in document.lost}


def _recognized(document: SalvagedDocument, best: dict[SalvagedKey, tuple[FoundObject, Backup]]) -> set[SalvagedKey]:
    """Return the objects whose bytes the file has with a doubt, or without their resource if it is unambiguous."""
    pairs = {(found.key, found.raw) for found in document.objects if found.doubt not in (None, Doubt.BEHIND)}
    headless = {found.raw for found in document.objects if found.doubt is Doubt.HEADLESS}
    number = Counter(found.raw for found, _ in best.values()) if headless else Counter[bytes]()
    return {
        key
        for key, (found, _) in best.items()
        if (key, found.raw) in pairs or (number[found.raw] == 1 and found.raw in headless)
    }


def _outputs(
    document: SalvagedDocument, newest_first: Iterable[Backup], *, include_uncertain: bool
) -> tuple[tuple[tuple[str, bytes], ...], tuple[str, ...]]:
    """Return the outputs of the result, and the names of outputs that only backups have."""
    taken = dict(document.envelope.outputs)
    uncertain: dict[str, None] = {}
    seen: set[str] = set()
    for backup in newest_first:
        for name, raw in backup.document.envelope.outputs:
            if name in seen or (name in taken and not _is_newer(backup, document)):
                continue
            seen.add(name)
            if name in taken or name in document.lost_outputs or include_uncertain:
                taken[name] = raw
            else:
                uncertain[name] = None
    return tuple(taken.items()), tuple(uncertain)


def salvaged_envelope(envelope: SalvagedEnvelope, backups: Iterable[Backup], filled: Filled) -> SalvagedEnvelope:
    """Return the members other than resources, with lost ones from the newest backup, and the serial + 1.

    The serial is higher than the serials of the file and of each backup; 1 if the file has lost its serial and there
    is no backup. The lineage is then "" if it is lost, too. Raises StoreError if no serial is higher.
    """
    newest_first = sorted(backups, key=_serial, reverse=True)
    known = [envelope, *(one.document.envelope for one in newest_first)]
    serial = max(one.serial or 0 for one in known)
    if serial >= HIGHEST_SERIAL:
        raise StoreError(f"the serial is {HIGHEST_SERIAL}, the highest possible, so no state can follow this one")
    return SalvagedEnvelope(
        version=4,
        terraform_version=next((one.terraform_version for one in known if one.terraform_version), None),
        serial=serial + 1,
        lineage=next((one.lineage for one in known if one.lineage), ""),
        outputs=filled.outputs,
        check_results=envelope.check_results,
        others=envelope.others,
    )


def salvaged_state(document: SalvagedDocument, envelope: SalvagedEnvelope, objects: Sequence[FoundObject]) -> bytes:
    """Return the bytes of a state of format version 4, with the envelope and objects as found.

    A whole state keeps all its bytes but the serial. Otherwise the text around the objects is laid out as in the
    damaged state, and resources come in the order of their first object. Raises StoreError if the result, read again,
    does not have exactly these objects.
    """
    content = _own(document, envelope, objects) or _composed(document.layout, envelope, objects)
    read = salvage(content).documents
    expected = sorted((str(one.key), one.raw) for one in objects)
    if len(read) != 1 or sorted((str(one.key), one.raw) for one in read[0].objects) != expected:
        raise StoreError("the salvaged state does not have the objects that were found when it is read again")
    return content


def _own(document: SalvagedDocument, envelope: SalvagedEnvelope, objects: Sequence[FoundObject]) -> bytes | None:
    old = document.envelope
    is_same = (old.lineage or "", old.outputs) == (envelope.lineage, envelope.outputs)
    if not document.raw or document.serial_at < 0 or not is_same:
        return None
    if [(one.key, one.raw) for one in objects] != [(one.key, one.raw) for one in document.certain]:
        return None
    begin, digits = document.serial_at, str(old.serial)
    return document.raw[:begin] + b"%d" % (envelope.serial or 0) + document.raw[begin + len(digits) :]


def _composed(layout: StateLayout, envelope: SalvagedEnvelope, objects: Iterable[FoundObject]) -> bytes:
    heads: dict[str, Head] = {}
    instances: dict[str, list[bytes]] = {}
    for found in objects:
        assert found.key is not None and found.head is not None
        heads.setdefault(found.key.resource, found.head)
        instances.setdefault(found.key.resource, []).append(found.raw)
    blocks = (_block(layout, heads[resource], raws) for resource, raws in instances.items())
    release = envelope.terraform_version
    members: list[tuple[str, Iterable[bytes]]] = [
        ("version", [b"4"]),
        *((("terraform_version", [release]),) if release is not None else ()),
        ("serial", [b"%d" % (envelope.serial or 0)]),
        ("lineage", [encode_string(envelope.lineage or "")]),
        *((name, [raw]) for name, raw in envelope.others),
        ("outputs", _object(layout, 1, [(name, [raw]) for name, raw in envelope.outputs])),
        ("resources", _array(layout, 1, blocks)),
        ("check_results", [envelope.check_results or b"null"]),
    ]
    return b"".join([*_object(layout, 0, members), layout.line or b"\n"])


def _block(layout: StateLayout, head: Head, raws: Iterable[bytes]) -> Iterator[bytes]:
    instances = _array(layout, 3, ([raw] for raw in raws))
    return _object(layout, 2, [*((name, [raw]) for name, raw in head.members), ("instances", instances)])


def _object(layout: StateLayout, depth: int, members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    values = (chain([encode_string(name) + layout.colon], pieces) for name, pieces in members)
    return chain([b"{"], _lines(layout, depth, values), [b"}"])


def _array(layout: StateLayout, depth: int, values: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    return chain([b"["], _lines(layout, depth, values), [b"]"])


def _lines(layout: StateLayout, depth: int, values: Iterable[Iterable[bytes]]) -> Iterator[bytes]:
    """Yield the pieces of values in an object or array at a depth, with the line breaks around them."""
    inner, number = layout.line + layout.indent * (depth + 1), 0
    for number, value in enumerate(values, 1):
        yield inner if number == 1 else b"," + inner
        yield from value
    if number:
        yield layout.line + layout.indent * depth
