"""One resource stands in several blocks with different provider configurations

## What it does
Reports a resource that is spread over several entries of `resources` which name different provider
configurations.

## Why is this bad?
OpenTofu joins the entries, and silently binds all instances to the configuration of the last one.

## Example
```json
two entries for aws_sns_topic.alerts, one with provider["…/aws"], one with provider["…/aws"].west
```

## What to do
Decide which configuration manages the resource, and write it for all instances.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_BLOCKS_DIFFER)
