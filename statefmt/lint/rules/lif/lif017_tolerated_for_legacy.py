"""A value differs from the planned one, as old providers may

## What it does
Reports, in `verify`, differences as in [LIF006](LIF006.md), of objects whose provider was written with the old SDK.
Such objects are recognised by the private data that the SDK stores with them. With `--strict` they are errors.

## Why is this bad?
OpenTofu tolerates wrong results of such providers ("legacy plugin SDK") and only writes a line to its log. Most of
these differences are harmless, such as an empty string in place of null; but the next plan may want to change the
value again and again.

## Example
```json
{"planned": {"description": null}, "in the state": {"description": ""}}
```

## What to do
Usually nothing. If each plan shows the same change, write the value into the configuration as the provider returns
it.
"""

from statefmt.lint.rule import Rule
from statefmt.model.codes import Code

RULE = Rule(Code.TOLERATED_FOR_LEGACY)
