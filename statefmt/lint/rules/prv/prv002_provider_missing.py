"""No provider on the resource or on the instance

## What it does
Reports an instance without a provider at either level.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
{"mode": "managed", "type": "aws_vpc", "name": "main", "instances": [{}]}
```

## What to do
Name the provider with `statetool repair`, which offers those of other resources of the type.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_MISSING, fix=Subject.repairing)
