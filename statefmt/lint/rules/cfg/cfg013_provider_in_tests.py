r"""A provider in a test file does not fit the module under test

## What it does
Reports, with `--config`:
- a `provider` or `mock_provider` block in a test file that has `for_each` although the module's block that it
  replaces has none, or the reverse;
- `providers` of a `run` that have instance keys, name a configuration with `for_each`, or name another provider.

## Why is this bad?
The test fails before it runs anything: resources choose a provider instance by key, or they do not.

## Example
```hcl
mock_provider "aws" {
  alias = "by_region" # the module's block has for_each, so this one needs it, too
}
```

## What to do
Add `for_each` to the block in the test, or remove it there. The expression may differ: a mock can have any keys
that the module uses.
"""

from collections.abc import Iterable

from statefmt.configuration.provider_checks import problems_of_tests
from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.configurations import place
from statefmt.lint.rule import Rule
from statefmt.model.findings import Code, Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for found in problems_of_tests(references.configuration):
        where = place(found.range)
        yield Finding(Code.PROVIDER_IN_TESTS, found.severity, found.summary, found.detail, place=where)


RULE = Rule(Code.PROVIDER_IN_TESTS, check_configuration=_check)
