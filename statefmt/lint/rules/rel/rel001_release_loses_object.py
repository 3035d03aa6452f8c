r"""Another release would lose a resource instance or its provider key

## What it does
Reports, with `--for RELEASE`, each object that this release would leave out of the state, and each provider key that it
would forget: objects bound to a provider instance with a key, and the others of the same resource, where the release
knows none; resources whose provider address it cannot read. Without `--for` it finds nothing.

## Why is this bad?
OpenTofu up to 1.8 and all of Terraform read such a state with exit status 0 and without a message, and write it back
without these resources. What they stand for goes on running, and nothing knows of it: an error.

## Example
```json
{"index_key": "us-east-1", "provider": "provider[\"…/aws\"].by_region[\"us-east-1\"]"}
```

## What to do
Bind all instances of the resource to one provider configuration without a key that reaches them all, with
`statetool rebind RESOURCE PROVIDER`. Where none does, since they are in several regions or accounts, first move them to
a resource for each configuration, with `statetool mv`. The `.tf` files must say the same before the next plan. Or
change these files first, and apply them with the release that wrote the state. `statetool downgrade` never leaves out
an object.
"""

from collections.abc import Iterable

from statefmt.lint.rule import Rule
from statefmt.lint.states.release_losses import loss_findings
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(subject: Subject) -> Iterable[Finding]:
    return loss_findings(subject, Code.RELEASE_LOSES_OBJECT, "Lost by the release", lambda loss: loss.loses_object)


RULE = Rule(Code.RELEASE_LOSES_OBJECT, _check)
