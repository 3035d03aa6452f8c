"""A value differs from the planned one

## What it does
Reports, in `verify`, each value of a created, updated, replaced or read object that differs from what the plan says.
Values that the plan does not know may be anything that their type in --schemas admits; numbers are compared by value,
and elements of sets in any order.
Without `--schemas`, elements of a list that may be a set are compared in any order, too, and null is the same as no
member.

## Why is this bad?
OpenTofu promises to do what the plan says, and stops with "Provider produced inconsistent result after apply" if a
provider does something else. It is not so strict with providers of the old SDK ([LIF017](LIF017.md)). A difference
means that the provider broke the promise, that another plan was applied, or that the state was edited since.

## Example
```json
{"planned": {"size": 20}, "in the state": {"size": 10}}
```

## What to do
Make a new plan: if it wants to change the value back, the apply did not do it. If the provider always answers with
another value, that is an error of the provider.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.VALUE_NOT_AS_PLANNED)
