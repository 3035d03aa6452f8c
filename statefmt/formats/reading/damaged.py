"""Describes a file that cannot be read as a state: its kind, its known parts, and how it is wrapped or truncated."""

from __future__ import annotations

import base64
import binascii
import bz2
import codecs
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw

from statefmt.formats.raw_json import container_at, json_problem, locate
from statefmt.formats.raw_json.slips import mended
from statefmt.golang import loads_exact
from statefmt.model.snapshot import HIGHEST_SERIAL, Snapshot
from statefmt.text import pattern

# Every release writes a state, and OpenTofu an envelope, in this order.
_HEAD: Final = pattern(
    rb'\s*\{\s*("version":\s*[0-9]+,\s*("terraform_version":\s*"[^"\\]*",\s*)?)?'
    rb'"serial":\s*([0-9]{1,20}),\s*"lineage":\s*("[^"\\]*")'
)
# In bytes; a state has no or little white space before the first brace.
_LONGEST_START: Final = 1 << 16
# Parts of a state of format version 4, also in UTF-16 and HTML: its head, or a resource.
_PARTS: Final = (
    (
        pattern(rb'(?:"|&quot;)version(?:"|&quot;)\s*:\s*4\b'),
        pattern(rb'(?:"|&quot;)lineage(?:"|&quot;)\s*:\s*(?:"|&quot;)'),
    ),
    (
        pattern(rb'(?:"|&quot;)mode(?:"|&quot;)\s*:\s*(?:"|&quot;)(?:managed|data)(?:"|&quot;)'),
        pattern(rb'(?:"|&quot;)instances(?:"|&quot;)\s*:\s*\['),
    ),
)
_MARKER: Final = pattern(rb"(?m)^<{7}(?: |\r?$)")
_SEPARATOR: Final = pattern(rb"(?m)^={7}\r?$")
_MOST_SLIPS: Final = 3
# The effect of the command on such a file, after the command's name.
SALVAGING: Final = " shows what is whole in this file, and saves it."
# In digits.
_LONGEST_SERIAL: Final = 20


def known_snapshot(data: bytes) -> Snapshot:
    """Return an empty snapshot with the serial and lineage of a damaged state; 0 and "" where they are unknown."""
    if is_json_object(data):
        items = map(container_at(data).find, ("serial", "lineage"))
        serial, lineage = (b"" if item is None else data[item.value.start : item.value.end] for item in items)
    else:
        head = _HEAD.match(data)
        serial, lineage = (head[3], head[4]) if head else (b"", b"")
    number = int(serial) if serial.isdigit() and len(serial) <= _LONGEST_SERIAL else 0
    text = str(loads_exact(lineage, replace_invalid=True)) if lineage.startswith(b'"') else ""
    return Snapshot(serial=number if number <= HIGHEST_SERIAL else 0, lineage=text)


def is_json_object(data: bytes) -> bool:
    """Return whether data is one JSON object, with any members."""
    return data[:_LONGEST_START].lstrip().startswith(b"{") and _is_json(data)


def may_be_torn(data: bytes) -> bool:
    """Return whether data that is not a state may be the remains of one: empty, zeroed, truncated, or with parts."""
    start = data[:_LONGEST_START].lstrip()
    return ((not start or start.startswith((b"{", b"\0"))) and not _is_json(data)) or has_parts(data)


def has_parts(data: bytes) -> bool:
    """Return whether a file that is not a state contains one, or parts of one if it is not JSON, for `salvage`."""
    content, layers = unwrapped(data)
    text = content.replace(b"\0", b"")
    found = (all(part.search(text) for part in parts) for parts in _PARTS)
    # Python's parser takes UTF-16, which OpenTofu does not.
    return any(found) and (bool(layers) or not _is_json(data.decode("utf-8", "replace")))


