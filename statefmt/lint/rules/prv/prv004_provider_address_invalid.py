r"""A provider address is invalid

## What it does
Reports a `provider`, at either level, that is not a provider configuration address.

## Why is this bad?
OpenTofu refuses to read the state. OpenTofu 1.8 silently drops the resource.

## Example
```json
"provider": "provider[\"a/b/c/d\"]"
```

## What to do
Correct the address with `statetool repair`: `provider["HOST/NAMESPACE/TYPE"]`, with `.ALIAS` if it has one, and on an
instance `.ALIAS["KEY"]`.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_ADDRESS_INVALID, fix=Subject.repairing)
