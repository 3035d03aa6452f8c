"""Writes a state of whole values, each with the bytes that it was found with."""

from __future__ import annotations

from collections.abc import Iterable

from statefmt.formats.salvage.fill import Backup
from statefmt.formats.salvage.model import Envelope, FoundObject, Head
from statefmt.golang import encode_string
from statefmt.model.errors import StoreError
from statefmt.model.snapshot import HIGHEST_SERIAL

_NEXT_LINE = b",\n"


def salvaged_envelope(envelope: Envelope, backups: Iterable[Backup]) -> Envelope:
    """Return the members beside the resources, with those that are lost from the newest backup, and the serial + 1.

    The serial is higher than that of the file and of each backup. Raises StoreError if there is no higher one, or
    nothing says which lineage the state has.
    """
    backups = sorted(backups, key=lambda one: one.document.envelope.serial or 0, reverse=True)
    known = [envelope, *(one.document.envelope for one in backups)]
    serial = max(one.serial or 0 for one in known)
    if serial >= HIGHEST_SERIAL:
        raise StoreError(f"the serial is {HIGHEST_SERIAL}, the highest possible, so no state can follow this one")
    lineage = next((one.lineage for one in known if one.lineage), "")
    release = next((one.terraform_version for one in known if one.terraform_version), None)
    names = {name for name, _ in envelope.outputs}
    outputs = list(envelope.outputs)
    if envelope.check_results is None and backups:
        # The file ends before its check results, so it may lack outputs too.
        outputs += [(name, raw) for name, raw in known[1].outputs if name not in names]
    return Envelope(4, release, serial + 1, lineage, tuple(outputs), envelope.check_results)


def salvaged_state(envelope: Envelope, objects: Iterable[FoundObject]) -> bytes:
    """Return the bytes of a state of format version 4: envelope and objects as they were found, indented around them.

    Resources come in the order of their first object.
    """
    head = [b'"version": 4']
    if envelope.terraform_version is not None:
        head.append(b'"terraform_version": ' + envelope.terraform_version)
    head.append(b'"serial": %d' % (envelope.serial or 0))
    head.append(b'"lineage": ' + encode_string(envelope.lineage or ""))
    outputs = _NEXT_LINE.join(b"    " + encode_string(name) + b": " + raw for name, raw in envelope.outputs)
    head.append(b'"outputs": ' + (b"{\n" + outputs + b"\n  }" if outputs else b"{}"))
    heads: dict[str, Head] = {}
    instances: dict[str, list[bytes]] = {}
    for found in objects:
        assert found.key is not None and found.head is not None
        heads.setdefault(found.key.resource, found.head)
        instances.setdefault(found.key.resource, []).append(found.raw)
    blocks = _NEXT_LINE.join(_block(heads[resource], raws) for resource, raws in instances.items())
    head.append(b'"resources": ' + (b"[\n" + blocks + b"\n  ]" if blocks else b"[]"))
    head.append(b'"check_results": ' + (envelope.check_results or b"null"))
    return b"{\n" + _NEXT_LINE.join(b"  " + member for member in head) + b"\n}\n"


def _block(head: Head, raws: Iterable[bytes]) -> bytes:
    members = [b"      " + encode_string(name) + b": " + value for name, value in head.members]
    instances = _NEXT_LINE.join(b"        " + raw for raw in raws)
    members.append(b'      "instances": [\n' + instances + b"\n      ]")
    return b"    {\n" + _NEXT_LINE.join(members) + b"\n    }"
