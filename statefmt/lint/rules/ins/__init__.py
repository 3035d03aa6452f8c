"""Rules about instance objects (INS). This module has the rules whose findings the reader creates."""

from typing import Final

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.findings import Code

RULES: Final = (
    Rule(
        Code.INVALID_STATUS,
        fix=Subject.repairing,
        page="""The status of an object is invalid

## What it does
Reports a `status` other than `"tainted"`.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"status": "creating"
```

## What to do
Choose with `statetool repair`: the object is sound (no status), or must be replaced (`"tainted"`).
""",
    ),
    Rule(
        Code.INVALID_DEPOSED_KEY,
        fix=Subject.repairing,
        page="""A deposed key is not eight bytes long

## What it does
Reports a `deposed` key that is not eight bytes long.

## Why is this bad?
OpenTofu refuses to read the state.

## Example
```json
"deposed": "5a3e"
```

## What to do
Give the object a key of eight hexadecimal digits, or forget it: `statetool repair` does either.
""",
    ),
    Rule(
        Code.INVALID_SENSITIVE_PATHS,
        fix=Subject.repairing,
        page="""The sensitive paths of an object are invalid

## What it does
Reports `sensitive_attributes` that are not a list of paths.

## Why is this bad?
OpenTofu refuses to read the state. A tool that ignored the error would show secrets.

## Example
```json
"sensitive_attributes": ["password"]
```

## What to do
Write paths with `statetool repair`, as in `[[{"type": "get_attr", "value": "password"}]]`, or remove those that are
invalid.
""",
    ),
    Rule(
        Code.PRIVATE_INVALID,
        fix=Subject.repairing,
        page="""The private data of an object is not base64

## What it does
Reports a `private` member that is neither base64 (standard alphabet, with padding) nor a list of bytes.

## Why is this bad?
OpenTofu refuses to read the state, so this is an error. The member contains what the provider needs for later
operations, such as timeouts.

## Example
```json
"private": "eyJzY2hlbWFfdmVyc2lvbiI6IjEifQ"
```

## What to do
Restore the member from a backup; usually padding (`=`) or the end is missing. If there is no backup, remove the
member with `statetool repair`: apart from timeouts and the like, providers work without it.
""",
    ),
)
