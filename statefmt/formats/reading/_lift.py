"""Converts a v4 document to a snapshot, and reports problems with its members.

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
