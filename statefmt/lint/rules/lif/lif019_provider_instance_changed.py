r"""An object is bound to another provider instance than before

## What it does
Reports, in `verify`, each object whose instance of a provider configuration with `for_each` is another than in the
state before.

## Why is this bad?
The JSON form of a plan does not say which provider instance an object gets, so that nothing can be compared with it.
If the configuration did not change, neither should the instance: the next plan would look for the object in another
region or account.

## Example
```json
{"provider": "provider[\"registry.opentofu.org/hashicorp/aws\"].by_region[\"eu\"]"}
```

## What to do
Check that the configuration says so: `statetool check --config DIR AFTER` compares the two. If it does not, run
`statetool rebind`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.PROVIDER_INSTANCE_CHANGED)
