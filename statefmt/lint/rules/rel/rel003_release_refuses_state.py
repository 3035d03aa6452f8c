"""Another release would refuse to read the state

## What it does
Reports, with `--for RELEASE`, what makes this release refuse the whole state: a format version that it doesn't read,
`dependencies` on ephemeral resources where it has none or on types whose names it reserves, and the
`terraform_version` of a newer release where it compares that. Without `--for` it finds nothing.

## Why is this bad?
Every command of that release fails, and the state has to be mended by hand in the middle of something else: an error.

## Example
```json
{"attributes": {"id": "i-0f3a"}, "dependencies": ["ephemeral.vault_token.t"]}
```

## What to do
`statetool downgrade --for RELEASE --drop-lossy` takes out these members, and says what it was. `statetool upgrade`
carries a state of an older format version over.
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
            fix=Fix.of("To carry it over to format version 4: ", subject.rewriting(), "."),
        )
    yield from loss_findings(subject, Code.RELEASE_REFUSES_STATE, _SUMMARY, lambda loss: loss.cause is Cause.REFUSED)


RULE = Rule(Code.RELEASE_REFUSES_STATE, _check)
