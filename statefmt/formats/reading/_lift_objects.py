"""Converts an entry of a resource's `instances` to an object, and reports problems with its members.

Source: OpenTofu `internal/states/statefile/version4.go` (prepareStateV4).
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET, Raw

from statefmt.formats.raw_json.raw import equals
from statefmt.formats.reading._dependencies import DependencyReader
from statefmt.formats.reading._ordinary import DEPOSED_KEY_BYTES, NO_PATHS, STATUSES, strings
from statefmt.formats.reading._private import canonical_private
from statefmt.formats.versions.invalid import INVALID_METADATA, InvalidDocument, check_uint64
from statefmt.formats.versions.v4 import InstanceObjectV4
from statefmt.model.addrs import InstanceKey
from statefmt.model.codes import Code
from statefmt.model.cty.paths import canonical_paths
from statefmt.model.findings import Finding
from statefmt.model.resources import ObjectStatus, ResourceInstanceObject

_EMPTY_OBJECT: Final = Raw(b"{}")


class ObjectLifter:
    """A converter for instance objects; it appends problems to `findings`."""

    def __init__(self, findings: list[Finding], dependencies: DependencyReader) -> None:
        self._findings = findings
        self._dependencies = dependencies

    def lift(
        self,
        given: InstanceObjectV4,
        key: InstanceKey,
        provider_key: InstanceKey,
        address: str,
        pointer: str,
        origin: tuple[int, int],
    ) -> ResourceInstanceObject | None:
        """Return the object, or None if it is refused. `address` is that of its instance.

        Raises InvalidDocument if a member has an impossible value.
        """
        paths = self._sensitive_paths(given, address, pointer)
        if paths is None:
            return None
        status = self._status(given, address, pointer) if given.status else ObjectStatus.READY
        if status is None:
            return None
        dependencies = self._dependencies.resources(given.dependencies, address, pointer) if given.dependencies else ()
        depends_on = self._dependencies.instances(given.depends_on, address, pointer) if given.depends_on else ()
        deposed = given.deposed or ""
        if deposed and len(deposed.encode()) != DEPOSED_KEY_BYTES:
            self._notice(
                Code.INVALID_DEPOSED_KEY,
                INVALID_METADATA,
                f'Instance {address} has an object with the deposed key "{deposed}"; '
                f"such keys have exactly {DEPOSED_KEY_BYTES} bytes.",
                address,
                f"{pointer}/deposed",
            )
            return None
        attributes, attributes_flat = self._attributes(given, address, pointer)
        identity, identity_version = self._identity(given, address, pointer)
        return ResourceInstanceObject(
            key=key,
            deposed=deposed,
            provider_key=provider_key,
            status=status,
            schema_version=check_uint64(given.schema_version, f"{pointer}/schema_version"),
            attributes=attributes,
            attributes_flat=attributes_flat,
            sensitive_attributes=paths,
            private=_private(given, address, pointer) if given.private else "",
            dependencies=dependencies,
            depends_on=depends_on,
            create_before_destroy=given.create_before_destroy or False,
            skip_destroy=given.skip_destroy or False,
            identity=identity,
            identity_schema_version=identity_version,
            unknown=given.unknown,
            origin=origin,
        )

    def _sensitive_paths(self, given: InstanceObjectV4, address: str, pointer: str) -> bytes | None:
        raw = given.sensitive_attributes
        if raw is UNSET or equals(raw, NO_PATHS):
            return NO_PATHS
        paths, problems = canonical_paths(bytes(raw))
        for problem in problems:
            self._notice(
                Code.INVALID_SENSITIVE_PATHS,
                problem.summary,
                f"{problem.detail} (in the sensitive attributes of {address})",
                address,
                f"{pointer}/sensitive_attributes",
            )
        return None if problems else paths

    def _status(self, given: InstanceObjectV4, address: str, pointer: str) -> ObjectStatus | None:
        status = STATUSES.get(given.status or "")
        if status is None:
            self._notice(
                Code.INVALID_STATUS,
                INVALID_METADATA,
                f'Instance {address} has the status "{given.status}"; it must be "tainted" or left out.',
                address,
                f"{pointer}/status",
            )
        return status

    def _attributes(
        self, given: InstanceObjectV4, address: str, pointer: str
    ) -> tuple[Raw | None, dict[str, str] | None]:
        raw, flat = given.attributes, given.attributes_flat
        if raw is UNSET:
            if flat is None:
                return _EMPTY_OBJECT, None
            return None, strings(flat)
        if flat is not None:
            self._notice(
                Code.BOTH_ATTRIBUTE_FORMS,
                "Both attribute forms on one object",
                f'Instance {address} has "attributes" and "attributes_flat". Only "attributes" counts; '
                "the flat form is dropped when the file is written.",
                address,
                f"{pointer}/attributes_flat",
            )
        return raw, None

    def _identity(self, given: InstanceObjectV4, address: str, pointer: str) -> tuple[Raw | None, int | None]:
        raw, version = given.identity, given.identity_schema_version
        if version is not None:
            check_uint64(version, f"{pointer}/identity_schema_version")
        if raw is not UNSET:
            return raw, version
        # Version 0 is not reported: Terraform 1.12 and later write it for every object.
        if version:
            self._notice(
                Code.NORMALISED_VALUE,
                "Identity schema version without an identity",
                f'Instance {address} has "identity_schema_version" but no "identity"; '
                "it is dropped when the file is written.",
                address,
                f"{pointer}/identity_schema_version",
            )
        return None, None

    def _notice(self, code: Code, summary: str, detail: str, address: str, pointer: str) -> None:
        self._findings.append(code.notice(summary, detail, address, pointer))


def _private(given: InstanceObjectV4, address: str, pointer: str) -> str:
    try:
        return canonical_private(given.private)
    except ValueError as error:
        raise InvalidDocument(f"{pointer}/private", f"it is {error}", address, Code.PRIVATE_INVALID) from error
