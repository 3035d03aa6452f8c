"""Rules about a state compared with the schemas of its providers (SCH), in one pass over its objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import msgspec
from msgspec import UNSET, Raw

from statefmt.formats.raw_json import token
from statefmt.lifecycle.deviations import Deviating, Deviation, JSONData, JSONSteps, deviations, surely_fits
from statefmt.lifecycle.schema import ProviderSchemas, TypeSchema
from statefmt.lifecycle.stored import decode_state, undecodable_reason, undecodable_steps
from statefmt.lint.provider_addresses import provider_in_force
from statefmt.lint.rule import Rule
from statefmt.lint.subject import ObjectPart, Subject, sensitive_paths
from statefmt.model.addrs import ResourceMode
from statefmt.model.addrs.provider import Provider
from statefmt.model.cty import CtyValueError
from statefmt.model.findings import Code, Finding, Fix
from statefmt.redaction.partial import path_text
from statefmt.redaction.secrets import Covered

_MODES: Final = {mode.value: mode for mode in ResourceMode}
# The maximum number of paths in a finding.
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


def _rule(code: Code, page: str) -> Rule:
    return Rule(code, lambda subject: subject.once(_findings).get(code, ()), page=page)


def _findings(subject: Subject) -> Mapping[str, Sequence[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in () if subject.schemas is None else _Objects(subject, subject.schemas).findings():
        found.setdefault(finding.code, []).append(finding)
    return found


class _Objects:
    """The objects of a state with their schemas."""

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
                # The provider's source is unknown, which PRV007 reports.
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
        detail = f"The schemas have no {kind} {resource.type} of {provider}; {part.resource.address} was not checked."
        fix = "Collect the schemas again with `statetool schemas --run`."
        yield Code.SCHEMA_MISSING.finding(
            f"No schema for a {kind}", detail, part.resource.address, part.resource.pointer, fix
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
            detail = f"{part.address} has schema version {version}; the provider has {current}."
            yield Code.SCHEMA_VERSION_OLDER.finding(
                "The provider will upgrade the object", detail, *where, f"{_REFRESH} to upgrade all objects at once."
            )
        elif part.document.attributes is not UNSET:
            yield from self._current(part, schema, part.document.attributes)

    def _last_resort(self, part: ObjectPart, schema: TypeSchema) -> Fix:
        """Return advice for a newer object if there is neither a newer release nor an older state."""
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
            detail = f"{part.address} has {blocks}; the schema wants {each.note}."
            fix = f"{_REFRESH} to read the real object."
            yield Code.BLOCK_COUNT.finding(
                "Number of blocks out of limits", detail, part.address, _pointer(part, each.path), fix
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
    """Return attributes as JSON, and whether all values are exact. Raises RecursionError."""
    try:
        return msgspec.json.decode(attributes), True
    except (msgspec.DecodeError, UnicodeDecodeError):
        # Numbers out of range and half surrogate pairs must not prevent checking the rest.
        text = bytes(attributes).decode("utf-8", "replace")
        decoded: JSONData = json.loads(text, parse_int=float)
        return decoded, False


def _pointer(part: ObjectPart, path: JSONSteps) -> str:
    return "/".join([f"{part.pointer}/attributes", *(token(str(step)) for step in path)])


RULES: Final = (
    _rule(
        Code.ATTRIBUTE_UNDECODABLE,
        """An attribute does not fit its type

## What it does
Reports an attribute that cannot be decoded by the type in the provider's schema, with the path and the expected type.
Reported only for objects of the provider's own schema version: others are upgraded first.

## Why is this bad?
OpenTofu refuses to plan, refresh or show the resource until the value fits. Editing a state by hand leaves such values,
and so does going back to an older release of a provider.

## Example
```json
{"schema_version": 1, "attributes": {"id": "vol-1", "size": "large"}}
```

## What to do
Set the attribute to a value of the type with `statetool set`, or to null with `statetool unset`: the next refresh reads
it from the real object.
""",
    ),
    _rule(
        Code.ATTRIBUTE_UNKNOWN,
        """An attribute is not in the schema

## What it does
Reports attributes with a value that the provider's schema does not have. Null is ignored.

## Why is this bad?
OpenTofu silently drops them when it next writes the object. They are left over from another release of the
provider, misspelled, or the state belongs to another provider.

## Example
```json
{"schema_version": 1, "attributes": {"id": "vol-1", "sise": 20}}
```

