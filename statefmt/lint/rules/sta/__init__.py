"""Rules about the file and its envelope (STA). This module has the rules whose findings the reader creates."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code

RULES: Final = (
    Rule(
        Code.UNSUPPORTED_VERSION,
        page="""The state has an unsupported format version

## What it does
Reports states with a format version other than 1 to 4, and the binary format of Terraform before 0.7.

## Why is this bad?
This release of statetool cannot read the state.

## Example
```json
{"version": 5, "serial": 1}
```

## What to do
Use a newer statetool, or restore the file from a backup with `statetool restore`. If the file has the binary format,
upgrade it with Terraform 0.6.16 first.
""",
    ),
    Rule(
        Code.ENCRYPTED,
        page="""The state is encrypted

## What it does
Reports an encrypted state, with the serial, the lineage and the key providers that its envelope names.

## Why is this bad?
Without the encryption configuration, statetool can neither read nor check the state.

## Example
```json
{"serial": 7, "meta": {"key_provider.pbkdf2.main": "…"}, "encrypted_data": "…", "encryption_version": "v0"}
```

## What to do
Pass the encryption configuration with `--encryption FILE` or in `TF_ENCRYPTION`. Or run `tofu state pull` in a
directory that has the configuration, and check its output.
""",
    ),
    Rule(
        Code.INVALID_STRUCTURE,
        fix=Subject.repairing,
        page="""A member has an invalid value

## What it does
Reports a member of the wrong JSON type, and a number out of range.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"serial": "7"
```

## What to do
Convert, replace or remove the member with `statetool repair`, or restore the file from a backup.
""",
    ),
    Rule(
        Code.UPGRADE_FAILED,
        fix=Subject.repairing,
        page="""The state cannot be upgraded to format version 4

## What it does
Reports what prevents the upgrade of a state in format version 1 to 3: a resource address, a module path or a
provider reference that version 4 cannot express.

## Why is this bad?
Neither OpenTofu nor Terraform can read the state. OpenTofu 1.13 does not read versions before 4 at all.

## Example
```json
"aws_instance.web.first": {"type": "aws_instance"}
```

## What to do
Correct or forget the reported entry with `statetool repair`. If it is an alias that contains `${…}`, rename the alias
and apply with Terraform 0.11 first.
""",
    ),
    Rule(
        Code.INVALID_TERRAFORM_VERSION,
        fix=Subject.repairing,
        page="""`terraform_version` is not a version

## What it does
Reports a `terraform_version` that is not a version number.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"terraform_version": "latest"
```

## What to do
Set it to the release that wrote the state, such as `1.9.0`, or remove it: `statetool repair` does either.
""",
    ),
    Rule(
        Code.BACKEND_CONFIGURATION,
        page="""The file is a backend configuration, not a state

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
""",
    ),
    Rule(
        Code.NOT_UTF8,
        page=r"""The file is not UTF-8

## What it does
Reports a state with bytes that are not UTF-8.

## Why is this bad?
OpenTofu silently replaces each such byte, and so changes names, keys or values in the state.

## Example
```json
{"version": 4, "outputs": {"city": {"value": "K\xf6ln", "type": "string"}}}   (saved as Latin-1)
```

## What to do
Convert the file to UTF-8, or restore it from a backup with `statetool restore`.
""",
    ),
)
