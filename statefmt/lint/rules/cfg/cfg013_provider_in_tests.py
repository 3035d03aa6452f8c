r"""A provider of a test file does not fit the module under test

## What it does
Reports, with `--config`, a `provider` or `mock_provider` block of a test file that has `for_each` where the block of
the module that it stands in for has none, or the other way round, and `providers` of a `run` with instance keys, with a
configuration that has `for_each`, or of another provider.

## Why is this bad?
The test fails before it runs anything: resources choose a provider instance by key, or they don't.

## Example
```hcl
mock_provider "aws" {
  alias = "by_region" # the module's block has for_each, so this needs it, too
}
```

## What to do
Add `for_each` to the block of the test, or take it away there. It need not be the same expression: a mock can have any
keys that the module uses.
"""

from collections.abc import Iterable

from statefmt.configuration.providers.references import ProviderReferences
from statefmt.configuration.providers.tests import problems_of_tests
from statefmt.lint.configurations.place import place
from statefmt.lint.rule import Rule
from statefmt.model.codes import Code
from statefmt.model.findings import Finding


def _check(references: ProviderReferences) -> Iterable[Finding]:
    for found in problems_of_tests(references.configuration):
        where = place(found.range)
        yield Finding(Code.PROVIDER_IN_TESTS, found.severity, found.summary, found.detail, place=where)


RULE = Rule(Code.PROVIDER_IN_TESTS, check_configuration=_check)
