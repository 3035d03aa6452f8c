r"""Provider on both the resource and its instance

## What it does
Reports an instance that names a provider although its resource names one too.

## Why is this bad?
The provider of the instance takes precedence. But OpenTofu 1.8 and Terraform read only the one of the resource, so
they bind the instance to another provider instance.

## Example
```json
{"provider": "provider[\"…/aws\"].a", "instances": [{"provider": "provider[\"…/aws\"].a[\"x\"]"}]}
```

## What to do
Run `statetool fmt`, which keeps only the level that is needed; in a state that cannot be read, `statetool repair`
does.
"""

from statefmt.lint.rule import Mend, Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Fix


def _fix(subject: Subject) -> Fix:
    if not subject.can_be_read:
        return subject.repairing()
    return Fix.of("To keep only the level that is needed: ", subject.rewriting(), ".")


RULE = Rule(
    Code.PROVIDER_BOTH_LEVELS,
    fix=_fix,
    mend=Mend("keeps what OpenTofu reads. It rewrites the state in canonical form.", is_safe=False),
)
