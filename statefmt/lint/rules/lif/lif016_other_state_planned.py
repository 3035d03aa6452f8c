"""The plan was made for another state

## What it does
Reports, in `verify`, each managed object of the state before that is not as the plan says it was, that the plan does
not know, or that is missing. What the plan found to have changed outside (drift) and moves are taken into account;
data sources and objects of an older schema version are not compared.

## Why is this bad?
The states and the plan do not belong together, so that other findings may be wrong. OpenTofu refuses to apply a plan
to another version of the state.

## Example
```json
{"prior_state": {"values": {"size": 10}}, "in the state": {"size": 12}}
```

## What to do
Pass the state that the plan was made for: `statetool history`, backups and the versions of the bucket have older
ones. If there was a state, give it with `--before`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.OTHER_STATE_PLANNED)
