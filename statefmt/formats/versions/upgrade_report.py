"""Reports what an upgrade from an older format decided, and what it could not carry over."""

from __future__ import annotations

from enum import StrEnum

from statefmt.formats.raw_json.pointer import token
from statefmt.model.codes import Code
from statefmt.model.findings import Finding
from statefmt.model.resources import UnknownMember


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
        return Code.UPGRADE_FAILED.notice(
            "State format upgrade failed",
            f"The state cannot be upgraded from format version {self.version} to {self.version + 1}: {self.reason}.",
            self.address,
            self.pointer,
        )


class UpgradeReport:
    """A collection of notes from an upgrade; each becomes an info finding."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._is_record = False

    def chose(self, what: str, address: str, pointer: str) -> None:
        """Report a decision."""
        self._add(UpgradeNoteKind.CHOSEN, what, address, pointer)

    def dropped(self, what: str, address: str, pointer: str) -> None:
        """Report something that has no place in the newer format."""
        self._add(UpgradeNoteKind.NOT_CARRIED_OVER, what, address, pointer)

    def unknown(self, pointer: str, members: tuple[UnknownMember, ...], address: str = "") -> None:
        """Report members that the old format does not have."""
        for name, _, _ in members:
            self.dropped(f'the unknown member "{name}"', address, f"{pointer}/{token(name)}")

    def backend_configuration(self, member: str) -> None:
        """Report that the document is only the record that `init` writes, with what names the place of the state.

        An upgrade would make an empty state of it, so it has no choices to report.
        """
        program = "tofu" if member == "backend" else "terraform"
        what = {"backend": "a backend", "state_store": "a state store"}.get(member, "a remote state")
        self._is_record = True
        self.findings[:] = [finding for finding in self.findings if finding.code != Code.UPGRADE_CHOICE]
        self.findings.append(
            Code.BACKEND_CONFIGURATION.notice(
                "Backend configuration, not a state",
                f"The file names {what} and has no resources and no outputs: it is the backend configuration that "
                "`init` writes to .terraform/terraform.tfstate, not a state.",
                pointer=f"/{member}",
                fix="Name the folder of the configuration instead, or pull the state: "
                f"{program} state pull | statetool COMMAND --state -",
            )
        )

    def _add(self, summary: UpgradeNoteKind, what: str, address: str, pointer: str) -> None:
        if self._is_record:
            return
        detail = what + "."
        self.findings.append(Code.UPGRADE_CHOICE.notice(summary, detail, address, pointer))
