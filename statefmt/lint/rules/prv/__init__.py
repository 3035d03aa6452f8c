"""Rules about providers of objects (PRV). This module has the rules whose findings the reader creates."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code

RULES: Final = (
    Rule(
        Code.PROVIDER_MISSING,
        fix=Subject.repairing,
        page="""No provider on the resource or on the instance

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
""",
    ),
    Rule(
        Code.PROVIDER_CONFIGURATIONS_DIFFER,
        fix=Subject.repairing,
        page=r"""Instances of one resource belong to different provider configurations

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
""",
    ),
    Rule(
        Code.PROVIDER_KEYS_DIFFER,
        fix=Subject.repairing,
        page=r"""Objects of one instance are bound to different provider instances

## What it does
Reports an instance whose current and deposed objects name different instances of the provider configuration.

## Why is this bad?
OpenTofu keeps one provider key for each instance: that of the object it reads last. It silently rebinds the other
objects, and would then destroy a deposed object in the wrong region or account.

## Example
```json
{"index_key": "a", "provider": "….r[\"x\"]"}, {"index_key": "a", "deposed": "7c1f00aa", "provider": "….r[\"y\"]"}
```

## What to do
Destroy the deposed object with the provider instance that it belongs to, or bind both objects to the same one with
`statetool repair`.
""",
    ),
    Rule(
        Code.PROVIDER_BLOCKS_DIFFER,
        fix=Subject.repairing,
        page=r"""A resource is split into blocks with different provider configurations

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
""",
    ),
)