def not_json(data: bytes, error: msgspec.DecodeError | UnicodeDecodeError) -> str:
    """Return why a file is not JSON: its actual format, a mistake of a hand edit, or the first syntax error."""
    if what := description(data):
        return f"The file is not JSON: it is {what.removeprefix('The file is ')}"
    marker = _MARKER.search(data)
    if marker is not None and _SEPARATOR.search(data, marker.end()) is not None:
        place = locate(data, marker.start(), "git's conflict markers")
        return f"The file is not JSON: {place.reason} at line {place.line:,}, column {place.column:,}."
    # The search for mistakes treats a byte order mark as white space, and would report it as such.
    fixed = None if data.startswith(codecs.BOM_UTF8) else mended(data)
    if fixed is None:
        return f"The file is not JSON: {json_problem(data, error)}."
    return f"The file is not JSON: {', '.join(f'{slip} (byte {slip.offset})' for slip in fixed.slips[:_MOST_SLIPS])}."


def names_format(data: bytes) -> bool:
    """Return whether the first member is the format version, as in every plain state."""
    head = _HEAD.match(data)
    return head is not None and head[1] is not None


def _is_json(data: bytes | str) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


_STATE_MEMBERS: Final = ("lineage", "serial", "resources", "modules")
# In bytes of all unwrapped layers: a small file may expand to any size.
_LARGEST: Final = 128 << 20
# Such as base64 of gzip in a member of an answer.
_MOST_LAYERS: Final = 5
# In bytes: the size of a decompression step, both of its input and its output.
_BLOCK_SIZE: Final = 1 << 14
_PIECE_SIZE: Final = 1 << 20
_DEEPEST: Final = 4
_STATE_START: Final = pattern(rb'\s*+\{\s*+"version"\s*+:\s*+[0-9]')
_CHUNK: Final = pattern(rb"([0-9a-fA-F]{1,8})(?:;[^\r\n]*+)?\r\n")
_CHUNKED: Final = pattern(rb'[0-9a-fA-F]{1,8}(?:;[^\r\n]*+)?\r\n\s*+\{\s*+"')
_BASE64: Final = pattern(rb"[A-Za-z0-9+/_-]++(?:\r?\n[A-Za-z0-9+/_-]++)*+={0,2}\s*+\Z")
_SECRET: Final = pattern(rb"(?m)^[ \t]++tfstate:\s*+([A-Za-z0-9+/=]{16,}+)\s*$")
_ESCAPED: Final = pattern(rb'\s*+"\s*+(?:\\[nrt]|\s)*+\{(?:\\[nrt]|\s)*+\\"')
_ERROR_CODE: Final = pattern(rb"<Code>([A-Za-z]{1,60})</Code>")
_BLOCK: Final = pattern(
    rb'\s*+(?:(?:#|//)[^\n]*\n\s*+)*+(?:terraform|locals|(?:resource|data|variable|provider|module|output)\s+"[^"\n]*")'
)

CHUNKED_CAUSE: Final = (
    "The store kept the framing of a chunked upload (a length in front of the state), since it does not know that kind "
    "of upload. Before the next apply, set `skip_s3_checksum = true` in the backend block, or use a release of the "
    "store that knows it; the next write breaks the state again otherwise."
)


class Wrapping(NamedTuple):
    """A wrapped file: its kind, after "The file is"; its content, None if that cannot be unwrapped; and advice.

    `is_cut` if the file lacks its end, so that the content may, too.
    """

    what: str
    content: bytes | None = None
    advice: str = ""
    is_cut: bool = False


def wrapping(data: bytes, largest: int = _LARGEST) -> Wrapping | None:
    """Return the outermost layer of a file; None if it is a state, or of no known kind.

    Does not decompress content of more than `largest` bytes.
    """
    if _STATE_START.match(data):
        return None
    found = _compressed(data, largest) or _archive(data, largest)
    for recognise in (_sealed, _framed, _text, _base64, _json):
        found = found or recognise(data)
    return found


