"""An instance appears twice

## What it does
Reports an object that appears twice at one address: the current object of an instance, or a deposed key.

## Why is this bad?
OpenTofu refuses to read the state. One of the two real objects would be forgotten.

## Example
```json
"instances": [{"index_key": 0}, {"index_key": 0}]
```

## What to do
Find out which real object each entry represents. `statetool repair` keeps one of them, or gives one another address.
"""

from statefmt.lint.rule import Rule
from statefmt.lint.subject import Subject
from statefmt.model.codes import Code

RULE = Rule(Code.DUPLICATE_INSTANCE, fix=Subject.repairing)