## What to do
Compare the release of the provider with the one that wrote the state. If the value is of no use, remove it with
`statetool unset`.
""",
    ),
    _rule(
        Code.SCHEMA_VERSION_NEWER,
        """A newer release of the provider wrote an object

## What it does
Reports an object whose `schema_version` is higher than that of the provider's schema.

## Why is this bad?
OpenTofu refuses to work on the object: only a newer release of the provider can read it.

## Example
```json
{"schema_version": 3, "attributes": {"id": "vol-1"}}
```

## What to do
Use a release of the provider that is at least as new as the one that wrote the state, or restore the state from before
with `statetool undo` or `statetool restore`.

If the provider lowered its schema versions, neither exists. As a last resort, `statetool set --schema-version N` sets
the number, if the attributes fit that version; or forget the object with `statetool rm`, and import it again.
""",
    ),
    _rule(
        Code.SCHEMA_VERSION_OLDER,
        """An older release of the provider wrote an object

## What it does
Reports objects whose `schema_version` is lower than that of the provider's schema.

## Why is this bad?
Nothing is wrong: the provider upgrades the object when OpenTofu next reads it. Afterwards, older releases of the
provider refuse the state, so this is information.

## Example
```json
{"schema_version": 0, "attributes": {"id": "vol-1"}}
```

## What to do
Keep a copy of the state if you may have to go back. `tofu apply -refresh-only` upgrades all objects at once.
""",
    ),
    _rule(
        Code.SENSITIVE_BY_SCHEMA,
        """A value is sensitive by the schema only

## What it does
Reports objects with values that the provider's schema makes sensitive, and `sensitive_attributes` does not.

## Why is this bad?
OpenTofu hides such values because of the schema. Programs that read states without a schema show them, statetool
included. Older releases did not record these paths, so this is information.

## Example
```json
{"attributes": {"id": "db-1", "password": "s3cret-word"}, "sensitive_attributes": []}
```

## What to do
Run `tofu apply -refresh-only` with a release that records the paths.
""",
    ),
    _rule(
        Code.WRITE_ONLY_STORED,
        """A write-only attribute has a value

## What it does
Reports a value of a write-only attribute.

## Why is this bad?
Write-only values never belong in a state: they are secrets that a provider receives and nobody keeps. OpenTofu refuses
a state with one from a provider.

## Example
```json
{"attributes": {"id": "db-1", "password_wo": "s3cret-word"}}
```

## What to do
Remove the value with `statetool unset`, and replace the secret: copies of the state have it, too.
""",
    ),
    _rule(
        Code.REQUIRED_MISSING,
        """A required attribute has no value

## What it does
Reports attributes that the schema requires and that are null or missing.

## Why is this bad?
The real object has a value. The next refresh should fill it in; until then, anything that refers to the attribute gets
null, and a plan shows a change.

## Example
```json
{"attributes": {"id": "vol-1", "zone": null}}
```

## What to do
Run `tofu apply -refresh-only`. If the value stays null, set it with `statetool set`.
""",
    ),
    _rule(
        Code.BLOCK_COUNT,
        """Too few or too many nested blocks

## What it does
Reports nested blocks whose number is outside of the limits in the schema.

## Why is this bad?
The provider would not accept such a configuration, so its code may not expect such a state either.

## Example
```json
{"attributes": {"id": "lb-1", "listener": []}}
```

## What to do
Run `tofu apply -refresh-only`, which reads the blocks from the real object.
""",
    ),
    _rule(
        Code.DEPRECATED_IN_USE,
        """A deprecated attribute is in use

## What it does
Reports objects with values in deprecated attributes and blocks. Attributes that only the provider sets are ignored.

## Why is this bad?
A later release of the provider removes them. The values may also come from the provider, so this is information.

## Example
```json
{"attributes": {"id": "b-1", "acl": "private"}}
```

## What to do
Change the configuration as the provider's documentation says.
""",
    ),
    _rule(
        Code.SCHEMA_MISSING,
        r"""No schema for a resource type

## What it does
Reports a resource type that the schemas do not have, once for each provider.

## Why is this bad?
OpenTofu refuses to work on the resources: the release of the provider does not know the type. Or the schemas are those
of another configuration, and statetool did not check these resources.

## Example
```json
{"mode": "managed", "type": "acme_volume", "provider": "provider[\"registry.opentofu.org/acme/cloud\"]"}
```

## What to do
Collect the schemas again with `statetool schemas --run` in the directory of the configuration.
""",
    ),
)
