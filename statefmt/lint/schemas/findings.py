"""Makes the findings of the rules about schemas, in one pass over the objects of a state."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from statefmt.formats.raw_json.pointer import token
from statefmt.lifecycle.schemas.deviations import Deviating, Deviation, JSONData, JSONSteps, deviations
from statefmt.lifecycle.schemas.fits import surely_fits
from statefmt.lifecycle.schemas.providers import ProviderSchemas, TypeSchema
from statefmt.lifecycle.stored import decode_state
from statefmt.lifecycle.undecodable import undecodable_reason, undecodable_steps
from statefmt.lint.secrets.sensitive_paths import sensitive_paths
from statefmt.lint.states.provider_addresses import provider_in_force
from statefmt.lint.subject import ObjectPart, Subject
from statefmt.model.addrs import Provider, ResourceMode
from statefmt.model.codes import Code
from statefmt.model.cty import CtyValueError
from statefmt.model.findings import Finding, Fix
from statefmt.redaction.path_text import path_text
from statefmt.redaction.secrets.covered import Covered

_MODES: Final = {mode.value: mode for mode in ResourceMode}
# The most paths that one finding lists.
_SHOWN: Final = 5


class _Kind(NamedTuple):
    code: Code
    summary: str
    one: str
    many: str
    fix: str


_REFRESH: Final = "Run `tofu apply -refresh-only`"
_KINDS: Final = {
    Deviation.UNKNOWN: _Kind(
        Code.ATTRIBUTE_UNKNOWN,
        "Attribute is not in the schema",
        "The schema of {address} has no attribute {paths}; OpenTofu will drop its value.",
        "The schema of {address} does not have the attributes {paths}; OpenTofu will drop their values.",
        "",
    ),
    Deviation.WRITE_ONLY: _Kind(
        Code.WRITE_ONLY_STORED,
        "Write-only attribute has a value",
        "{paths} of {address} is write-only, but has a value.",
        "{paths} of {address} are write-only, but have values.",
        "",
    ),
    Deviation.REQUIRED: _Kind(
        Code.REQUIRED_MISSING,
        "Required attribute has no value",
        "{paths} of {address} is required, but null.",
        "{paths} of {address} are required, but null.",
        f"{_REFRESH} to read the real object.",
    ),
    Deviation.SENSITIVE: _Kind(
        Code.SENSITIVE_BY_SCHEMA,
        "Sensitive by the schema only",
        "The schema makes {paths} of {address} sensitive; sensitive_attributes does not list it.",
        "The schema makes {paths} of {address} sensitive; sensitive_attributes does not list them.",
        f"{_REFRESH} with a release that records the paths.",
    ),
    Deviation.DEPRECATED: _Kind(
        Code.DEPRECATED_IN_USE,
        "Deprecated attribute is in use",
        "{paths} of {address} is deprecated, but has a value.",
        "{paths} of {address} are deprecated, but have values.",
        "Change the configuration as the provider's documentation says.",
    ),
}


def schema_findings(subject: Subject, code: Code) -> Iterable[Finding]:
    """Return the findings of one rule about schemas; none without schemas."""
    return () if subject.schemas is None else subject.once(_findings).get(code, ())


def _findings(subject: Subject) -> Mapping[str, Sequence[Finding]]:
    assert subject.schemas is not None
    found: dict[str, list[Finding]] = {}
    for finding in _Objects(subject, subject.schemas).findings():
        found.setdefault(finding.code, []).append(finding)
    return found


class _Objects:
    """The objects of a state beside their schemas."""

    def __init__(self, subject: Subject, schemas: ProviderSchemas) -> None:
        self._subject = subject
        self._schemas = schemas
        self._missing: set[tuple[Provider, str, str]] = set()

    def findings(self) -> Iterator[Finding]:
        for part in self._subject.objects:
            provider = provider_in_force(part.resource.document, part.document)
            resource = part.resource.document
            mode = _MODES.get(resource.mode or "")
            if provider is None or mode is None or not resource.type:
                # Other rules report it.
                continue
            source = provider.config.provider
            if source.is_legacy:
                # Its source is not known, which PRV007 reports.
                continue
            schema = self._schemas.schema(source, mode, resource.type)
            if schema is None:
                yield from self._without_schema(part, source)
            else:
                yield from self._with_schema(part, schema)

    def _without_schema(self, part: ObjectPart, provider: Provider) -> Iterator[Finding]:
        resource = part.resource.document
        kind = "data source" if resource.mode == "data" else "resource type"
        key = (provider, kind, resource.type or "")
        if key in self._missing:
            return
        self._missing.add(key)
        yield Code.SCHEMA_MISSING.finding(
            f"No schema for a {kind}",
            f"The schemas have no {kind} {resource.type} of {provider}; {part.resource.address} was not checked.",
            part.resource.address,
            part.resource.pointer,
            "Collect the schemas again with `statetool schemas --run`.",
        )

    def _with_schema(self, part: ObjectPart, schema: TypeSchema) -> Iterator[Finding]:
        version, current = part.document.schema_version or 0, schema.version
        where = part.address, f"{part.pointer}/schema_version"
        if version > current:
            yield Code.SCHEMA_VERSION_NEWER.finding(
                "Resource instance managed by newer provider version",
                f"{part.address} has schema version {version}; the provider has {current}.",
                *where,
                Fix.of(
                    "Use a release of the provider that is as new, or put back a state from before: ",
                    self._subject.command("history"),
                    self._last_resort(part, schema),
                ),
            )
        elif version < current:
            yield Code.SCHEMA_VERSION_OLDER.finding(
                "The provider will upgrade the object",
                f"{part.address} has schema version {version}; the provider has {current}.",
                *where,
                f"{_REFRESH} to upgrade all objects at once.",
            )
        elif part.document.attributes is not UNSET:
            yield from self._current(part, schema, part.document.attributes)

    def _last_resort(self, part: ObjectPart, schema: TypeSchema) -> Fix:
        """Return what to do about a newer object if there is neither a newer release nor an older state."""
        forget = self._subject.command_on("rm", part.address)
        otherwise = Fix.of(" forget the object with ", forget, ", and import it again.")
        attributes = part.document.attributes
        if attributes is UNSET:
            return Fix.of(". If there is neither,", otherwise)
        try:
            decode_state(bytes(attributes), schema.type)
        except (CtyValueError, RecursionError):
            return Fix.of(". If there is neither,", otherwise)
        return Fix.of(
            f". If there is neither: the attributes fit schema version {schema.version}, so set that with ",
            self._subject.command_on("set", part.address, "--schema-version", str(schema.version)),
            ", or",
            otherwise,
        )

    def _current(self, part: ObjectPart, schema: TypeSchema, attributes: Raw) -> Iterator[Finding]:
        try:
            value, exact = _decoded(attributes)
            fits = exact and surely_fits(schema.type, value)
            found = list(deviations(schema.block, value))
        except RecursionError:
            fits, found = False, []
        if not fits:
            yield from self._undecodable(part, schema, attributes)
        for kind, some in groupby(sorted(found, key=lambda each: each.kind.value), key=lambda each: each.kind):
            if kind is Deviation.COUNT:
                yield from self._counts(part, some)
                continue
            deviating = list(some)
            if kind is Deviation.SENSITIVE:
                covered = Covered(sensitive_paths(part.document))
                deviating = [each for each in deviating if each.path not in covered]
            if deviating:
                yield self._finding(part, _KINDS[kind], deviating)

    def _finding(self, part: ObjectPart, kind: _Kind, found: Sequence[Deviating]) -> Finding:
        names = [path_text(each.path) for each in found[:_SHOWN]]
        shown = ", ".join(names) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
        notes = {each.note for each in found} - {""}
        text = (kind.one if len(found) == 1 else kind.many).format(paths=shown, address=part.address)
        fix = kind.fix or self._subject.command_on("unset", part.address, *names)
        detail = " ".join([text, *sorted(notes)[:1]])
        return kind.code.finding(kind.summary, detail, part.address, _pointer(part, found[0].path), fix)

    def _counts(self, part: ObjectPart, found: Iterable[Deviating]) -> Iterator[Finding]:
        for each in found:
            blocks = f"{each.count} block{'' if each.count == 1 else 's'} {path_text(each.path)}"
            yield Code.BLOCK_COUNT.finding(
                "Number of blocks out of limits",
                f"{part.address} has {blocks}; the schema wants {each.note}.",
                part.address,
                _pointer(part, each.path),
                f"{_REFRESH} to read the real object.",
            )

    def _undecodable(self, part: ObjectPart, schema: TypeSchema, attributes: Raw) -> Iterator[Finding]:
        try:
            decode_state(bytes(attributes), schema.type)
            return
        except CtyValueError as error:
            steps, reason = undecodable_steps(error), undecodable_reason(error)
        yield Code.ATTRIBUTE_UNDECODABLE.finding(
            "Attribute does not fit its type",
            f"{path_text(steps) or 'The attributes'} of {part.address} cannot be decoded: {reason}.",
            part.address,
            _pointer(part, steps),
            self._subject.command_on("unset", part.address, path_text(steps)) if steps else "",
        )


def _decoded(attributes: Raw) -> tuple[JSONData, bool]:
    """Return attributes as JSON, and whether all values are as they are written. Raises RecursionError."""
    try:
        return msgspec.json.decode(attributes), True
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Neither numbers out of range nor half surrogate pairs keep the rest from being looked at.
        text = bytes(attributes).decode("utf-8", "replace")
        decoded: JSONData = json.loads(text, parse_int=float)
        return decoded, False


def _pointer(part: ObjectPart, path: JSONSteps) -> str:
    return "/".join([f"{part.pointer}/attributes", *(token(str(step)) for step in path)])
