r"""Instances of one resource belong to different provider configurations

## What it does
Reports a resource whose instances, after the resource level has reached those without their own, do not
all belong to one provider configuration.

## Why is this bad?
A resource block has one provider configuration; its instances may differ only in the instance key at
the end. OpenTofu refuses most such states, and silently rebinds the resource where only some instances
name a provider.

## Example
```json
{"provider": "provider[\"…/aws\"].east", "instances": [{}, {"provider": "provider[\"…/aws\"].west"}]}
```

## What to do
Decide which configuration manages the resource, and write it for all instances.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_CONFIGURATIONS_DIFFER)
