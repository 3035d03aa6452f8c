"""Converts everything other than whole resources: keys, `private`, dependencies, outputs and check results.

Also words their problems. Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, Generic, NamedTuple, TypeVar

from msgspec import UNSET, Raw, UnsetType

from statefmt.formats.raw_json import token
from statefmt.formats.versions import (
    INVALID_METADATA,
    CheckObjectV4,
    CheckResultV4,
    IndexKey,
    InvalidDocument,
    OutputV4,
)
from statefmt.golang import int_of_number
from statefmt.model.addrs import NO_KEY, AbsResourceInstance, ConfigResource, InstanceKey, IntKey, StringKey
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.addrs.parsing import parse_abs_resource, parse_abs_resource_instance, usual_config_resource
from statefmt.model.cty import CtyEncodeError, CtyTypeError, CtyValueError
from statefmt.model.cty.values import canonical_output
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import CheckObject, CheckResult, OutputValue
from statefmt.text import pattern

# Integers that a 64-bit float represents exactly.
_EXACT_INTEGERS: Final = range(-(2**53), 2**53)
_KINDS: Final = {bool: "a boolean", list: "an array", dict: "an object"}


def ordinary_key(given: IndexKey) -> InstanceKey | None:
    """Return the instance key for a common `index_key`, else None: then the caller must use `lift_key`."""
    if given is None:
        return NO_KEY
    if type(given) is str:
        return StringKey(given)
    if type(given) is int and given in _EXACT_INTEGERS:
        return IntKey(given)
    return None


def lift_key(
    given: IndexKey, resource: str, pointer: str, findings: list[Finding], *, exact: bool
) -> InstanceKey | None:
    """Return the instance key for an `index_key`; None if its type is not valid for a key.

    `exact` means that it comes from an upgrade, not from JSON; `pointer` points to it. Raises InvalidDocument if it is
    too large.
    """
    ordinary = ordinary_key(given)
    if ordinary is not None:
        return ordinary
    if isinstance(given, (bool, list, dict)):
        detail = (
            f"Resource {resource} has an instance with {_KINDS[type(given)]} as its key; "
            "a key is a whole number or a string."
        )
        findings.append(Code.INVALID_INSTANCE_KEY.notice(INVALID_METADATA, detail, resource, pointer))
        return None
    if exact and isinstance(given, int):
        return IntKey(given)
    assert isinstance(given, (int, float))
    try:
        number = int_of_number(given)
    except OverflowError as error:
        raise InvalidDocument(pointer, "it is a number beyond what a 64-bit float can hold", resource) from error
    if number != given:
        findings.append(normalised(f"the instance key {given}", str(number), resource, pointer))
    return IntKey(number)


# Base64 that decodes and encodes to itself, if its length is a multiple of four.
_EXACT = pattern(r"[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?")
_CANONICAL = pattern(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def canonical_private(value: str | list[int] | None) -> str:
    """Return the canonical base64 of a `private` member ("" if it is missing or empty).

    Raises ValueError if it is neither base64 nor a list of byte values.
    """
    if not value:
        return ""
    if isinstance(value, list):
        # Imported late, as below: hardly any state needs them.
        import base64

        return base64.b64encode(bytes(value)).decode()
    return _canonical_text(value)


@lru_cache(maxsize=4096)
def _canonical_text(value: str) -> str:
    """Return the canonical form of base64. Objects with the same text share one string."""
    if len(value) % 4 == 0 and _EXACT.fullmatch(value):
        return value
    import base64
    import binascii

    text = value.replace("\r", "").replace("\n", "")
    if not text.isascii() or not _CANONICAL.fullmatch(text):
        raise ValueError("not base64 with the standard alphabet and padding")
    if not text.endswith("="):
        return text
    # The file may set the unused bits before the padding; decoding drops them.
    try:
        return base64.b64encode(binascii.a2b_base64(text)).decode()
    except binascii.Error as error:
        raise ValueError(str(error)) from error


_A = TypeVar("_A", ConfigResource, AbsResourceInstance)
# Cache size; all files of a run share the caches of addresses that need the full grammar.
_KEPT: Final = 65536


class _Known(NamedTuple, Generic[_A]):
    """A parsed address, and its canonical form if the file has a different one (else "")."""

    addr: _A
    other_form: str


class DependencyReader:
    """A reader of dependency lists that parses each address once and appends problems to `findings`."""

    def __init__(self, findings: list[Finding]) -> None:
        self._findings = findings
        self._plain = _PlainResources()
        self._last: Sequence[str | None] = ()
        self._last_found: tuple[ConfigResource, ...] = ()

    def plain(self, texts: Sequence[str | None]) -> tuple[ConfigResource, ...] | None:
        """Parse `dependencies` without anything to report; return None if the caller must use `resources`."""
        # All instances of a resource usually have the same list.
        if texts != self._last:
            try:
                self._last_found = tuple(map(self._plain.__getitem__, texts))
            except KeyError:
                return None
            self._last = texts
        return self._last_found

    def resources(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[ConfigResource, ...]:
        """Parse the `dependencies` of the object at `address` into whole resources, ignoring module keys."""
        return self._read(texts, _read_resource, address, f"{pointer}/dependencies")

    def instances(self, texts: Sequence[str | None], address: str, pointer: str) -> tuple[AbsResourceInstance, ...]:
        """Parse the `depends_on` of the object at `address` into instances."""
        return self._read(texts, _read_instance, address, f"{pointer}/depends_on")

    def _read(
        self, texts: Sequence[str | None], read: Callable[[str], _Known[_A] | AddressError], address: str, pointer: str
    ) -> tuple[_A, ...]:
        found: list[_A] = []
        for number, given in enumerate(texts):
            text, place = given or "", f"{pointer}/{number}"
            entry = read(text)
            if isinstance(entry, AddressError):
                self._findings += address_findings(Code.DEPENDENCY_ADDRESS_INVALID, entry, "dependency", address, place)
                continue
            if entry.other_form:
                self._findings.append(normalised(f"the dependency {text!r}", entry.other_form, address, place))
            found.append(entry.addr)
        return tuple(found)


class _PlainResources(dict[str | None, ConfigResource]):
    """The addresses of one file; each is parsed on first use. An address with a problem is missing."""

    def __missing__(self, text: str | None) -> ConfigResource:
        found = usual_config_resource(text or "")
        if found is None:
            entry = _read_resource(text or "")
            if isinstance(entry, AddressError) or entry.other_form:
                raise KeyError(text)
            found = entry.addr
        if len(self) >= _KEPT:
            self.clear()
        self[text] = found
        return found


@lru_cache(maxsize=_KEPT)
def _read_resource(text: str) -> _Known[ConfigResource] | AddressError:
    return _known(text, lambda: parse_abs_resource(text).config())


@lru_cache(maxsize=_KEPT)
def _read_instance(text: str) -> _Known[AbsResourceInstance] | AddressError:
    return _known(text, lambda: parse_abs_resource_instance(text))


def _known(text: str, parse: Callable[[], _A]) -> _Known[_A] | AddressError:
    try:
        addr = parse()
    except AddressError as error:
        return error
    return _Known(addr, "" if str(addr) == text else str(addr))


_TYPE_IN_VALUE = pattern(r'invalid primitive type name ".*"', re.DOTALL)


def lift_outputs(outputs: Mapping[str, OutputV4 | None], findings: list[Finding]) -> tuple[OutputValue, ...]:
    """Return the outputs in file order; append problems to `findings`."""
    lifted = []
    for name, given in outputs.items():
        output = given or OutputV4()
        pointer = f"/outputs/{token(name)}"
        try:
            value, type_ = canonical_output(_text(output.value), _text(output.type))
        except CtyTypeError as error:
            detail = f'The type of output "{name}" is not valid: {error}.'
            findings.append(Code.INVALID_OUTPUT_TYPE.notice(
                "Invalid output value type in state", detail, f"output.{name}", f"{pointer}/type"
            ))  # fmt: skip
        except CtyValueError as error:
            if isinstance(error, CtyEncodeError):
                summary = "Failed to serialize output value in state"
                detail = f'The value of output "{name}" cannot be written: {error}.'
            else:
                summary = "Invalid output value saved in state"
                # Without the part of the value that go-cty quotes.
                reason = _TYPE_IN_VALUE.sub("invalid primitive type name", str(error))
                detail = f'The value of output "{name}" does not fit its type: {reason}.'
            findings.append(Code.INVALID_OUTPUT_VALUE.notice(summary, detail, f"output.{name}", f"{pointer}/value"))
        else:
            sensitive, deprecated = output.sensitive or False, output.deprecated or ""
            lifted.append(OutputValue(
                name=name, value=value, type=type_, sensitive=sensitive, deprecated=deprecated, unknown=output.unknown
            ))  # fmt: skip
    return tuple(lifted)


def _text(raw: Raw | UnsetType) -> bytes | None:
    return None if raw is UNSET else bytes(raw)


_CHECKABLE = {kind.value: kind for kind in CheckableKind}


def lift_checks(results: Sequence[CheckResultV4 | None], findings: list[Finding]) -> tuple[CheckResult, ...]:
    """Return the check results in file order; the last of several for one construct counts, as in OpenTofu."""
    lifted: dict[tuple[str, str], CheckResult] = {}
    for number, given in enumerate(results):
        result = _lift_result(given or CheckResultV4(), f"/check_results/{number}", findings)
        if result is not None:
            lifted[result.object_kind, result.config_addr] = result
    return tuple(lifted.values())


def _lift_result(given: CheckResultV4, pointer: str, findings: list[Finding]) -> CheckResult | None:
    kind, config_addr = _CHECKABLE.get(given.object_kind or ""), given.config_addr or ""
    if kind is None:
        findings.append(Code.UNKNOWN_MEMBER.notice(
            "Check result of an unknown kind",
            f'The check result for "{config_addr}" has the object kind "{given.object_kind or ""}", '
            "which OpenTofu up to 1.13 does not know.", config_addr, f"{pointer}/object_kind",
        ))  # fmt: skip
    else:
        parsed = _parse(kind, config_addr, f"{pointer}/config_addr", findings)
        if parsed is None:
            return None
        config_addr, config_form = parsed
        if config_addr != config_form:
            findings.append(Code.CHECK_ADDRESS_INVALID.notice(
                f"invalid checkable config address {given.config_addr or ''}",
                "The address of a configuration construct has no instance keys.",
                config_addr, f"{pointer}/config_addr",
            ))  # fmt: skip
            return None
    objects: dict[str, CheckObject] = {}
    for number, given_object in enumerate(given.objects or ()):
        obj = given_object or CheckObjectV4()
        addr = obj.object_addr or ""
        if kind is not None:
            parsed = _parse(kind, addr, f"{pointer}/objects/{number}/object_addr", findings)
            if parsed is None:
                continue
            addr = parsed[0]
        messages = tuple(message or "" for message in obj.failure_messages or ())
        status = obj.status or ""
        objects[addr] = CheckObject(object_addr=addr, status=status, failure_messages=messages, unknown=obj.unknown)
    return CheckResult(
        object_kind=given.object_kind or "",
        config_addr=config_addr,
        status=given.status or "",
        objects=tuple(objects.values()),
        known_kind=kind is not None,
        unknown=given.unknown,
    )


def _parse(kind: CheckableKind, text: str, pointer: str, findings: list[Finding]) -> tuple[str, str] | None:
    """Return an address with and without instance keys; None if it is invalid."""
    try:
        addr = parse_checkable(kind, text)
    except AddressError as error:
        findings += address_findings(Code.CHECK_ADDRESS_INVALID, error, "checkable address", text, pointer)
        return None
    return str(addr), str(addr.config())


def normalised(what: str, value: str, address: str, pointer: str) -> Finding:
    """Build an info finding; `what` names the value as written, `value` is its interpretation."""
    about = f"{address}: " if address else ""
    detail = f"{about}{what} is read as {value}."
    return Code.NORMALISED_VALUE.notice("Value not in canonical form", detail, address, pointer)


def address_findings(code: Code, error: AddressError, what: str, address: str, pointer: str) -> list[Finding]:
    """Return an error finding for each problem; `what` is the kind of address, `address` its object."""
    return [
        code.notice(one.summary, f"{one.detail} (column {one.column} of the {what} {error.text!r})", address, pointer)
        for one in error.problems
    ]
