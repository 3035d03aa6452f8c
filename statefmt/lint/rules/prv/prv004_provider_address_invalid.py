r"""A provider address is not valid

## What it does
Reports a `provider` that is no provider configuration address, at either level.

## Why is this bad?
OpenTofu refuses to read the state. OpenTofu 1.8 silently drops the resource.

## Example
```json
"provider": "provider[\"a/b/c/d\"]"
```

## What to do
Correct the address: `provider["HOST/NAMESPACE/TYPE"]`, with `.ALIAS`, and on an instance
`.ALIAS["KEY"]`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_ADDRESS_INVALID)
