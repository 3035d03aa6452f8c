"""A value is not as sensitive as planned

## What it does
Reports, in `verify`, each value of an object that the plan says is sensitive and the state does not mark so, or the
other way round. What the schema of the provider makes sensitive need not be marked; without `--schemas`, only marks
that the plan does not have are reported, except for built-in resources.

## Why is this bad?
A value that lost its mark is shown in plans and outputs from now on.

## Example
```json
{"after_sensitive": {"password": true}, "sensitive_attributes": []}
```

## What to do
Make a new plan: it marks the value again. Find out who edited the state.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.SENSITIVITY_NOT_AS_PLANNED)
