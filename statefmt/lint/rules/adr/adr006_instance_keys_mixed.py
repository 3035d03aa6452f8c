"""A resource has instance keys of several kinds

## What it does
Reports a resource whose current objects have keys of different kinds: numbers (`count`), strings (`for_each`), or
no key at all. Deposed objects are ignored.

## Why is this bad?
A resource block has `count`, or `for_each`, or neither. Whatever the configuration says, the next plan destroys the
instances of the other kinds. This may be intended, and the state can be read, so this is a warning.

## Example
```json
"instances": [{"index_key": 0}, {"index_key": "a"}]
```

## What to do
Give the instances keys of the kind that the configuration uses: one by one with
`statetool mv 'aws_eip.nat[0]' 'aws_eip.nat["b"]'`, or all instances of a resource at once with `statetool rekey`.
"""

from collections.abc import Iterable, Mapping, Sequence

from statefmt.lint.rule import Rule
from statefmt.lint.subject import ResourcePart, Subject, instance_address, objects_of
from statefmt.model.findings import Code, Finding, Fix

# Other types are not valid keys (ADR004).
_KINDS = {type(None): "without a key", int: "with a number", float: "with a number", str: "with a string"}
_KEYLESS = _KINDS[type(None)]
_NEW_KEYS = {"with a number": "NUMBER", "with a string": '"KEY"'}


def _check(subject: Subject) -> Iterable[Finding]:
    if all(part.document.index_key is None for part in subject.objects):
        return
    for address, blocks in subject.blocks_by_address.items():
        if len(blocks) == 1 and len(blocks[0].document.instances or ()) < 2:
            continue
        types = {type(obj.index_key) for block in blocks for obj in objects_of(block) if not obj.deposed}
        if len(types) > 1 and len({_KINDS[found] for found in types if found in _KINDS}) > 1:
            yield _finding(subject, address, blocks)


def _finding(subject: Subject, address: str, blocks: Sequence[ResourcePart]) -> Finding:
    numbers: dict[str, int] = {}
    first: dict[str, tuple[str, str]] = {}
    for block in blocks:
        for number, obj in enumerate(objects_of(block)):
            kind = _KINDS.get(type(obj.index_key))
            if kind is not None and not obj.deposed:
                numbers[kind] = numbers.get(kind, 0) + 1
                place = f"{block.pointer}/instances/{number}{'/index_key' if obj.index_key is not None else ''}"
                first.setdefault(kind, (instance_address(block, obj), place))
    usual = max(numbers, key=lambda kind: numbers[kind])
    odd, pointer = next(place for kind, place in first.items() if kind != usual)
    counts = ", ".join(f"{number} {kind} (such as {first[kind][0]})" for kind, number in numbers.items())
    detail = f"Resource {address} has instances with different kinds of keys: {counts}."
    fix = Fix.of(
        "To match the configuration, in this or the other direction: ", _command(subject, address, odd, numbers), "."
    )
    return Code.INSTANCE_KEYS_MIXED.finding("Instance keys of several kinds", detail, address, pointer, fix)


def _command(subject: Subject, address: str, odd: str, numbers: Mapping[str, int]) -> Fix:
    """Return the command that gives an instance of the rarer kind a key of the other kind.

    Instances without a key always count as the rarer kind.
    """
    usual = max((kind for kind in numbers if kind != _KEYLESS), key=lambda kind: numbers[kind])
    new = _NEW_KEYS[usual]
    if _KEYLESS in numbers:
        # The address of a keyless instance equals the resource's address, and selects all instances.
        return subject.command("rekey", address, "--map", f"={new}")
    return subject.command("mv", odd, f"{address}[{new}]")


RULE = Rule(Code.INSTANCE_KEYS_MIXED, _check)
