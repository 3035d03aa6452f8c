"""Rules about the file and its envelope (STA), except the longer ones, which are modules of this package."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from statefmt.formats.reading.repeated import duplicate_members, stays
from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import NO_FIX, Code, Finding, Fix
from statefmt.model.snapshot import normalise_version


def _salvaging(subject: Subject) -> Fix:
    # Imported late: most files are states.
    from statefmt.formats.reading.damaged import SALVAGING, has_parts

    if not has_parts(subject.inspection.data):
        return NO_FIX
    return Fix.of(subject.command("salvage", mends=True), SALVAGING)


def _not_canonical(subject: Subject) -> Iterable[Finding]:
    inspection = subject.inspection
    if inspection.snapshot is not None and not subject.is_record and not subject.is_canonical:
        older = f" It has format version {inspection.version}." if inspection.version != 4 else ""
        yield Code.NOT_CANONICAL.finding(
            "Not in canonical form",
            f"OpenTofu would write the file differently.{older}",
            fix=Fix.of("To rewrite it: ", subject.rewriting(), "."),
        )


def _dropping_unknown(subject: Subject) -> Fix:
    return Fix.of(
        "A newer statetool may know it. To drop all unknown members: ", subject.rewriting("--drop-unknown"), "."
    )


def _duplicate_member(subject: Subject) -> Iterable[Finding]:
    inspection = subject.inspection
    if inspection.version is not None:
        yield from duplicate_members(inspection.data, inspection.version, inspection.findings)


def _no_lineage(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is not None and not document.lineage and not subject.is_record:
        detail = "Without a lineage, OpenTofu cannot check whether another state is a version of this one."
        fix = Fix.of(
            "Use the lineage of a backup or of the remote copy; if there is none: ", subject.command("new-lineage"), "."
        )
        yield Code.NO_LINEAGE.finding(
            "State without a lineage", detail, pointer="" if document.lineage is None else "/lineage", fix=fix
        )


# Up to here, 64-bit floats represent every integer exactly.
_EXACT: Final = 2**53


def _serial_odd(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is None:
        return
    serial = document.serial or 0
    if serial > _EXACT:
        detail = f"The serial {serial} is too large for many programs to represent exactly (above 2^53)."
    elif serial == 0 and (document.resources or document.outputs):
        detail = "The state has content, but its serial is 0: every other copy of it counts as newer."
    else:
        return
    fix = Fix.of(
        "Set it to one above the highest serial of a good copy: ", subject.command("set-serial", "NUMBER"), "."
    )
    yield Code.SERIAL_ODD.finding(
        "Implausible serial", detail, pointer="" if document.serial is None else "/serial", fix=fix
    )


# Major and minor; a state does not record its engine.
_NEWEST: Final = {"OpenTofu": (1, 13), "Terraform": (1, 15)}
# Upgrades write this release if the file names none.
_NONE: Final = "0.0.0"


def _release_unknown(subject: Subject) -> Iterable[Finding]:
    document = subject.inspection.document
    if document is None or subject.is_record:
        return
    given = document.terraform_version or ""
    version = normalise_version(given or _NONE)
    if version is None:
        return
    release, _, _ = version.partition("+")
    number, _, prerelease = release.partition("-")
    if number == _NONE:
        detail = "The state does not say which release wrote it."
    elif tuple(map(int, number.split(".")[:2])) > max(_NEWEST.values()):
        known = " and ".join(f"{engine} {major}.{minor}" for engine, (major, minor) in _NEWEST.items())
        detail = f"The state was written by release {given}, which is newer than {known}."
    elif prerelease:
        detail = f"The state was written by {given}, which is not a release."
    else:
        return
    fix = "Write the state with a known release, or look for a newer statetool."
    yield Code.RELEASE_UNKNOWN.finding(
        "Unknown release", detail, pointer="" if document.terraform_version is None else "/terraform_version", fix=fix
    )


RULES: Final = (
    Rule(
        Code.NOT_A_STATE,
        fix=_salvaging,
        page="""The file is not a state

## What it does
Reports a file that is empty, not JSON, not UTF-8, or JSON without a format version.

## Why is this bad?
Nothing can be read from it. To OpenTofu, an empty file means "no state": the next apply would create everything
again.

## Example
```json
{"serial": 4, "resources": []}
```

## What to do
Restore the file from a backup with `statetool restore` (`terraform.tfstate.backup`, or an older version in the
backend), or pass the right file. If no backup is recent enough, `statetool salvage FILE` takes what is whole from a
damaged one.
""",
    ),
    Rule(
        Code.UNSUPPORTED_VERSION,
        page="""The state has an unsupported format version

## What it does
Reports states with a format version other than 1 to 4, and the binary format of Terraform before 0.7.

## Why is this bad?
This release of statetool cannot read the state.

## Example
```json
{"version": 5, "serial": 1}
```

