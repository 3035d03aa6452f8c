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

from statefmt.codes import Code
from statefmt.diagnostics import Finding, Fix
from statefmt.rules.release_losses import loss_findings
from statefmt.rules.rule import Rule
from statefmt.rules.subject import Subject
from statefmt.statefile.loss import Cause

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
