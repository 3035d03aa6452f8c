r"""A resource is split into blocks with different provider configurations

## What it does
Reports a resource that is split across several entries of `resources` with different provider configurations.

## Why is this bad?
OpenTofu joins the entries, and silently binds all instances to the configuration of the last one.

## Example
```json
{"type": "aws_sns_topic", "name": "alerts", "provider": "provider[\"…/aws\"]"},
{"type": "aws_sns_topic", "name": "alerts", "provider": "provider[\"…/aws\"].west"}
```

## What to do
Decide which configuration manages the resource; `statetool repair` sets it for all instances.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_BLOCKS_DIFFER, fix=Subject.repairing)