## What to do
Use a newer statetool, or restore the file from a backup with `statetool restore`. If the file has the binary format,
upgrade it with Terraform 0.6.16 first.
""",
    ),
    Rule(
        Code.ENCRYPTED,
        page="""The state is encrypted

## What it does
Reports an encrypted state, with the serial, the lineage and the key providers that its envelope names.

## Why is this bad?
Without the encryption configuration, statetool can neither read nor check the state.

## Example
```json
{"serial": 7, "meta": {"key_provider.pbkdf2.main": "…"}, "encrypted_data": "…", "encryption_version": "v0"}
```

## What to do
Pass the encryption configuration with `--encryption FILE` or in `TF_ENCRYPTION`. Or run `tofu state pull` in a
directory that has the configuration, and check its output.
""",
    ),
    Rule(
        Code.INVALID_STRUCTURE,
        fix=Subject.repairing,
        page="""A member has an invalid value

## What it does
Reports a member of the wrong JSON type, and a number out of range.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"serial": "7"
```

## What to do
Convert, replace or remove the member with `statetool repair`, or restore the file from a backup.
""",
    ),
    Rule(
        Code.UPGRADE_FAILED,
        fix=Subject.repairing,
        page="""The state cannot be upgraded to format version 4

## What it does
Reports what prevents the upgrade of a state in format version 1 to 3: a resource address, a module path or a
provider reference that version 4 cannot express.

## Why is this bad?
Neither OpenTofu nor Terraform can read the state. OpenTofu 1.13 does not read versions before 4 at all.

## Example
```json
"aws_instance.web.first": {"type": "aws_instance"}
```

## What to do
Correct or forget the reported entry with `statetool repair`. If it is an alias that contains `${…}`, rename the alias
and apply with Terraform 0.11 first.
""",
    ),
    Rule(
        Code.INVALID_TERRAFORM_VERSION,
        fix=Subject.repairing,
        page="""`terraform_version` is not a version

## What it does
Reports a `terraform_version` that is not a version number.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"terraform_version": "latest"
```

## What to do
Set it to the release that wrote the state, such as `1.9.0`, or remove it: `statetool repair` does either.
""",
    ),
    Rule(
        Code.NOT_CANONICAL,
        _not_canonical,
        mend=Mend("rewrites the state in canonical form, in its own style."),
        page="""The file is not in canonical form

## What it does
Reports a state that OpenTofu would write differently: in another order, with other whitespace or escapes, or with
values in another form.

## Why is this bad?
It is harmless in itself, but the next apply with OpenTofu will also change unrelated lines. Something other than the
two engines wrote the file, or Terraform 1.12 or later did: it writes `"identity_schema_version": 0` into every object
without an identity, which OpenTofu leaves out, and an `identity` before `private`.

## Example
```json
{"serial": 4, "version": 4}
```

## What to do
Run `statetool fmt`. If Terraform 1.12 or later keeps writing the state, ignore this rule.
""",
    ),
    Rule(
        Code.UNKNOWN_MEMBER,
        fix=_dropping_unknown,
        page="""The state has a member that statetool does not know

## What it does
Reports members that no release known to statetool writes, and check results of an unknown kind.

## Why is this bad?
A newer release or a manual edit added the member. statetool keeps it, but OpenTofu and Terraform drop it when they
write the state.

## Example
```json
"resources": [{"mode": "managed", "future_member": {}}]
```

## What to do
Check whether a newer statetool knows the member. `statetool fmt --drop-unknown` removes it.
""",
    ),
    Rule(
        Code.DUPLICATE_MEMBER,
        _duplicate_member,
        reads_file=True,
        mend=Mend(
            "writes what Terraform and OpenTofu read. It rewrites the state in canonical form; members that repeat in "
            "attributes, identities and unknown members stay.",
            is_safe=False,
            applies=lambda finding: not stays(finding),
        ),
        page="""A member appears twice in one object

## What it does
Reports a member name that appears more than once in one object of the state, also in attributes and output values.
Members of the format have the same name in any case: `outputs` and `Outputs` are one.

## Why is this bad?
Programs differ in what they read. Most, such as jq, take the last occurrence. Terraform and OpenTofu decode each one
into what the earlier ones left behind: they merge repeated maps, such as `outputs`, and objects, put the elements of a
repeated list into those of the earlier one, and ignore a null that follows a number, a string or a Boolean. In
attributes and output values, they take the last one. What a program does not read is lost as soon as it writes the
file.

statetool reads what Terraform and OpenTofu read. It refuses to edit a state in which most other programs read
something else.

## Example
```json
{"outputs": {"vpc": {}}, "Outputs": {"subnets": {}}}
```

## What to do
`statetool fmt` writes what Terraform and OpenTofu read. If something else is correct, keep that, and remove the others
with `statetool edit`. Members that repeat in attributes, identities and unknown members stay until they are edited.
""",
    ),
    Rule(
        Code.UPGRADE_CHOICE,
        fix=lambda subject: Fix.of("To upgrade the file: ", subject.rewriting(), "."),
        page="""Upgrading the format makes a choice or drops data

