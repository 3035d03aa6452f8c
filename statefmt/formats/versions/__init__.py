"""Defines format version 4, decodes documents of any version, and reports the decisions and losses of an upgrade."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from statefmt.formats.raw_json import container_at, members_at, skip_space, starts_with, token
from statefmt.golang import fold_name
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import UnknownMember
from statefmt.text import pattern

INVALID: Final = "Invalid state file format"
INVALID_METADATA: Final = "Invalid resource instance metadata in state"
_UINT64_MAX: Final = 2**64 - 1


class InvalidDocument(Exception):  # noqa: N818 - not an error of the program; never leaves this package
    """An impossible value. Raised only inside `statefmt.formats`, where it becomes a finding."""

    def __init__(self, pointer: str, reason: str, address: str = "", code: Code = Code.INVALID_STRUCTURE) -> None:
        super().__init__(f"{pointer}: {reason}")
        self.code = code
        self.pointer = pointer
        self.reason = reason
        self.address = address

    def finding(self) -> Finding:
        """Return the reason as a finding."""
        where = f"The member {self.pointer} is not valid" if self.pointer else "The state is not valid"
        return self.code.notice(INVALID, f"{where}: {self.reason}.", self.address, self.pointer)


def check_uint64(value: int | None, pointer: str) -> int:
    """Return `value` if it fits in 64 unsigned bits, 0 if it is None. Raises InvalidDocument otherwise."""
    if value is None:
        return 0
    if 0 <= value <= _UINT64_MAX:
        return value
    raise InvalidDocument(pointer, "it is not a whole number from 0 to 18446744073709551615")


# A member name that no program writes (a private-use character), so that `unknown` can be an ordinary field.
_NOT_JSON = "\ue000unknown"


class FormatObject(Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """An object of a state format: the members that the format names, and any unknown ones."""

    unknown: tuple[UnknownMember, ...] = field(default=(), name=_NOT_JSON)


IndexKey = int | float | str | bool | list[Raw] | dict[str, Raw] | None


class OutputV4(FormatObject):
    """One entry of `outputs`."""

    value: Raw | UnsetType = UNSET
    type: Raw | UnsetType = UNSET
    sensitive: bool | None = None
    deprecated: str | None = None


class InstanceObjectV4(FormatObject):
    """One entry of a resource's `instances`: an object, current or deposed."""

    index_key: IndexKey = None
    status: str | None = None
    deposed: str | None = None
    provider: str | None = None
    schema_version: int | None = None
    attributes: Raw | UnsetType = UNSET
    attributes_flat: dict[str, str | None] | None = None
    sensitive_attributes: Raw | UnsetType = UNSET
    private: str | list[int] | None = None
    dependencies: list[str | None] | None = None
    depends_on: list[str | None] | None = None
    create_before_destroy: bool | None = None
    skip_destroy: bool | None = None
    identity: Raw | UnsetType = UNSET
    identity_schema_version: int | None = None


class ResourceV4(FormatObject):
    """One entry of `resources`. Terraform 0.12 wrote `each`; it is read but never written."""

    module: str | None = None
    mode: str | None = None
    type: str | None = None
    name: str | None = None
    each: str | None = None
    provider: str | None = None
    instances: list[InstanceObjectV4 | None] | None = None

    def address(self) -> str:
        """Return the resource's address, even if parts of it are invalid."""
        mode = "data." if self.mode == "data" else ""
        address = f"{mode}{self.type or ''}.{self.name or ''}"
        return f"{self.module}.{address}" if self.module else address


class CheckObjectV4(FormatObject):
    """One entry of a check result's `objects`."""

    object_addr: str | None = None
    status: str | None = None
    failure_messages: list[str | None] | None = None


class CheckResultV4(FormatObject):
    """One entry of `check_results`."""

    object_kind: str | None = None
    config_addr: str | None = None
    status: str | None = None
    objects: list[CheckObjectV4 | None] | None = None


class StateV4(FormatObject):
    """A whole document of format version 4."""

    version: Raw | UnsetType = UNSET
    terraform_version: str | None = None
    serial: int | None = None
    lineage: str | None = None
    outputs: dict[str, OutputV4 | None] | None = None
    resources: list[ResourceV4 | None] | None = None
    # Every release since OpenTofu 1.6 writes null if there are none.
    check_results: list[CheckResultV4 | None] | UnsetType | None = UNSET


