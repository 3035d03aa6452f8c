r"""The provider for destroying an object cannot be determined

## What it does
Reports, with `--config`, an object to be destroyed whose resource block still exists and chooses a provider
instance by a key, but of another provider configuration than the state names.

## Why is this bad?
If an instance is no longer declared, or an object is deposed, OpenTofu cannot evaluate the key in the block. Nor
can it evaluate the key in the `providers` of a module instance that is gone. It then falls back to the key in the
state, but only if both mean the same provider configuration. Otherwise the next plan fails with "Unable to use
fallback provider from state".

## Example
```hcl
resource "aws_vpc" "main" {
  for_each = toset(["eu"])                  # the state has "us" too,
  provider = aws.by_location[each.key]      # bound to aws.by_region["us"]
}
```

## What to do
Change one thing at a time: name the old provider configuration in the block, apply, and then change it. Or first
bind the resource to the new configuration in the state (`statetool rebind`): all of its instances together, each to
its own key with `--map`.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.lint.remedies import fates_with, finding, name, put_back, rebind_or_forget
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix

_SUMMARY = "Unable to use fallback provider from state"


def _check(subject: Subject) -> Iterable[Finding]:
    for fate in fates_with(subject, FateKind.FALLBACK_IMPOSSIBLE):
        yield _finding(subject, fate)


def _finding(subject: Subject, fate: Fate) -> Finding:
    assert fate.binding is not None
    detail = (
        f"Provider from configuration {fate.binding.config} does not match provider from state {fate.bound.config} for "
        f"{name(fate)}, which will be destroyed."
    )
    again = put_back(subject, fate.bound)
    passed = fate.binding.resolved.key
    here = f"in the call of {passed.module}" if passed else "in the block"
    fix = Fix.of(
        f"Name the provider configuration from the state {here}"
        f"{f', and {again.how},' if again else ''} until one apply has destroyed the object. ",
        rebind_or_forget(subject, fate),
        " What to add until then:" if again else "",
        snippet=again.snippet if again else "",
    )
    return finding(fate, Code.PROVIDER_FALLBACK_IMPOSSIBLE, _SUMMARY, detail, fix, fate.binding.range)


RULE = Rule(Code.PROVIDER_FALLBACK_IMPOSSIBLE, _check)
