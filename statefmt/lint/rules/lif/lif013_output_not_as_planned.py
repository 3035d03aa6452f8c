"""An output is not as planned

## What it does
Reports, in `verify`, each output whose value or sensitivity differs from the plan, that is missing, or that the plan
removes or does not mention.

## Why is this bad?
Other configurations read outputs with `terraform_remote_state`, and scripts with `tofu output`: they go on with a
value that nobody planned.

## Example
```json
{"output_changes": {"url": {"after": "https://new"}}, "in the state": "https://old"}
```

## What to do
Make a new plan: it shows what is left to change.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.OUTPUT_NOT_AS_PLANNED)
