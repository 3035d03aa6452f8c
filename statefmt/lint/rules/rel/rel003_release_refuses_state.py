"""Another release would refuse to read the state

## What it does
Reports, with `--for RELEASE`, what makes this release refuse the whole state:
- a format version that it does not read;
- `dependencies` on ephemeral resources, if it has none, or on types whose names it reserves;
- the `terraform_version` of a newer release, if it compares versions.

Without `--for`, the rule reports nothing.

## Why is this bad?
Every command of that release fails until the state is corrected by hand, so this is an error.

## Example
```json
{"attributes": {"id": "i-0f3a"}, "dependencies": ["ephemeral.vault_token.t"]}
```

## What to do
`statetool downgrade --for RELEASE --drop-lossy` removes these members and reports them. `statetool upgrade`
converts a state from an older format version.
"""

from collections.abc import Iterable

from statefmt.formats.releases.loss import Cause
from statefmt.lint.rule import Rule
from statefmt.lint.states.release_losses import loss_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding, Fix

_SUMMARY = "Refused by the release"


def _check(subject: Subject) -> Iterable[Finding]:
    release, version = subject.release, subject.inspection.version
    if release is not None and version is not None and version not in release.formats_read:
        yield Code.RELEASE_REFUSES_STATE.finding(
            _SUMMARY,
            f"The state has format version {version}, which {release.title} does not read.",
            pointer="/version",
            fix=Fix.of("To convert it to format version 4: ", subject.rewriting(), "."),
        )
    yield from loss_findings(subject, Code.RELEASE_REFUSES_STATE, _SUMMARY, lambda loss: loss.cause is Cause.REFUSED)


RULE = Rule(Code.RELEASE_REFUSES_STATE, _check)
