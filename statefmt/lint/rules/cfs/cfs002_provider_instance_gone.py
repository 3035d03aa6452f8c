r"""The provider instance of an object is gone

## What it does
Reports, with `--config`, each object in the state, also deposed ones, that needs a provider instance which does not
exist: its key was removed from the `for_each` of the `provider` block, or `for_each` was added to the block or
removed from it.

OpenTofu destroys an object through the key in the state, because it can no longer evaluate the key in the resource
block. But it can evaluate a key in the `providers` of a module call, as long as that module instance exists, and
then uses it. Data sources that no block declares any more are ignored: OpenTofu drops them from the state.

## Why is this bad?
The next plan fails with "Provider instance not present". Usually the `provider` block and its resources have the
same collection in `for_each`: removing an element removes the provider instance in the same step as the resources
that it must destroy.

## Example
```hcl
provider "aws" {
  alias    = "by_region"
  for_each = toset(["eu-west-1"]) # was: ["eu-west-1", "us-east-1"]
  region   = each.key
}
```

## What to do
Remove the element in two steps: take it out of the `for_each` of the resources, keep it in that of the provider,
and apply; then take it out of the provider's. The finding shows the block to paste, with all missing keys of its
configuration. If its `for_each` is a map, you must fill in what `each.value` was for these keys.

Or bind the object to another provider instance (`statetool rebind`), or forget it and keep the real object
(`statetool rm`, `statetool forget-deposed`).
"""

from collections.abc import Iterable

from statefmt.analysis.providers.fates import Fate, FateKind
from statefmt.configuration.model import ProviderBlock
from statefmt.lint.configurations import where
from statefmt.lint.remedies import (
    PutBack,
    as_in_state,
    fates_with,
    finding,
    name,
    put_back,
    rebind_or_forget,
    removed_block_note,
)
from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.addrs import NO_KEY
from statefmt.model.findings import Code, Finding, Fix

_SUMMARY = "Provider instance not present"


def _check(subject: Subject) -> Iterable[Finding]:
    for fate in fates_with(subject, FateKind.INSTANCE_GONE):
        yield _finding(subject, fate)


def _finding(subject: Subject, fate: Fate) -> Finding:
    references = subject.configuration
    assert references is not None and fate.needed is not None
    block = references.tree.declared.get(fate.needed.config)
    shown = as_in_state(fate, fate.needed)
    range_ = None if block is None else block.for_each.range if block.for_each else block.range
    detail = (
        f"To work with {name(fate)} its {'' if fate.declared else 'original '}provider instance at {shown} is "
        f"required, but {_why(fate, block)}{removed_block_note(fate)}"
    )
    again = put_back(subject, fate.needed)
    assert again is not None, "the provider instance is not declared"
    if fate.declared:
        fix = Fix.of(
            f"{_sentence(again)}, until the resource block no longer uses it and one apply has destroyed the object:",
            snippet=again.snippet,
        )
    else:
        until = f"{_sentence(again)} until one apply has destroyed the object, and only then remove it. "
        fix = Fix.of(until, rebind_or_forget(subject, fate), " The block until then:", snippet=again.snippet)
    return finding(fate, Code.PROVIDER_INSTANCE_GONE, _SUMMARY, detail, fix, range_)


def _sentence(again: PutBack) -> str:
    return again.how[0].upper() + again.how[1:]


def _why(fate: Fate, block: ProviderBlock | None) -> str:
    assert fate.needed is not None
    if block is None:
        return "a default configuration has no keys."
    if fate.needed.key is NO_KEY:
        return f"the provider block at {where(block.range)} now has for_each, and no instance without a key."
    if block.for_each is None:
        return f"the provider block at {where(block.range)} has no for_each, and so no instance with a key."
    return f"its key is not in the for_each at {where(block.for_each.range)}."


RULE = Rule(Code.PROVIDER_INSTANCE_GONE, _check)
