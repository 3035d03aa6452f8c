"""The file is a backend configuration, not a state

## What it does
Reports the file that `init` leaves in `.terraform/terraform.tfstate`. It looks like a state in format version 3,
but only records where the state is: in a `backend`, in the `state_store` of Terraform 1.15, or in the `remote` state
of Terraform before 0.9.

## Why is this bad?
It contains no resources. Editing it as a state would produce an empty state.

## Example
```json
{"version": 3, "backend": {"type": "s3", "config": {}}}
```

## What to do
Name the folder of the configuration, whose state is then found: `statetool check DIR`. For a backend that statetool
does not open, pull the state: `tofu state pull | statetool check -`.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.BACKEND_CONFIGURATION)