def unwrapped(data: bytes) -> tuple[bytes, tuple[Wrapping, ...]]:
    """Return the state in a file, and the removed layers; the data itself if it contains no state."""
    layers: list[Wrapping] = []
    content = data
    left = _LARGEST
    while len(layers) < _MOST_LAYERS:
        layer = wrapping(content, left)
        if layer is None or layer.content is None:
            break
        layers.append(layer)
        content = layer.content
        left = max(left - len(content), 0)
    if not layers or content.lstrip()[:1] != b"{":
        return data, ()
    return content, tuple(layers)


def description(data: bytes) -> str:
    """Describe a file that is not a state, with advice, in sentences; "" if its kind is not known."""
    layers = unwrapped(data)[1]
    if layers:
        inner = ", then ".join(layer.what for layer in layers)
        causes = [layer.advice for layer in layers if layer.advice]
        return " ".join([f"The file is {inner}, with a state in it.", *causes])
    layer = wrapping(data)
    return "" if layer is None else f"The file is {layer.what}. {layer.advice}".rstrip()


def _compressed(data: bytes, largest: int) -> Wrapping | None:
    if data.startswith(b"\x1f\x8b"):
        return _inflated("a gzip file", "gunzip -c", data, zlib.decompressobj(31), largest)
    if data.startswith(b"BZh"):
        return _inflated("a bzip2 file", "bunzip2 -c", data, bz2.BZ2Decompressor(), largest)
    if data.startswith(b"\xfd7zXZ\0"):
        return _inflated("an xz file", "unxz -c", data, lzma.LZMADecompressor(memlimit=_LARGEST), largest)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return Wrapping("a zstd file", None, "`zstd -dc FILE | statetool salvage -` reads the state in it.")
    return None


def _inflated(
    what: str,
    program: str,
    data: bytes,
    reader: zlib._Decompress | bz2.BZ2Decompressor | lzma.LZMADecompressor,
    largest: int,
) -> Wrapping:
    # Its getvalue() returns the content without a copy.
    content = io.BytesIO()
    size, position = 0, 0
    is_broken = False
    block = b""
    while not reader.eof and size <= largest:
        if not block:
            block = data[position : position + _BLOCK_SIZE]
            position += len(block)
        try:
            piece = reader.decompress(block, _PIECE_SIZE)
        except (zlib.error, OSError, EOFError, lzma.LZMAError):
            is_broken = True
            break
        # zlib returns the rest of the block, the other decompressors keep it.
        block = getattr(reader, "unconsumed_tail", b"")
        size += content.write(piece)
        if not (piece or block) and position >= len(data):
            break
    if size > largest:
        advice = f"`{program} FILE >FILE.tfstate` takes it out, if you trust the file."
        return Wrapping(f"{what} with more than {largest >> 20} MiB in it", None, advice)
    return Wrapping(what, content.getvalue(), is_cut=is_broken or not reader.eof)


def _archive(data: bytes, largest: int) -> Wrapping | None:
    if data[257:262] == b"ustar":
        return Wrapping("a tar archive", None, "`tar -xf FILE` extracts the files in it.")
    if not data.startswith(b"PK\x03\x04"):
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            is_plan = "tfplan" in names
            states = ["tfstate"] if is_plan else [one for one in names if one.endswith(".tfstate")]
            content = None
            if len(states) == 1 and states[0] in names and archive.getinfo(states[0]).file_size <= largest:
                content = archive.read(states[0])
    except (zipfile.BadZipFile, OSError, ValueError, KeyError, zlib.error, NotImplementedError, RuntimeError):
        return Wrapping("a zip archive that is damaged", None, "`unzip FILE` extracts the files that are whole.")
    if is_plan:
        advice = (
            "The state in it is the one that the plan was made from: what was applied since is not in it. "
            "`statetool list --state FILE --part prior` lists it, and `statetool plan-show FILE` shows the plan."
        )
        return Wrapping("a saved plan", content, advice)
    advice = "" if content is not None else "`unzip FILE` extracts the files in it."
    return Wrapping("a zip archive", content, advice)


