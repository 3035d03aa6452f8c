r"""A provider instance is not used

## What it does
Reports, with `--config`, each key in the `for_each` of a `provider` block to which no resource instance is bound,
in the state or in the configuration. If the binding of some block is unknown, the rule reports nothing about its
provider.

## Why is this bad?
Nothing is wrong: a provider instance must outlive its resources by one apply, and can be removed after that. But
OpenTofu configures every instance in every run, which takes time and credentials, so this is information.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1", "us-east-1"]) # nothing is in us-east-1 any more
}
```

## What to do
Remove the key, unless you plan to use it.
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import keys_in_configuration
from statefmt.hcl.value import Unknown
from statefmt.lint.configurations import place
from statefmt.lint.remedies import fates
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import NO_KEY
from statefmt.model.findings import Code, Finding


def _check(subject: Subject) -> Iterable[Finding]:
    references = subject.configuration
    if references is None or subject.inspection.snapshot is None:
        return
    used = {provider for fate in fates(subject) for provider in (fate.bound, fate.needed)}
    for config, block in references.tree.declared.items():
        if block.for_each is None:
            continue
        declared, wanted = references.declared_keys(config), keys_in_configuration(references, config)
        if isinstance(declared, Unknown) or isinstance(wanted, Unknown):
            continue
        for key in declared:
            if key is NO_KEY or key in wanted or config.instance(key) in used:
                continue
            yield Code.PROVIDER_KEY_UNUSED.finding(
                "Provider instance not used",
                f"Nothing in the state or in the configuration is bound to {config.instance(key)}.",
                str(config.instance(key)),
                fix="Remove the key from the for_each, unless you plan to use it.",
                place=place(block.for_each.range),
            )


RULE = Rule(Code.PROVIDER_KEY_UNUSED, _check)
