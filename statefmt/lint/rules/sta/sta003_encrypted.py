"""The state is encrypted

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
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.ENCRYPTED)