T = TypeVar("T", bound=Struct)

# Escapes in a JSON string, from left to right: whole surrogate pairs, halves of them, all others.
_ESCAPE = pattern(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)

# Precedes the path of a value in msgspec's messages, which end with a backtick.
_AT_PATH = " - at `$"

_HALF_PAIR = pattern("[\ud800-\udfff]")


def decode_document(data: bytes, document: type[T]) -> T:
    """Decode one format's document from valid JSON.

    Raises `msgspec.ValidationError` if a member has the wrong JSON type.
    """
    with collector_paused():
        try:
            return msgspec.json.decode(data, type=document)
        except msgspec.ValidationError as error:
            if "unknown field" not in str(error):
                raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            # msgspec rejects half a surrogate pair in an escape, and bytes that are not UTF-8.
            pass
        decoded: T = _decode(data, document)
        return decoded


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking a growing document; loading creates no garbage cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _decode(raw: Raw | bytes, type_: Any) -> Any:
    """Decode one value, descending into anything that may contain an object with unknown members."""
    if not holds_struct(type_):
        return decode_leaf(raw, type_)
    if is_struct(type_):
        return _decode_object(raw, type_)
    arguments = get_args(type_)
    if get_origin(type_) is list:
        return [_decode_part(item, arguments[0], f"[{number}]") for number, item in enumerate(array_elements(raw))]
    if get_origin(type_) is dict:
        return {name: _decode_part(value, arguments[1], "[...]") for name, value in object_members(raw).items()}
    if starts_with(raw, b"null"):
        return None
    return _decode(raw, next(option for option in arguments if holds_struct(option)))


def _decode_object(raw: Raw | bytes, struct: type[Struct]) -> Struct:
    """Decode an object by its members, none of which is repeated. As in Go, names match in any case."""
    types = member_types(struct)
    known: dict[str, Any] = {}
    unknown: list[UnknownMember] = []
    last_known = ""
    for name, value in object_members(raw).items():
        field = name if name in types else fold_name(name)
        if field in types:
            known[field] = _decode_part(value, types[field], f".{field}")
            last_known = field
        else:
            unknown.append(UnknownMember(name, value, last_known))
    return struct(**known, unknown=tuple(unknown))


def _decode_part(raw: Raw | bytes, type_: Any, step: str) -> Any:
    """Decode a part of a value; `step` names the part as in the paths of msgspec's messages."""
    try:
        return _decode(raw, type_)
    except msgspec.ValidationError as error:
        reason, at, path = str(error).partition(_AT_PATH)
        raise msgspec.ValidationError(f"{reason}{_AT_PATH}{step}{path if at else '`'}") from error


def object_members(raw: Raw | bytes) -> dict[str, Raw]:
    """Return the members of an object in valid JSON; the last of duplicates counts."""
    try:
        return msgspec.json.decode(raw, type=dict[str, Raw])
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return dict(_items(raw, b"{"))


def array_elements(raw: Raw | bytes) -> list[Raw]:
    """Return the elements of an array in valid JSON."""
    try:
        return msgspec.json.decode(raw, type=list[Raw])
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        return [value for _, value in _items(raw, b"[")]


def _items(raw: Raw | bytes, opening: bytes) -> Iterator[tuple[str, Raw]]:
    """Yield the parts of an object or array that msgspec rejects, with the names of an object's members."""
    text = bytes(raw)
    if not text.startswith(opening, skip_space(text, 0)):
        # msgspec reports all other types by their first character, but reads a string to its end first.
        raise msgspec.ValidationError(f"Expected `{'object' if opening == b'{' else 'array'}`, got `str`")
    if opening == b"{":
        yield from ((name, Raw(text[start:end])) for name, start, end in members_at(text))
    else:
        yield from (("", Raw(text[item.value.start : item.value.end])) for item in container_at(text).items)


