"""A value is unknown or missing after the apply

## What it does
Reports, in `verify`, each attribute that the plan leaves open until apply and that the state does not have, or that
has the placeholder by which old providers stand for an unknown value.

## Why is this bad?
After an apply everything is known; OpenTofu refuses anything else with "Provider returned invalid result object after
apply", and saves null. A placeholder in a state is taken for a real value by everything that depends on it.

## Example
```json
{"id": "74D93920-ED26-11E3-AC10-0800200C9A66"}
```

## What to do
Refresh the object (`tofu apply -refresh-only`), which reads the value from the provider.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.VALUE_LEFT_UNKNOWN)
