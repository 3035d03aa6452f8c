r"""A resource is bound to another provider than planned

## What it does
Reports, in `verify`, each resource whose provider in the state has another source than in the plan, or is another
configuration than the one that the configuration in the plan names. A resource that the plan leaves alone may also
have kept its provider.

## Why is this bad?
The next plan works with this object through another account, region or even another provider, and may not find it
there.

## Example
```json
{"provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].west"}
```

## What to do
Bind the resource to its provider with `statetool rebind`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_NOT_AS_PLANNED)
