"""Another release would lose a member of the state

## What it does
Reports, with `--for RELEASE`, each meaningful member that this release does not write back: `identity`,
`identity_schema_version`, `skip_destroy`, `deprecated`, `depends_on`, `sensitive_attributes`, check results, and
members that statetool does not know. `statetool releases` shows which release keeps which members. Without `--for`,
the rule reports nothing.

## Why is this bad?
The release drops the member with its next write, without a message. Most of these members are only informative, but
an object without its `skip_destroy` is destroyed instead of left alone. `statetool downgrade` refuses to drop them
unless asked to, so this is an error.

## Example
```json
{"attributes": {"id": "vpc-0f3a"}, "identity": {"id": "vpc-0f3a"}, "identity_schema_version": 0}
```

## What to do
`statetool downgrade --for RELEASE --drop-lossy` removes members that are only informative and reports them.
`--drop-unknown` removes members that statetool does not know.
"""

from collections.abc import Iterable

from statefmt.formats.releases.loss import Cause
from statefmt.lint.rule import Rule
from statefmt.lint.states.release_losses import loss_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return loss_findings(
        subject,
        Code.RELEASE_LOSES_MEMBER,
        "Member lost by the release",
        lambda loss: loss.cause in (Cause.FIELD, Cause.UNKNOWN),
    )


RULE = Rule(Code.RELEASE_LOSES_MEMBER, _check)
