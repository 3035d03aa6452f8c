"""The state was not written by a known release

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
"""

from collections.abc import Iterable
from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding
from statefmt.model.snapshot import normalise_version

# Major and minor; a state does not say which engine wrote it.
_NEWEST: Final = {"OpenTofu": (1, 13), "Terraform": (1, 15)}
# Written when upgrading a file that names no release.
_NONE: Final = "0.0.0"


def _check(subject: Subject) -> Iterable[Finding]:
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
    yield Code.RELEASE_UNKNOWN.finding(
        "Unknown release",
        detail,
        pointer="" if document.terraform_version is None else "/terraform_version",
        fix="Write the state with a known release, or look for a newer statetool.",
    )


RULE = Rule(Code.RELEASE_UNKNOWN, _check)
