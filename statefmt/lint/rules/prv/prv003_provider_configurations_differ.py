r"""Instances of one resource belong to different provider configurations

## What it does
Reports a resource whose instances do not all belong to one provider configuration. Instances without a `provider`
of their own use the one of the resource.

## Why is this bad?
A resource block has one provider configuration; its instances may differ only in the instance key at the end.
OpenTofu refuses most such states. If only some instances name a provider, it silently rebinds the resource.

## Example
```json
{"provider": "provider[\"…/aws\"].east", "instances": [{}, {"provider": "provider[\"…/aws\"].west"}]}
```

## What to do
Decide which configuration manages the resource; `statetool repair` sets it for all instances.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_CONFIGURATIONS_DIFFER, fix=Subject.repairing)
