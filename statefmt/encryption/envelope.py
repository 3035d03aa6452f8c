"""The envelope of an encrypted state: recognising, reading and writing it.

Source: OpenTofu `internal/encryption/base.go` and `state.go`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

import msgspec
from msgspec import Raw

from statefmt.encryption.encoding.base64_text import Base64Room, Base64Text, NotBase64Error
from statefmt.encryption.encoding.bytes_text import bytes_of, decode_base64, encode_base64
from statefmt.encryption.encoding.go_struct import (
    json_object,
    member,
    members_named,
    text,
    whole_number,
)
from statefmt.golang import (
    JSONValue,
    Members,
    encode_string,
    indent,
    loads_exact,
)
from statefmt.model.errors import EncryptionError

VERSION: Final = "v0"
# The data is nearly all of an envelope. It is taken out before the rest is read as JSON; the mark in its place is no
# base64, so it is found again with certainty.
_DATA: Final = re.compile(rb'"encrypted_data"[ \t\r\n]*:[ \t\r\n]*"')
# What OpenTofu writes after the data, in either layout.
_END: Final = re.compile(rb'"\s*,\s*"encryption_version"\s*:\s*"v0"\s*\}\s*\Z')
_LONGEST_END: Final = 200
_MARK: Final = "#"
# What stands around the data of an envelope: some hundred bytes for each key provider.
_MOST_AROUND: Final = 1_000_000
_MEMBERS: Final = frozenset({"serial", "lineage", "meta", "encrypted_data", "encryption_version"})
_NAMES: Final = frozenset({"encryption_version", "encrypted_data"})
# Where a plain state has its format version.
_HEAD: Final = 200


class EnvelopeLayout(Enum):
    """How an envelope is laid out: OpenTofu 1.12 indents it in local files, all other releases write one line."""

    COMPACT = "compact"
    INDENTED = "indented"


@dataclass(frozen=True, slots=True)
class Envelope:
    """What an envelope says: copies of serial and lineage, the metadata of key providers by key, and the data.

    `serial` is None and `lineage` is "" where there is none. Only the data is authenticated, if anything is. It is not
    decoded yet in an envelope that was read at a `glance`. `unknown` are the names of members that nobody reads.
    """

    serial: int | None
    lineage: str
    meta: Mapping[str, bytes]
    data: bytes | Base64Text
    layout: EnvelopeLayout = EnvelopeLayout.COMPACT
    unknown: tuple[str, ...] = field(default=(), compare=False)


def parse_envelope(data: bytes) -> Envelope | None:
    """The envelope that the bytes are, None where they are something else: a plain state, or nothing known.

    Raises EncryptionError where it is damaged or of another version.
    """
    found = glance(data)
    if found is None or isinstance(found.data, bytes):
        return found
    try:
        return replace(found, data=bytes(found.data))
    except NotBase64Error:
        return _read(data)


def glance(data: bytes) -> Envelope | None:
    """The same for something that is to be decrypted right away.

    Decoding the data may raise NotBase64Error then; what is wrong with it, if anything, is for `parse_envelope` to say.
    """
    return _read_as_written(data) or _read(data)


def version_of(data: bytes) -> str:
    """What an envelope says of its version; "" where it says nothing, or there is none."""
    try:
        document, _ = _document(data)
        return "" if document is None else text(member(document, "encryption_version"), "encryption_version")
    except ValueError:
        return ""


def _read_as_written(data: bytes) -> Envelope | None:
    """An envelope whose data stands where OpenTofu writes it, not decoded; None where that is not so."""
    end = _END.search(data, max(0, len(data) - _LONGEST_END))
    start = _DATA.search(data, 0, _MOST_AROUND) if end else None
    if start is None or end is None or start.end() > end.start():
        return None
    text = memoryview(data)[start.end() : end.start()]
    try:
        document = _around(data, start.end(), end.start())
        return _envelope(data, document, Base64Text(text)) if document else None
    except ValueError:
        return None


def _read(data: bytes) -> Envelope | None:
    """An envelope of any make-up. Raises EncryptionError."""
    try:
        document, blob = _document(data)
    except ValueError:
        if b'"encrypted_data"' in data and b'"version"' not in data[:_HEAD]:
            raise EncryptionError("the envelope is damaged: it is no valid JSON") from None
        return None
    if document is None:
        return None
    try:
        version = text(member(document, "encryption_version"), "encryption_version")
        if version != VERSION and version:
            raise EncryptionError(f"the envelope is of version {version}, and only {VERSION} can be read")
        if not version:
            if members_named(document, "encrypted_data") and not members_named(document, "version"):
                raise ValueError('it has no "encryption_version"')
            return None
        return _envelope(data, document, _data(member(document, "encrypted_data"), blob))
    except ValueError as error:
        raise EncryptionError(f"the envelope is damaged: {error}") from None


def write_envelope(envelope: Envelope) -> bytes:
    """The text of an envelope, to the byte as OpenTofu writes it."""
    return Base64Room.of(bytes(envelope.data)).framed(*frame(envelope))


def frame(envelope: Envelope) -> tuple[bytes, bytes]:
    """What OpenTofu writes before and after the base64 of the data, which is not looked at."""
    serial = b"null" if envelope.serial is None else b"%d" % envelope.serial
    meta = b",".join(encode_string(key) + b":" + encode_base64(envelope.meta[key]) for key in sorted(envelope.meta))
    head = b'{"serial":%b,"lineage":%b,"meta":{%b},"encrypted_data":' % (serial, encode_string(envelope.lineage), meta)
    tail = b',"encryption_version":"%b"}' % VERSION.encode()
    if envelope.layout is EnvelopeLayout.INDENTED:
        # Laid out around the data, which has nothing to lay out.
        mark = b'"%b"' % _MARK.encode()
        before, _, after = indent(head + mark + tail).rpartition(mark)
        head, tail = before, after + b"\n"
    return head + b'"', b'"' + tail


def _document(data: bytes) -> tuple[Members | None, memoryview | None]:
    """The envelope with a mark in place of its data, and the data's base64, None where it is still in there.

    None in place of the envelope, where it is another JSON object. Raises ValueError where it is none.
    """
    found = _DATA.search(data)
    if found is not None:
        end = data.find(b'"', found.end())
        if data.find(b"\\", found.end(), end) < 0:
            document = _around(data, found.end(), max(end, found.end()))
            if document is not None:
                return document, memoryview(data)[found.end() : max(end, found.end())]
    if not _names_envelope(data):
        return None, None
    return json_object(loads_exact(data, replace_invalid=True), "it"), None


def _around(data: bytes, start: int, end: int) -> Members | None:
    """The object with a mark in place of its data, which stands from `start` to `end`; None where it has other data.

    Raises ValueError where it is none.
    """
    if len(data) - (end - start) >= _MOST_AROUND:
        return None
    rest = loads_exact(data[:start] + _MARK.encode() + data[end:], replace_invalid=True)
    document = json_object(rest, "it")
    return document if member(document, "encrypted_data") == _MARK else None


def _envelope(data: bytes, document: Members, blob: bytes | Base64Text) -> Envelope:
    """The envelope that a document is. Raises ValueError."""
    return Envelope(
        whole_number(member(document, "serial"), "serial"),
        text(member(document, "lineage"), "lineage"),
        _meta(document),
        blob,
        EnvelopeLayout.INDENTED if data.startswith(b"{\n") else EnvelopeLayout.COMPACT,
        tuple(dict.fromkeys(name for name, _ in document if name.lower() not in _MEMBERS)),
    )


def _names_envelope(data: bytes) -> bool:
    """Whether a JSON object may have a member that only envelopes have, without a closer look at large states."""
    try:
        names = msgspec.json.decode(data, type=dict[str, Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # It may still be JSON as Go takes it.
        return True
    return not _NAMES.isdisjoint(name.lower() for name in names)


def _data(value: JSONValue, blob: memoryview | None) -> bytes:
    try:
        if blob is None:
            return bytes_of(value)
        found = bytes(blob)
        if b"\n" in found or b"\r" in found:
            # Go skips those that are escaped; as they are they make no JSON.
            raise ValueError("there is a line break in it")
        return decode_base64(found)
    except ValueError as error:
        raise ValueError(f'"encrypted_data": {error}') from None


def _meta(document: Members) -> dict[str, bytes]:
    """The metadata by key; Go joins the members of several objects."""
    found: dict[str, bytes] = {}
    for value in members_named(document, "meta"):
        if value is None:
            found = {}
            continue
        for key, entry in json_object(value, '"meta"'):
            try:
                found[key] = bytes_of(entry)
            except ValueError as error:
                raise ValueError(f'"meta", {key!r}: {error}') from None
    return found
