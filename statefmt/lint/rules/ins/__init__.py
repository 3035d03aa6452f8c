"""Rules about instance objects (INS), except the longer ones, which are modules of this package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from statefmt.formats.raw_json import equals
from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject, missing_steps, sensitive_paths, shown_path
from statefmt.model.findings import Code, Finding, Fix


def _tainted(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        if part.document.status == "tainted" and not part.document.deposed and part.resource.document.mode != "data":
            detail = f"The object of {part.address} is tainted: the next apply destroys it and creates a new one."
            fix = Fix.of("If it is sound: ", subject.command_on("untaint", part.address), ".")
            yield Code.TAINTED.finding("Tainted object", detail, part.address, f"{part.pointer}/status", fix)


def _deposed_left_over(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        key = part.document.deposed
        if key:
            detail = f"Instance {part.address} has the deposed object {key}; the next apply destroys it."
            fix = Fix.of(
                "If the real object is gone or should be kept: ",
                subject.command_on("forget-deposed", part.address),
                ".",
            )
            yield Code.DEPOSED_LEFT_OVER.finding(
                "Deposed object left over", detail, part.address, f"{part.pointer}/deposed", fix
            )


def _flat_attributes(subject: Subject) -> Iterable[Finding]:
    if subject.inspection.version != 4:
        return
    for part in subject.objects:
        if part.document.attributes_flat is not None and part.document.attributes is UNSET:
            detail = f"The attributes of {part.address} are in the flat form of Terraform before 0.12."
            fix = "Run `tofu apply -refresh-only` to write them in the current form."
            yield Code.FLAT_ATTRIBUTES.finding(
                "Attributes in the flat form", detail, part.address, f"{part.pointer}/attributes_flat", fix
            )


def _schema_versions_differ(subject: Subject) -> Iterable[Finding]:
    first: dict[str, int] = {}
    reported: set[str] = set()
    for part in subject.objects:
        if part.document.deposed:
            continue
        resource = part.resource.address
        version = part.document.schema_version or 0
        if first.setdefault(resource, version) == version or resource in reported:
            continue
        reported.add(resource)
        yield Code.SCHEMA_VERSIONS_DIFFER.finding(
            "Schema versions differ within a resource",
            f"Instance {part.address} has schema version {version}, but the first instance of "
            f"{resource} has {first[resource]}.",
            resource,
            f"{part.pointer}/schema_version",
            "Run `tofu apply -refresh-only` to write all instances with one version.",
        )


def _sensitive_path_missing(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        attributes = part.document.attributes
        paths = sensitive_paths(part.document)
        if not paths or attributes is UNSET:
            continue
        for number, (path, missing) in enumerate(zip(paths, missing_steps(attributes, paths), strict=True)):
            if missing is None:
                continue
            yield Code.SENSITIVE_PATH_MISSING.finding(
                "Sensitive path leads nowhere",
                f"{part.address}: the attributes have no {shown_path(path, missing)}, which is marked as sensitive.",
                part.address,
                f"{part.pointer}/sensitive_attributes/{number}",
                "Find out where the value went, then run `tofu apply -refresh-only` to rewrite the paths.",
            )


def _identity_without_version(subject: Subject) -> Iterable[Finding]:
    for part in subject.objects:
        obj = part.document
        if obj.identity is not UNSET and obj.identity_schema_version is None and not equals(obj.identity, b"null"):
            detail = f"The identity of {part.address} has no schema version, so OpenTofu assumes version 0."
            fix = 'Add "identity_schema_version" with the version of the identity, usually 0.'
            yield Code.IDENTITY_WITHOUT_VERSION.finding(
                "Identity without a schema version", detail, part.address, f"{part.pointer}/identity", fix
            )


RULES: Final = (
    Rule(
        Code.INVALID_STATUS,
        fix=Subject.repairing,
        page="""The status of an object is invalid

## What it does
Reports a `status` other than `"tainted"`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"status": "creating"
```

## What to do
Choose with `statetool repair`: the object is sound (no status), or must be replaced (`"tainted"`).
""",
    ),
    Rule(
        Code.INVALID_DEPOSED_KEY,
        fix=Subject.repairing,
        page="""A deposed key is not eight bytes long

## What it does
Reports a `deposed` key that is not eight bytes long.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"deposed": "5a3e"
```

## What to do
Give the object a key of eight hexadecimal digits, or forget it: `statetool repair` does either.
""",
    ),
    Rule(
        Code.INVALID_SENSITIVE_PATHS,
        fix=Subject.repairing,
        page="""The sensitive paths of an object are invalid

## What it does
Reports `sensitive_attributes` that are not a list of paths.

## Why is this bad?
OpenTofu refuses to read the state. A tool that ignored the error would show secrets.

## Example
```json
"sensitive_attributes": ["password"]
```

## What to do
Write paths with `statetool repair`, as in `[[{"type": "get_attr", "value": "password"}]]`, or remove those that are
invalid.
""",
    ),
    Rule(
        Code.BOTH_ATTRIBUTE_FORMS,
        fix=lambda subject: subject.rewriting_or_repairing('To drop the flat form, if "attributes" is right: '),
        mend=Mend("removes `attributes_flat`. It rewrites the state in canonical form.", is_safe=False),
        page="""An object has attributes in both forms

## What it does
Reports an object with both `attributes` and `attributes_flat`.

## Why is this bad?
Only `attributes` counts. The flat form is lost when the state is written.

