"""Converts a v4 document to a snapshot, with its outputs and check results, and reports problems.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET, Raw, UnsetType

from statefmt.formats.raw_json import token
from statefmt.formats.reading._members import address_findings, normalised
from statefmt.formats.reading.resources import ResourceLifter
from statefmt.formats.versions import CheckObjectV4, CheckResultV4, OutputV4, StateV4, check_uint64
from statefmt.model.addrs.checkable import CheckableKind, parse_checkable
from statefmt.model.cty import CtyEncodeError, CtyTypeError, CtyValueError
from statefmt.model.cty.values import canonical_output
from statefmt.model.errors import AddressError
from statefmt.model.findings import Code, Finding, Severity
from statefmt.model.snapshot import CheckObject, CheckResult, OutputValue, Snapshot, normalise_version
from statefmt.text import pattern


class LiftedState(NamedTuple):
    """A snapshot (None if there is an error among the findings), and the findings.

    `in_terraform` is the snapshot if OpenTofu refuses the state and Terraform reads it.
    """

    snapshot: Snapshot | None
    findings: tuple[Finding, ...]
    in_terraform: Snapshot | None = None


def lift_state(document: StateV4, lifter: ResourceLifter | None = None, *, exact_keys: bool = False) -> LiftedState:
    """Convert a document; `exact_keys` means that its numeric keys come from an upgrade, not from JSON.

    If `lifter` is given, it has converted the resources already. Raises InvalidDocument if a member has an impossible
    value; nothing else in the file counts then. Raises SeveralBlocks only with `lifter`.
    """
    serial = check_uint64(document.serial, "/serial")
    findings: list[Finding] = []
    version = _terraform_version(document.terraform_version or "", findings)
    resources = lifter or ResourceLifter(exact_keys=exact_keys)
    snapshot = Snapshot(
        terraform_version=version,
        serial=serial,
        lineage=document.lineage or "",
        resources=resources.lift(document.resources or ()) if lifter is None else lifter.found(),
        outputs=lift_outputs(document.outputs or {}, findings),
        check_results=lift_checks(document.check_results or (), findings),
        unknown=document.unknown,
    )
    findings += resources.findings
    errors = sum(finding.severity is Severity.ERROR for finding in findings)
    is_read_by_terraform = 0 < errors == len(resources.refused_by_opentofu)
    return LiftedState(None if errors else snapshot, tuple(findings), snapshot if is_read_by_terraform else None)


def _terraform_version(text: str, findings: list[Finding]) -> str:
    if not text:
        return ""
    version = normalise_version(text)
    if version is None:
        findings.append(Code.INVALID_TERRAFORM_VERSION.notice(
            "Invalid OpenTofu version string",
            f"The state was written by release {text!r}, which is not a valid version.",
            pointer="/terraform_version", fix='Set "terraform_version" to the release that wrote the state.',
        ))  # fmt: skip
        return ""
    if version != text:
        findings.append(normalised(f"terraform_version {text!r}", version, "", "/terraform_version"))
    return version


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
            findings.append(Code.INVALID_OUTPUT_TYPE.notice(
                "Invalid output value type in state",
                f'The type of output "{name}" is not valid: {error}.', f"output.{name}", f"{pointer}/type",
            ))  # fmt: skip
            continue
        except CtyEncodeError as error:
            findings.append(Code.INVALID_OUTPUT_VALUE.notice(
                "Failed to serialize output value in state",
                f'The value of output "{name}" cannot be written: {error}.', f"output.{name}", f"{pointer}/value",
            ))  # fmt: skip
            continue
        except CtyValueError as error:
            findings.append(Code.INVALID_OUTPUT_VALUE.notice(
                "Invalid output value saved in state",
                f'The value of output "{name}" does not fit its type: {_without_value(error)}.',
                f"output.{name}", f"{pointer}/value",
            ))  # fmt: skip
            continue
        lifted.append(
            OutputValue(
                name=name,
                value=value,
                type=type_,
                sensitive=output.sensitive or False,
                deprecated=output.deprecated or "",
                unknown=output.unknown,
            )
        )
    return tuple(lifted)


def _without_value(error: CtyValueError) -> str:
    """Return the error message without the part of the value that go-cty quotes in it."""
    return _TYPE_IN_VALUE.sub("invalid primitive type name", str(error))


def _text(raw: Raw | UnsetType) -> bytes | None:
    return None if raw is UNSET else bytes(raw)


_KINDS = {kind.value: kind for kind in CheckableKind}


def lift_checks(results: Sequence[CheckResultV4 | None], findings: list[Finding]) -> tuple[CheckResult, ...]:
    """Return the check results in file order; the last of several for one construct counts, as in OpenTofu."""
    lifted: dict[tuple[str, str], CheckResult] = {}
    for number, given in enumerate(results):
        result = _lift_result(given or CheckResultV4(), f"/check_results/{number}", findings)
        if result is not None:
            lifted[result.object_kind, result.config_addr] = result
    return tuple(lifted.values())


def _lift_result(given: CheckResultV4, pointer: str, findings: list[Finding]) -> CheckResult | None:
    kind = _KINDS.get(given.object_kind or "")
    if kind is None:
        findings.append(Code.UNKNOWN_MEMBER.notice(
            "Check result of an unknown kind",
            f'The check result for "{given.config_addr or ""}" has the object kind "{given.object_kind or ""}", '
            "which OpenTofu up to 1.13 does not know.", given.config_addr or "", f"{pointer}/object_kind",
        ))  # fmt: skip
        config_addr = given.config_addr or ""
    else:
        parsed = _parse(kind, given.config_addr or "", f"{pointer}/config_addr", findings)
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
        objects[addr] = CheckObject(
            object_addr=addr,
            status=obj.status or "",
            failure_messages=tuple(message or "" for message in obj.failure_messages or ()),
            unknown=obj.unknown,
        )
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
