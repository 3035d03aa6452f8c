r"""Objects of one instance are bound to different provider instances

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
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_KEYS_DIFFER, fix=Subject.repairing)