## Example
```json
"attributes": {"id": "a"}, "attributes_flat": {"id": "b"}
```

## What to do
If `attributes` is right, run `statetool fmt`, which removes `attributes_flat`.
""",
    ),
    Rule(
        Code.TAINTED,
        _tainted,
        page="""An object is tainted

## What it does
Reports a current object of a managed resource with the status `tainted`. Deposed objects are left to INS006, since
they are destroyed anyway. Data resources are ignored: every plan reads them again, whatever their status.

## Why is this bad?
The next apply destroys the object and creates a new one. After `taint` that is intended. After a failed provisioner
or an incomplete create it often is not, and destroys a database or loses an address. The state can be read, so this
is a warning.

## Example
```json
{"schema_version": 1, "status": "tainted", "attributes": {"id": "i-0f3a"}}
```

## What to do
If the object is sound, run `statetool untaint aws_instance.web`. Otherwise let the next apply replace it.
""",
    ),
    Rule(
        Code.DEPOSED_LEFT_OVER,
        _deposed_left_over,
        page="""A deposed object is left over

## What it does
Reports each deposed object: one that was to be replaced (`create_before_destroy`) and has not been destroyed yet.

## Why is this bad?
Usually an apply was stopped, or the destroy failed, after the new object was created. The old object still runs and
costs money, and the next apply destroys it although nothing in the configuration mentions it. The state can be
read, so this is a warning.

## Example
```json
{"deposed": "5a3e8f01", "schema_version": 1, "attributes": {"id": "i-0f3a"}}
```

## What to do
Let the next apply destroy it. If the real object is already gone, or should be kept outside of the state, run
`statetool forget-deposed aws_instance.web`.
""",
    ),
    Rule(
        Code.FLAT_ATTRIBUTES,
        _flat_attributes,
        page="""An object still has flat attributes

## What it does
Reports an object in a version 4 file that has attributes only in the flat form (`attributes_flat`) of Terraform
before 0.12. Formats 1 to 3 have no other form and are ignored. Objects with both forms are left to INS004.

## Why is this bad?
The provider must convert the attributes on every read, and no release since 0.12 has refreshed the object. Most
programs that read attributes from a state do not see any. Nothing is lost, so this is information.

## Example
```json
{"schema_version": 0, "attributes_flat": {"id": "i-0f3a", "tags.%": "1", "tags.Name": "web"}}
```

## What to do
Run `tofu apply -refresh-only`, which rewrites the object. Without the provider, `statetool upgrade -i --schemas FILE`
decodes the attributes by the provider's schema, the output of `tofu providers schema -json`.
""",
    ),
    Rule(
        Code.SCHEMA_VERSIONS_DIFFER,
        _schema_versions_differ,
        page="""The instances of a resource have different schema versions

## What it does
Reports a resource whose current objects do not all have the same `schema_version`. There is one finding for each
resource. Deposed objects are ignored: whatever release created them wrote them.

## Why is this bad?
An apply writes all instances with the schema version of the provider. If the versions differ, some instances have
not been written for a long time (`-target`), were moved or merged in from elsewhere, or come from a newer provider
and cannot be read by an older one. The provider upgrades old instances by itself, so this is information.

## Example
```json
"instances": [{"index_key": 0, "schema_version": 1}, {"index_key": 1, "schema_version": 2}]
```

## What to do
Run `tofu apply -refresh-only` with the newest provider that wrote any of them.
""",
    ),
    Rule(
        Code.SENSITIVE_PATH_MISSING,
        _sensitive_path_missing,
        page="""A sensitive path leads to no attribute

## What it does
Reports a path in `sensitive_attributes` whose attribute, map key or list element does not exist. Paths through a
null value are ignored, since there is nothing to hide, and so are paths to elements of sets.

## Why is this bad?
The path hides nothing. If the provider renamed the attribute, the value is now unmarked, and plans, outputs and
tools show it. Usually the path is a harmless leftover that the next apply removes, so this is information.

## Example
```json
"attributes": {"id": "db-1", "secret": null}, "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]
```

## What to do
Find out where the value went. `tofu apply -refresh-only` rewrites the paths.
""",
    ),
    Rule(
        Code.PRIVATE_INVALID,
        fix=Subject.repairing,
        page="""The private data of an object is not base64

## What it does
Reports a `private` member that is neither base64 (standard alphabet, with padding) nor a list of bytes.

## Why is this bad?
OpenTofu refuses to read the state, so this is an error. The member contains what the provider needs for later
operations, such as timeouts.

## Example
```json
"private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ"
```

## What to do
Restore the member from a backup; usually padding (`=`) or the end is missing. If there is no backup, remove the
member with `statetool repair`: apart from timeouts and the like, providers work without it.
""",
    ),
    Rule(
        Code.IDENTITY_WITHOUT_VERSION,
        _identity_without_version,
        page="""An identity has no schema version

## What it does
Reports an object with an `identity` but no `identity_schema_version`. The reverse is fine: Terraform 1.12 and later
write `"identity_schema_version": 0` for every object, with or without an identity.

## Why is this bad?
OpenTofu and Terraform write the version with every identity, even if it is 0. If it is missing, they assume 0 and
pass the identity to the provider as one of the oldest form. Usually that is right, so this is information.

## Example
```json
"identity": {"region": "eu-central-1", "id": "i-0f3a"}
```

## What to do
Add `"identity_schema_version": 0`, or the version from a backup. The next apply rewrites both members.
""",
    ),
)
