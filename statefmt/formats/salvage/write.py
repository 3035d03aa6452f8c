"""Writes a state of whole values, each with the bytes that it was found with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from statefmt.formats.salvage.fill import Backup, Filled
from statefmt.formats.salvage.model import FoundObject, Head, SalvagedDocument, SalvagedEnvelope, StateLayout
from statefmt.formats.salvage.salvage import salvage
from statefmt.golang import encode_string
from statefmt.model.errors import StoreError
from statefmt.model.snapshot import HIGHEST_SERIAL


def salvaged_envelope(envelope: SalvagedEnvelope, backups: Iterable[Backup], filled: Filled) -> SalvagedEnvelope:
    """Return the members beside the resources, with those that are lost from the newest backup, and the serial + 1.

    The serial is higher than that of the file and of each backup; 1 if the file has lost its own and there is no
    backup. The lineage is then "" if that is lost, too. Raises StoreError if no serial is higher.
    """
    newest_first = sorted(backups, key=lambda one: one.document.envelope.serial or 0, reverse=True)
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
    """Return the bytes of a state of format version 4: envelope and objects as they were found.

    A state that is whole keeps all its bytes but the serial. Otherwise what is around the objects is laid out as the
    damaged state was, and resources come in the order of their first object. Raises StoreError if the result, read
    again, does not have exactly these objects.
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
    members: list[tuple[str, Iterable[bytes]]] = [("version", [b"4"])]
    if envelope.terraform_version is not None:
        members.append(("terraform_version", [envelope.terraform_version]))
    members.append(("serial", [b"%d" % (envelope.serial or 0)]))
    members.append(("lineage", [encode_string(envelope.lineage or "")]))
    outputs = _object(layout, 1, [(name, [raw]) for name, raw in envelope.outputs])
    members += [(name, [raw]) for name, raw in envelope.others]
    members += [("outputs", outputs), ("resources", _array(layout, 1, blocks))]
    members.append(("check_results", [envelope.check_results or b"null"]))
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