def _sealed(data: bytes) -> Wrapping | None:
    return next((Wrapping(what, None, advice) for start, what, advice in _SEALED if data.startswith(start)), None)


_SEALED: Final = (
    (
        b"version https://git-lfs.github.com/spec/",
        "a pointer of Git LFS, not the file itself",
        "`git lfs pull` puts the file in its place.",
    ),
    (b"\0GITCRYPT\0", "encrypted by git-crypt", "`git-crypt unlock` decrypts it."),
    (b"age-encryption.org/v1", "encrypted by age", "`age --decrypt -i KEY FILE` decrypts it."),
    (b"-----BEGIN AGE", "encrypted by age", "`age --decrypt -i KEY FILE` decrypts it."),
    (b"-----BEGIN PGP MESSAGE", "encrypted by OpenPGP", "`gpg --decrypt FILE` decrypts it."),
    (b"Salted__", "encrypted by openssl", "`openssl enc -d` with the options of its encryption decrypts it."),
    (b"$ANSIBLE_VAULT;", "encrypted by Ansible", "`ansible-vault view FILE` decrypts it."),
    (b"SQLite format 3\0", "a SQLite database", "Its tables are not states; pass the state file itself."),
)


def _framed(data: bytes) -> Wrapping | None:
    """Extract the state from chunks: a length in hexadecimal digits, a line break, and that many bytes."""
    if not _CHUNKED.match(data):
        return None
    pieces: list[bytes] = []
    position = 0
    while (chunk := _CHUNK.match(data, position)) is not None and (size := int(chunk[1], 16)):
        pieces.append(data[chunk.end() : chunk.end() + size])
        position = chunk.end() + size
        position += 2 if data[position : position + 2] == b"\r\n" else 0
    return Wrapping("in the framing of a chunked upload", b"".join(pieces), CHUNKED_CAUSE)


def _text(data: bytes) -> Wrapping | None:
    start = data[:4096].lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        if b"&quot;version&quot;" in data or b'"version"' in data:
            return None
        advice = "A login page or an error page looks so: check the address and the credentials, and download it again."
        return Wrapping("a web page without a state", None, advice)
    if start.startswith((b"<?xml", b"<error>")):
        code = _ERROR_CODE.search(data)
        what = f"an error message of a store ({code[1].decode()})" if code else "XML"
        return Wrapping(what, None, "Check the address and the credentials, and download the state again.")
    secret = _SECRET.search(data) if b"tfstate:" in data and not start.startswith(b"{") else None
    if secret is not None:
        return Wrapping("a Kubernetes secret in YAML", _decoded64(secret[1]))
    if _BLOCK.match(data) and b"{" in data:
        return Wrapping("a configuration, not a state", None, "Pass the state file itself.")
    return None


def _base64(data: bytes) -> Wrapping | None:
    if len(data) < 16 or not _BASE64.match(data.strip()):
        return None
    content = _decoded64(data)
    is_text = content is not None and content.lstrip()[:1] in (b"{", b'"', b"[")
    if content is None or not (is_text or content.startswith((b"\x1f\x8b", b"PK\x03\x04"))):
        return None
    return Wrapping("base64", content)


