"""Converts the `check_results` of a v4 document to check results.

Source: OpenTofu `internal/states/statefile/version4.go` (decodeCheckResultsV4).
"""

from __future__ import annotations

from collections.abc import Sequence

from statefmt.formats.reading._address_findings import address_findings
from statefmt.formats.versions.v4 import CheckObjectV4, CheckResultV4
from statefmt.model.addrs import CheckableKind, parse_checkable
from statefmt.model.check_results import CheckObject, CheckResult
from statefmt.model.codes import Code
from statefmt.model.errors import AddressError
from statefmt.model.findings import Finding

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
