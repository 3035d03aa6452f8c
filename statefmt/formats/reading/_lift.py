"""From a v4 document to a snapshot: what the members mean, and what is wrong with them.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

from typing import NamedTuple

from statefmt.formats.reading._lift_checks import lift_checks
from statefmt.formats.reading._lift_outputs import lift_outputs
from statefmt.formats.reading._lift_resources import ResourceLifter
from statefmt.formats.reading._normalised import normalised
from statefmt.formats.versions.invalid import check_uint64
from statefmt.formats.versions.v4 import StateV4
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Severity
from statefmt.model.snapshot import Snapshot
from statefmt.model.terraform_version import normalise_version


class LiftedState(NamedTuple):
    """A snapshot, or None where there is an error among the findings."""

    snapshot: Snapshot | None
    findings: tuple[Finding, ...]


def lift_state(document: StateV4, *, exact_keys: bool = False) -> LiftedState:
    """What a document says; `exact_keys` where its numeric keys come from an upgrade and not from JSON.

    Raises InvalidDocument where a member cannot be what it must be; nothing else of the file counts then.
    """
    serial = check_uint64(document.serial, "/serial")
    findings: list[Finding] = []
    version = _terraform_version(document.terraform_version or "", findings)
    resources = ResourceLifter(exact_keys=exact_keys)
    snapshot = Snapshot(
        terraform_version=version,
        serial=serial,
        lineage=document.lineage or "",
        resources=resources.lift(document.resources or ()),
        outputs=lift_outputs(document.outputs or {}, findings),
        check_results=lift_checks(document.check_results or (), findings),
        unknown=document.unknown,
    )
    findings += resources.findings
    refused = any(finding.severity is Severity.ERROR for finding in findings)
    return LiftedState(None if refused else snapshot, tuple(findings))


def _terraform_version(text: str, findings: list[Finding]) -> str:
    if not text:
        return ""
    version = normalise_version(text)
    if version is None:
        findings.append(Code.INVALID_TERRAFORM_VERSION.notice(
            "Invalid OpenTofu version string",
            f"The state says that it was written by release {text!r}, which is not a version.",
            pointer="/terraform_version", fix='Set "terraform_version" to the release that wrote the state.',
        ))  # fmt: skip
        return ""
    if version != text:
        findings.append(normalised(f"terraform_version {text!r}", version, "", "/terraform_version"))
    return version
