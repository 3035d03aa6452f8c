r"""The file of init holds a state

## What it does
Reports, with `--config`, a folder whose `.terraform/terraform.tfstate`, in which `init` records the backend, holds a
state.

## Why is this bad?
OpenTofu and Terraform refuse every command in the folder ("unsupported backend state version 4", in older releases
"does not support state version 4"), and the objects of that state are in no state that a command uses.

## Example
```json
{"version": 4, "serial": 3, "resources": []}
```

## What to do
Copy the state to where the backend expects it, `statetool copy .terraform/terraform.tfstate .`, delete the file, and
run `init`.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.rule import Rule
from statefmt.model.errors import StoreError
from statefmt.model.findings import Code, Command, Finding, Fix, Place
from statefmt.whereabouts.find import find_backend


def _check(references: ProviderReferences) -> Iterable[Finding]:
    folder = references.configuration.directory
    try:
        record = find_backend(Path(folder), {}).state_in_record
    except StoreError:
        # Commands on the state of this folder say what is wrong.
        return
    if record:
        yield Code.STATE_IN_RECORD.finding(
            "State in the file of init",
            "init records the backend in this file, and it holds a state: no command works in this folder.",
            fix=Fix.of("Copy it to where the backend expects it: ", Command("copy", (record, folder)),
                       "; then delete the file, and run init."),
            place=Place(os.path.relpath(record, folder), line=1, column=1, end_line=1, end_column=1),
        )  # fmt: skip


RULE = Rule(Code.STATE_IN_RECORD, check_configuration=_check)
