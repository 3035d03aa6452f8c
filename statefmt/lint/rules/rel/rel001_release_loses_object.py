r"""Another release would lose a resource instance or its provider key

## What it does
Reports, with `--for RELEASE`, each object that this release would drop from the state, and each provider key that
it would forget:
- objects bound to a provider instance with a key, and the other objects of the same resource, if the release does
  not know provider instances;
- resources whose provider address the release cannot read.

Without `--for`, the rule reports nothing.

## Why is this bad?
OpenTofu up to 1.8 and all releases of Terraform read such a state with exit status 0 and without a message, and
write it back without these resources. The real objects keep running, but no state contains them any more, so this
is an error.

## Example
```json
{"index_key": "us-east-1", "provider": "provider[\"…/aws\"].by_region[\"us-east-1\"]"}
```

## What to do
Bind all instances of the resource to one provider configuration without a key that reaches them all, with
`statetool rebind RESOURCE PROVIDER`, and `--new-provider` if nothing in the state uses it yet. If none does, because
the instances are in several regions or accounts, first move them to one resource for each configuration, with
`statetool mv`. Make the same changes in the `.tf` files before the next plan.

A resource without instances is removed with `statetool rm`.

Or change the `.tf` files first, and apply them with the release that wrote the state. `statetool downgrade` never
leaves out an object.
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