def _decoded64(data: bytes) -> bytes | None:
    text = b"".join(data.split()).replace(b"-", b"+").replace(b"_", b"/").rstrip(b"=")
    # A single digit at the end belongs to a truncated byte.
    text = text[: len(text) - (len(text) % 4 == 1)]
    try:
        return base64.b64decode(text + b"=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _json(data: bytes) -> Wrapping | None:
    start = data[:64].lstrip()[:1]
    if start == b'"':
        return _json_string(data)
    if start not in (b"{", b"["):
        return None
    value = _members(data)
    if value is None:
        return None
    if isinstance(value, dict):
        if "sops" in value:
            return Wrapping("encrypted by SOPS", None, "`sops --decrypt FILE` decrypts it.")
        if "version" in value or "encrypted_data" in value or "format_version" in value:
            return None
        if {"ID", "Operation", "Who"} <= value.keys():
            return Wrapping("the information of a lock, not the state", None, "`statetool locks` shows locks.")
    what = _kind(value)
    for path, content in _inside(value, "", _DEEPEST):
        return Wrapping(f"{what} (`{path}`)", content)
    if b'"hosted-state-download-url"' in data:
        advice = "It has the address of the state, in `hosted-state-download-url`, not the state: download that."
        return Wrapping(what, None, advice)
    if isinstance(value, dict) and value.keys() & {"message", "error", "errors"} and len(data) < 1 << 16:
        advice = "Check the address and the credentials, and download the state again."
        return Wrapping("an error message of a service", None, advice)
    return None


def _json_string(data: bytes) -> Wrapping | None:
    if not _ESCAPED.match(data):
        return None
    with suppress(ValueError, RecursionError):
        return Wrapping("a JSON string", msgspec.json.decode(data, type=str).encode("utf-8", "surrogatepass"))
    # Up to the missing end, or to a quote that is followed by something else.
    begin = data.index(b'"')
    for cut in range(8):
        with suppress(ValueError):
            text = (data[begin : len(data) - cut] + b'"').decode("utf-8", "surrogateescape")
            content = json.loads(text).encode("utf-8", "surrogatepass")
            return Wrapping("a JSON string", content, is_cut=True)
    return None


def _kind(value: dict[str, Raw] | list[Raw]) -> str:
    """Return the program or service that wrote a JSON value, judged by its member names."""
    first = value
    if isinstance(value, list) and value:
        with suppress(ValueError):
            first = msgspec.json.decode(value[0], type=dict[str, Raw])
    names = set(first) if isinstance(first, dict) else set()
    if {"Key", "Value", "ModifyIndex"} <= names:
        return "an answer of Consul"
    if {"apiVersion", "kind", "data"} <= names:
        return "a Kubernetes secret"
    if "data" in names and b"state-version" in bytes(value["data"] if isinstance(value, dict) else b""):
        return "an answer of the API of HCP Terraform"
    if {"SecretString", "ARN"} <= names:
        return "an answer of AWS Secrets Manager"
    return "a JSON document"


def _inside(value: dict[str, Raw] | list[Raw], path: str, depth: int) -> Iterator[tuple[str, bytes]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, raw in pairs:
        inner = f"{path}[{name}]" if isinstance(name, int) else f"{path}.{name}"
        content = bytes(raw)
        if content.startswith(b'"'):
            if (text := _content_of_string(content)) is not None:
                yield inner, text
        elif content.startswith(b"{") and _is_state(content):
            yield inner, content
        elif content.startswith((b"{", b"[")) and depth and (parts := _members(content)) is not None:
            yield from _inside(parts, inner, depth - 1)


def _members(content: bytes) -> dict[str, Raw] | list[Raw] | None:
    """Return the parts of a JSON object or array, each with its bytes; None if it is not JSON."""
    try:
        if content.lstrip()[:1] == b"{":
            return msgspec.json.decode(content, type=dict[str, Raw])
        return msgspec.json.decode(content, type=list[Raw])
    except (ValueError, RecursionError):
        return None


def _is_state(content: bytes) -> bool:
    members = _members(content)
    return isinstance(members, dict) and "version" in members and not members.keys().isdisjoint(_STATE_MEMBERS)


def _content_of_string(literal: bytes) -> bytes | None:
    """Return the state in a string: its text, or the content of base64 and compression."""
    if len(literal) < 32:
        return None
    try:
        text = msgspec.json.decode(literal, type=str).encode("utf-8", "surrogatepass")
    except (ValueError, RecursionError):
        return None
    if _is_state(text):
        return text
    if not _BASE64.match(text.strip()):
        return None
    content = _decoded64(text)
    if content is not None and content.startswith(b"\x1f\x8b"):
        layer = _compressed(content, _LARGEST)
        content = None if layer is None else layer.content
    return content if content is not None and content.lstrip()[:1] == b"{" else None
