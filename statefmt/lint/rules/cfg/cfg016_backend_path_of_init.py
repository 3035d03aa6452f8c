r"""The backend keeps the state in the file of init

## What it does
Reports, with `--config`, a `backend "local"` block whose path is `.terraform/terraform.tfstate`, by itself or through a
link.

## Why is this bad?
In that file, `init` records the backend. The first apply replaces the record by a state, and from then on OpenTofu and
Terraform refuse every command in the folder ("unsupported backend state version 4").

## Example
```hcl
terraform {
  backend "local" {
    path = ".terraform/terraform.tfstate"
  }
}
```

## What to do
Choose another path, or leave `path` out: the default is `terraform.tfstate` in the folder.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from statefmt.configuration.provider_instances import ProviderReferences
from statefmt.lint.rule import Rule
from statefmt.model.errors import StoreError
from statefmt.model.findings import Code, Finding, Place
from statefmt.whereabouts import is_record_itself
from statefmt.whereabouts.find import configured_backend, located


def _check(references: ProviderReferences) -> Iterable[Finding]:
    try:
        found = located(configured_backend(Path(references.configuration.directory), {}), {})
        wrong = is_record_itself(found)
    except StoreError:
        # A block that is not valid has findings of its own.
        return
    if wrong:
        place = next((setting.place for setting in found.backend.given if setting.name == "path"), found.backend.place)
        file, _, line = place.rpartition(":")
        yield Code.BACKEND_PATH_OF_INIT.finding(
            "Backend path is the file of init",
            "The backend keeps the state in the file in which init records the backend; with a state in it, no command "
            "works in this folder.",
            fix="Choose another path, or leave it out.",
            place=Place(
                os.path.relpath(file, references.configuration.directory),
                line=int(line),
                column=1,
                end_line=int(line),
                end_column=1,
            ),
        )


RULE = Rule(Code.BACKEND_PATH_OF_INIT, check_configuration=_check)
