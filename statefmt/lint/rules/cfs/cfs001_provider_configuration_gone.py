r"""The provider configuration of an object is gone

## What it does
Reports, with `--config`, each object in the state that needs a provider configuration which does not exist: its
`provider` block was removed or got another alias, or the module that contained it is gone.

The rule first follows addresses through `moved` blocks. An object that no block declares any more needs exactly the
provider configuration that the state names. The default configuration of the root module always exists.

Data sources that no block declares any more are ignored: OpenTofu drops them from the state without using a
provider (except in `tofu destroy -refresh=false`). A data source that is still declared needs its provider like any
resource.

## Why is this bad?
The next plan fails with "Provider configuration not present", whatever else it would do. A `removed` block does not
help: OpenTofu needs the provider before it evaluates the block.

## Example
```hcl
# The state has aws_vpc.old, bound to provider["registry.opentofu.org/hashicorp/aws"].west.
# This block was removed together with the resource block:
# provider "aws" { alias = "west" … }
```

## What to do
Remove the provider in two steps: keep the `provider` block for one more apply, which destroys the object, and then
remove it. The finding shows the block to paste. If the whole module with the block is gone, it shows the call of a
module that contains only the block: calling the old source would bring back the resources instead of destroying
them.

Or bind the object to another provider instance that can manage it (`statetool rebind`), or forget it and keep the
real object (`statetool rm`).
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.lint.remedies import (
    as_in_state,
    fates_with,
    finding,
    in_module,
    missed_keys,
    name,
    nearest_module,
    provider_block,
    rebind_or_forget,
    removed_block_note,
)
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code, Finding, Fix

_SUMMARY = "Provider configuration not present"


def _check(subject: Subject) -> Iterable[Finding]:
    for fate in fates_with(subject, FateKind.CONFIGURATION_GONE):
        yield _finding(subject, fate)


def _finding(subject: Subject, fate: Fate) -> Finding:
    references = subject.configuration
    assert references is not None and fate.needed is not None
    config = fate.needed.config
    # One name for one thing: the configuration may have it under OpenTofu's registry.
    shown = as_in_state(fate, fate.needed).config
    detail = (
        f"To work with {name(fate)} its {'' if fate.declared else 'original '}provider configuration at {shown} is "
        f"required, but it {'does not exist' if fate.declared else 'has been removed'}.{removed_block_note(fate)}"
    )
    snippet = provider_block(references, config, missed_keys(subject, config), fate.bound.key)
    here = in_module(config.module)
    if fate.declared:
        advice = f"Name an existing provider configuration in its resource block, or add this one {here}:"
        fix = Fix.of(advice, snippet=snippet)
        return finding(fate, Code.PROVIDER_CONFIGURATION_GONE, _SUMMARY, detail, fix)
    if config.module in references.configuration.modules:
        until = f"Keep the provider block {here} until one apply has destroyed the object. "
        fix = Fix.of(until, rebind_or_forget(subject, fate), " The block to add:", snippet=snippet)
    else:
        around = in_module(nearest_module(references, config.module))
        until = (
            f"Call {config.module} again {around}, with only the provider block in it, until one apply has "
            "destroyed the object. "
        )
        fix = Fix.of(until, rebind_or_forget(subject, fate), " What to add:", snippet=snippet)
    return finding(fate, Code.PROVIDER_CONFIGURATION_GONE, _SUMMARY, detail, fix)


RULE = Rule(Code.PROVIDER_CONFIGURATION_GONE, _check)
