r"""An object is not in the account or region of its provider instance

## What it does
Reports, with `--config`, each object of a managed resource whose attributes say another account, subscription, project
or region than the arguments of the provider instance that the configuration uses for it. Only facts count that the
resource takes from its provider: a `region` or `project` that its block sets is none, nor is the ARN of a global
service. The providers of AWS, Google, Azure, Oracle, Alibaba and some others are known.

## Why is this bad?
OpenTofu looks for the object where it is not, finds nothing, and plans to create a second one. It loses the first.

## Example
```hcl
resource "aws_sqs_queue" "jobs" {
  provider = aws.by_region["us-east-1"] # its ARN is arn:aws:sqs:eu-west-1:111111111111:jobs
}
```

## What to do
Use the provider instance of the account and region that the object is in. `statetool adopt` finds it where objects
moved to a `for_each`.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import FateKind
from statefmt.analysis.providers.mismatches import Mismatches
from statefmt.lint.remedies import fates, finding, name
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import ResourceMode
from statefmt.model.findings import Code, Finding, Fix


def _check(subject: Subject) -> Iterable[Finding]:
    references = subject.configuration
    if references is None:
        return
    mismatches = Mismatches(references)
    for fate in fates(subject):
        if fate.outcome not in (FateKind.KEPT, FateKind.REBOUND) or fate.needed is None:
            continue
        if fate.address.resource.resource.mode is ResourceMode.DATA:
            continue
        found = mismatches.of(fate.address, fate.obj, fate.needed)
        if found is None:
            continue
        detail = (
            f"{name(fate)} is in {found.kind} {found.of_object}, but {fate.needed}, through which the next apply "
            f"manages it, is in {found.of_provider}."
        )
        fix = Fix.of("Name the provider instance of the account and region that the object is in.")
        range_ = fate.binding.range if fate.binding else None
        yield finding(fate, Code.PROVIDER_MISMATCH, "Provider instance contradicts the object", detail, fix, range_)


RULE = Rule(Code.PROVIDER_MISMATCH, _check)
