"""Recognizes, reads and writes the envelope of an encrypted state.

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

from statefmt.encryption._encoding import (
    Base64Room,
    Base64Text,
    NotBase64Error,
    bytes_of,
    decode_base64,
    encode_base64,
    json_object,
    member,
    members_named,
    text,
    whole_number,
)
from statefmt.golang import JSONValue, Members, encode_string, fold_name, indent, loads_exact
from statefmt.model.errors import EncryptionError

VERSION: Final = "v0"
# The data is nearly all of an envelope, so it is cut out before the rest is parsed as JSON. The mark in its place is
# not valid base64, so it cannot be confused with data.
_DATA: Final = re.compile(rb'"encrypted_data"[ \t\r\n]*:[ \t\r\n]*"')
# What OpenTofu writes after the data, in either layout.
_END: Final = re.compile(rb'"\s*,\s*"encryption_version"\s*:\s*"v0"\s*\}\s*\Z')
_LONGEST_END: Final = 200
_MARK: Final = "#"
# Limit for the size of an envelope without its data: each key provider needs some hundred bytes.
_MOST_AROUND: Final = 1_000_000
_MEMBERS: Final = frozenset({"serial", "lineage", "meta", "encrypted_data", "encryption_version"})
_NAMES: Final = frozenset({"encryption_version", "encrypted_data"})
# A plain state has its format version within these first bytes.
_HEAD: Final = 200


class EnvelopeLayout(Enum):
    """The layout of an envelope: OpenTofu 1.12 indents it in local files, all other releases write one line."""

    COMPACT = "compact"
    INDENTED = "indented"


@dataclass(frozen=True, slots=True)
class Envelope:
    """The content of an envelope: copies of serial and lineage, the metadata of key providers by key, and the data.

    `serial` is None and `lineage` is "" if missing. Only the data can be authenticated. In an envelope from `glance` it
    is not decoded yet. `unknown` are the names of members that OpenTofu does not read.
    """

    serial: int | None
    lineage: str
    meta: Mapping[str, bytes]
    data: bytes | Base64Text
    layout: EnvelopeLayout = EnvelopeLayout.COMPACT
    unknown: tuple[str, ...] = field(default=(), compare=False)


def parse_envelope(data: bytes) -> Envelope | None:
    """Parse an envelope; None if the bytes are anything else, such as a plain state.

    Raises EncryptionError if the envelope is damaged or has an unknown version.
    """
    found = glance(data)
    if found is None or isinstance(found.data, bytes):
        return found
    try:
        return replace(found, data=bytes(found.data))
    except NotBase64Error:
        return _read(data)


def glance(data: bytes) -> Envelope | None:
    """Like parse_envelope(), but leaves the data undecoded, for decryption right away.

    Decoding the data may raise NotBase64Error; call `parse_envelope` then, which also accepts what only Go accepts.
    """
    return _read_as_written(data) or _read(data)


def version_of(data: bytes) -> str:
    """Return the version of an envelope; "" if it has none or the bytes are not an envelope."""
    try:
        document, _ = _document(data)
        return "" if document is None else text(member(document, "encryption_version"), "encryption_version")
    except ValueError:
        return ""


def _read_as_written(data: bytes) -> Envelope | None:
    """Read an envelope in the order that OpenTofu writes, without decoding its data; None if it differs from that."""
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
    """Read an envelope with members in any order. Raises EncryptionError."""
    try:
        document, blob = _document(data)
    except ValueError:
        if b'"encrypted_data"' in data and b'"version"' not in data[:_HEAD]:
            raise EncryptionError("the envelope is damaged: it is not valid JSON") from None
        return None
    if document is None:
        return None
    try:
        version = text(member(document, "encryption_version"), "encryption_version")
        if version != VERSION and version:
            raise EncryptionError(f"the envelope has version {version}, but only {VERSION} is supported")
        if not version:
            if members_named(document, "encrypted_data") and not members_named(document, "version"):
                raise ValueError('it has no "encryption_version"')
            return None
        return _envelope(data, document, _data(member(document, "encrypted_data"), blob))
    except ValueError as error:
        raise EncryptionError(f"the envelope is damaged: {error}") from None


def write_envelope(envelope: Envelope) -> bytes:
    """Write an envelope, byte for byte as OpenTofu does."""
    return Base64Room.of(bytes(envelope.data)).framed(*frame(envelope))


def frame(envelope: Envelope) -> tuple[bytes, bytes]:
    """Return the bytes that OpenTofu writes before and after the base64 of the data."""
    serial = b"null" if envelope.serial is None else b"%d" % envelope.serial
    meta = b",".join(encode_string(key) + b":" + encode_base64(envelope.meta[key]) for key in sorted(envelope.meta))
    head = b'{"serial":%b,"lineage":%b,"meta":{%b},"encrypted_data":' % (serial, encode_string(envelope.lineage), meta)
    tail = b',"encryption_version":"%b"}' % VERSION.encode()
    if envelope.layout is EnvelopeLayout.INDENTED:
        # Indent only the part around the data, which is one string.
        mark = b'"%b"' % _MARK.encode()
        before, _, after = indent(head + mark + tail).rpartition(mark)
        head, tail = before, after + b"\n"
    return head + b'"', b'"' + tail


def _document(data: bytes) -> tuple[Members | None, memoryview | None]:
    """Parse an envelope with a mark in place of its data; also return the data's base64, None if it was not cut out.

    The first value is None for any other JSON object. Raises ValueError if the bytes are not a JSON object.
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
    """Parse an envelope with a mark in place of the bytes from `start` to `end`; None if those are not its data.

    Raises ValueError if the result is not a JSON object.
    """
    if len(data) - (end - start) >= _MOST_AROUND:
        return None
    rest = loads_exact(data[:start] + _MARK.encode() + data[end:], replace_invalid=True)
    document = json_object(rest, "it")
    return document if member(document, "encrypted_data") == _MARK else None


def _envelope(data: bytes, document: Members, blob: bytes | Base64Text) -> Envelope:
    """Build an envelope from its members. Raises ValueError."""
    return Envelope(
        whole_number(member(document, "serial"), "serial"),
        text(member(document, "lineage"), "lineage"),
        _meta(document),
        blob,
        EnvelopeLayout.INDENTED if data.startswith(b"{\n") else EnvelopeLayout.COMPACT,
        tuple(dict.fromkeys(name for name, _ in document if fold_name(name) not in _MEMBERS)),
    )


def _names_envelope(data: bytes) -> bool:
    """Return whether a JSON object may have a member of envelopes, without parsing large states in full."""
    try:
        names = msgspec.json.decode(data, type=dict[str, Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # Go may still accept it as JSON.
        return True
    return not _NAMES.isdisjoint(fold_name(name) for name in names)


def _data(value: JSONValue, blob: memoryview | None) -> bytes:
    try:
        if blob is None:
            return bytes_of(value)
        found = bytes(blob)
        if b"\n" in found or b"\r" in found:
            # Go skips escaped line breaks in base64, but unescaped ones are invalid JSON.
            raise ValueError("it contains a line break")
        return decode_base64(found)
    except ValueError as error:
        raise ValueError(f'"encrypted_data": {error}') from None


def _meta(document: Members) -> dict[str, bytes]:
    """Return the metadata by key; like Go, merge repeated objects."""
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