## What it does
Reports, for a state in format version 1 to 3, each choice that the upgrade makes and all data that version 4 cannot
hold.

## Why is this bad?
Most of it is harmless: the next apply computes dependencies and outputs of child modules again. But check instances
that disagree about their provider.

## Example
```json
"backend": {"type": "s3"}
```

## What to do
Review the findings, then run `statetool upgrade`.
""",
    ),
    Rule(
        Code.NORMALISED_VALUE,
        fix=lambda subject: Fix.of("To write it in that form, if it is the intended value: ", subject.rewriting(), "."),
        mend=Mend("writes the value as OpenTofu reads it. It rewrites the state in canonical form.", is_safe=False),
        page=r"""A value is read differently than it is written

## What it does
Reports a value that OpenTofu drops or reads as another one: `v1.2` as `1.2.0`, a dependency with instance keys as
one without, or a key `1.0` as `1`.

## Why is this bad?
The next program that writes the state changes the value.

## Example
```json
"dependencies": ["module.a[\"x\"].aws_vpc.main"]
```

## What to do
Nothing, if the value that OpenTofu reads is the intended one; `statetool fmt` writes it in that form.
""",
    ),
    Rule(
        Code.BACKEND_CONFIGURATION,
        page="""The file is a backend configuration, not a state

## What it does
Reports the file that `init` leaves in `.terraform/terraform.tfstate`. It looks like a state in format version 3,
but only records where the state is: in a `backend`, in the `state_store` of Terraform 1.15, or in the `remote` state
of Terraform before 0.9.

## Why is this bad?
It contains no resources. Editing it as a state would produce an empty state.

## Example
```json
{"version": 3, "backend": {"type": "s3", "config": {}}}
```

## What to do
Name the folder of the configuration, whose state is then found: `statetool check DIR`. For a backend that statetool
does not open, pull the state: `tofu state pull | statetool check -`.
""",
    ),
    Rule(
        Code.NOT_UTF8,
        page=r"""The file is not UTF-8

## What it does
Reports a state with bytes that are not UTF-8.

## Why is this bad?
OpenTofu silently replaces each such byte, and so changes names, keys or values in the state.

## Example
```json
{"version": 4, "outputs": {"city": {"value": "K\xf6ln", "type": "string"}}}   (saved as Latin-1)
```

## What to do
Convert the file to UTF-8, or restore it from a backup with `statetool restore`.
""",
    ),
    Rule(
        Code.NO_LINEAGE,
        _no_lineage,
        page="""The state has no lineage

## What it does
Reports a state whose `lineage` is missing or empty. Most states in formats 1 and 2 have none.

## Why is this bad?
The lineage identifies a state. Without it, `tofu state push` and `init -migrate-state` compare nothing, not even
serials, and may overwrite an unrelated or a newer state. The state itself can be read, so this is information.

## Example
```json
{"version": 4, "serial": 7, "lineage": ""}
```

## What to do
Use the lineage of a backup or of the remote copy, if it has one. Otherwise run `statetool new-lineage`.
""",
    ),
    Rule(
        Code.SERIAL_ODD,
        _serial_odd,
        page="""The serial is implausible

## What it does
Reports a `serial` that is 0 or missing in a state that contains resources or outputs, and a serial above
9007199254740992 (2^53).

## Why is this bad?
Every write increments the serial, starting from 1. A state that has content and the serial 0 was made by hand or by
a script; every other copy of it counts as newer, so `state push` refuses it.

Above 2^53, jq, JavaScript and other programs that read JSON numbers as floating point round the serial, so that two
writes get the same one. From 2^63 on, HCP Terraform and other programs that store it in a signed integer see a
negative serial. Regular writes never get there.

OpenTofu reads both kinds, so this is information.

## Example
```json
{"version": 4, "serial": 0, "resources": [{"mode": "managed", "type": "aws_vpc", "name": "main"}]}
```

## What to do
Compare the state with the remote copy and backups, and continue from the highest plausible serial:
`statetool set-serial 43`.
""",
    ),
    Rule(
        Code.RELEASE_UNKNOWN,
        _release_unknown,
        page="""The state was not written by a known release

## What it does
Reports a `terraform_version` that is missing or empty, that is a prerelease (`1.10.0-beta1`, `1.13.0-dev`), or that
is newer than every release this statetool knows: OpenTofu 1.13 and Terraform 1.16. STA006 reports values that are
not a version at all.

## Why is this bad?
statetool is tested against known releases. A newer release may write members that statetool does not know (it keeps
them and reports STA008), a prerelease may write data that no release reads, and without a version nobody knows
which releases are safe to use. The state can be read, so this is information.

## Example
```json
{"version": 4, "terraform_version": "1.13.0-dev"}
```

## What to do
Look for a newer statetool, or write the state with a released OpenTofu or Terraform.
""",
    ),
)