def decode_leaf(raw: Raw | bytes, type_: Any) -> Any:
    """Decode a value without objects that the format defines.

    Half a surrogate pair, and each byte that is not UTF-8, becomes U+FFFD, as in Go.
    """
    if Raw in (type_, *get_args(type_)):
        return Raw(raw)
    try:
        return msgspec.json.decode(raw, type=type_)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError):
        text = _HALF_PAIR.sub("\ufffd", bytes(raw).decode("utf-8", "surrogateescape"))
        whole = _ESCAPE.sub(lambda match: b"\\ufffd" if match["half"] else match[0], text.encode())
        return msgspec.json.decode(whole, type=type_)


@cache
def member_types(struct: type[Struct]) -> dict[str, Any]:
    """Return the members that a struct names, with their types; JSON names and field names are the same."""
    # Extras are the ranges of numbers.
    hints = get_type_hints(struct, include_extras=True)
    return {name: hints[name] for name in struct.__struct_fields__ if name != "unknown"}


@cache
def holds_struct(type_: Any) -> bool:
    """Return whether a type is an object of the format, or contains one."""
    return is_struct(type_) or any(map(holds_struct, get_args(type_)))


def container_type(type_: Any) -> Any:
    """Return the struct, list or map of a type that may be null; None if it has none."""
    found = (one for one in (type_, *get_args(type_)) if get_origin(one) in (list, dict) or is_struct(one))
    return next(found, None)


def is_struct(type_: Any) -> bool:
    """Return whether a type is an object of the format."""
    return isinstance(type_, type) and issubclass(type_, Struct)


class UpgradeNoteKind(StrEnum):
    """A kind of upgrade note; the value is the summary of its finding."""

    CHOSEN = "Choice made while upgrading the state format"
    NOT_CARRIED_OVER = "Not carried over while upgrading the state format"


class UpgradeFailed(Exception):  # noqa: N818 - never leaves this package; becomes a finding
    """An upgrade that is not possible; `version` is the format of the state."""

    def __init__(self, version: int, reason: str, pointer: str = "", address: str = "") -> None:
        super().__init__(reason)
        self.version = version
        self.reason = reason
        self.pointer = pointer
        self.address = address

    def finding(self) -> Finding:
        """Return the reason as a finding."""
        versions = f"{self.version} to {self.version + 1}"
        detail = f"The state cannot be upgraded from format version {versions}: {self.reason}."
        return Code.UPGRADE_FAILED.notice("State format upgrade failed", detail, self.address, self.pointer)


class UpgradeReport:
    """A collection of notes from an upgrade; each becomes an info finding."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._is_record = False

    def chose(self, what: str, address: str, pointer: str) -> None:
        """Report a decision."""
        self._add(UpgradeNoteKind.CHOSEN, what, address, pointer)

    def dropped(self, what: str, address: str, pointer: str) -> None:
        """Report a part that the newer format cannot represent."""
        self._add(UpgradeNoteKind.NOT_CARRIED_OVER, what, address, pointer)

    def unknown(self, pointer: str, members: tuple[UnknownMember, ...], address: str = "") -> None:
        """Report members that the old format does not have."""
        for name, _, _ in members:
            self.dropped(f'the unknown member "{name}"', address, f"{pointer}/{token(name)}")

    def backend_configuration(self, member: str) -> None:
        """Report that the document is only the record that `init` writes, with the members that locate the state.

        An upgrade would produce an empty state, so it has no choices to report.
        """
        program = "tofu" if member == "backend" else "terraform"
        what = {"backend": "a backend", "state_store": "a state store"}.get(member, "a remote state")
        self._is_record = True
        self.findings[:] = [finding for finding in self.findings if finding.code != Code.UPGRADE_CHOICE]
        self.findings.append(Code.BACKEND_CONFIGURATION.notice(
            "Backend configuration, not a state",
            f"The file names {what} and has no resources and no outputs: it is the backend configuration that "
            "`init` writes to .terraform/terraform.tfstate, not a state.", pointer=f"/{member}",
            fix="Name the folder of the configuration instead, or pull the state: "
            f"{program} state pull | statetool COMMAND --state -",
        ))  # fmt: skip

    def _add(self, summary: UpgradeNoteKind, what: str, address: str, pointer: str) -> None:
        if not self._is_record:
            self.findings.append(Code.UPGRADE_CHOICE.notice(summary, f"{what}.", address, pointer))
