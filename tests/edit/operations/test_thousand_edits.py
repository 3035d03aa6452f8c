"""A thousand generated edits: every rule that held before holds after, all dependencies resolve that resolved before,
untouched instances are byte-identical, and a comparison tells exactly what was done.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from statefmt.analysis.diff import diff
from statefmt.formats import Layout, Style
from statefmt.formats.raw_json import Container, container_at
from statefmt.formats.reading import read
from statefmt.formats.writing import canonical
from statefmt.formats.writing.write import write
from statefmt.lint.check import check
from statefmt.model.addrs import AbsResourceInstance, ConfigResource
from statefmt.model.findings import Code
from statefmt.model.snapshot import ResourceInstanceObject, Snapshot, instances
from tests.analysis.diff.realistic import realistic
from tests.edit.operations.generated_edits import OPERATIONS, GeneratedEdit

EDITS = 200
# Of each operation in `make test`.
SAMPLE = 40


def test_they_are_a_thousand() -> None:
    assert EDITS * len(OPERATIONS) == 1000


@pytest.mark.parametrize(
    ("first", "count"), [(0, SAMPLE), pytest.param(SAMPLE, EDITS - SAMPLE, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_edits(operation: str, first: int, count: int) -> None:
    done = 0
    for seed in range(first, first + count):
        random = Random(f"{operation} {seed}")
        text = in_some_style(random, realistic(seed))
        before = read(text).snapshot
        generated = OPERATIONS[operation](random, before)
        after = write(generated.edit.snapshot, canonical=False)
        assert after != text or not generated.edit.moved, (operation, seed)
        case = f"{operation}, seed {seed}"
        assert new_findings(text, after, generated) == set(), case
        assert lost_dependencies(before, read(after).snapshot, generated) == [], case
        assert changed_bytes(before, text, after, generated) == [], case
        assert told(before, read(after).snapshot, generated) == expected(operation, before, generated), case
        done += 1
    assert done == count


def in_some_style(random: Random, state: Snapshot) -> bytes:
    """Indented, compact, or with spaces that no OpenTofu writes."""
    assert state.source is not None
    return random.choice([canonical(state), canonical(state, Style(Layout.COMPACT)), state.source.data])


def new_findings(before: bytes, after: bytes, generated: GeneratedEdit) -> set[tuple[str, str]]:
    """Code and address of all findings that were not there before, where the instances were before."""
    where = _where(generated.edit.moved)
    # What moves keeps its place in the file, which is then no longer in the order of addresses.
    expected = generated.noticed | {Code.NOT_CANONICAL}
    old = {(finding.code, where.get(finding.address, finding.address)) for finding in check(before)}
    old |= {(finding.code, finding.address) for finding in check(before)}
    return {
        (finding.code, finding.address)
        for finding in check(after)
        if finding.code not in expected and (finding.code, finding.address) not in old
    }


def _where(moved: Mapping[AbsResourceInstance, AbsResourceInstance]) -> dict[str, str]:
    where = {str(one.containing_resource()): str(other.containing_resource()) for one, other in moved.items()}
    return where | {str(one): str(other) for one, other in moved.items()}


def lost_dependencies(before: Snapshot, after: Snapshot, generated: GeneratedEdit) -> list[str]:
    """Dependencies that pointed at something and no longer do, or no longer at all of where it went."""
    moved = generated.edit.moved
    there, here = _configs(before), _configs(after)
    objects = {(i.addr, obj.deposed): obj for i in instances(after) for obj in i.objects}
    went: dict[ConfigResource, set[ConfigResource]] = {}
    for instance in instances(before):
        target = moved.get(instance.addr, instance.addr).config()
        went.setdefault(instance.addr.config(), set()).add(target)
    lost = []
    for instance in instances(before):
        for obj in instance.objects:
            now = objects.get((moved.get(instance.addr, instance.addr), obj.deposed))
            if now is None:
                continue
            for config in set(obj.dependencies) & there:
                wanted = went[config] & here
                if not wanted <= set(now.dependencies):
                    lost.append(f"{instance.addr} on {config}")
            lost += [f"{instance.addr} on {config} now" for config in _dangling(now, here) - _dangling(obj, there)]
    return lost


def _configs(state: Snapshot) -> set[ConfigResource]:
    return {resource.addr.config() for resource in state.resources if resource.objects}


def _dangling(obj: ResourceInstanceObject, there: set[ConfigResource]) -> set[ConfigResource]:
    return set(obj.dependencies) - there


def changed_bytes(before: Snapshot, old: bytes, new: bytes, generated: GeneratedEdit) -> list[str]:
    """What is not touched by an edit, and differs in the file all the same."""
    gone = (
        {addr.config() for addr in generated.chosen} if generated.edit.moved or _removes(before, generated) else set()
    )
    touched = generated.chosen | {
        i.addr for i in instances(before) for obj in i.objects if not gone.isdisjoint(obj.dependencies)
    }
    joined = {addr.containing_resource() for addr in generated.edit.moved.values()}
    blocks, left = _blocks(old), _blocks(new)
    changed = []
    for number, resource in enumerate(before.resources):
        addrs = [resource.addr.instance(obj.key) for obj in resource.objects]
        head, elements = blocks[number]
        if touched.isdisjoint(addrs) and resource.addr not in joined:
            changed += [] if any(head == other for other, _ in left) else [str(resource.addr)]
            continue
        now = {element for _, others in left for element in others}
        pairs = zip(addrs, elements, strict=True)
        changed += [str(addr) for addr, element in pairs if addr not in touched and element not in now]
    return changed + [
        name for name in ("version", "outputs", "check_results") if _member(old, name) != _member(new, name)
    ]


def _removes(before: Snapshot, generated: GeneratedEdit) -> bool:
    return len(instances(generated.edit.snapshot)) < len(instances(before))


def _blocks(text: bytes) -> list[tuple[bytes, list[bytes]]]:
    """The text of each resource, and of each of its instances."""
    found = []
    for block in _array(text, container_at(text), "resources").items:
        inner = _array(text, container_at(text, block.value.start), "instances").items
        elements = [text[item.value.start : item.value.end] for item in inner]
        found.append((text[block.value.start : block.value.end], elements))
    return found


def _array(text: bytes, holder: Container, name: str) -> Container:
    item = holder.find(name)
    assert item is not None
    return container_at(text, item.value.start)


def _member(text: bytes, name: str) -> bytes:
    item = container_at(text).find(name)
    assert item is not None
    return text[item.whole.start : item.whole.end]


def told(before: Snapshot, after: Snapshot, generated: GeneratedEdit) -> dict[str, set[str]]:
    """What a comparison of the two says, by the addresses of before."""
    changes = diff(before, after, exact=True)
    assert not (changes.envelope or changes.outputs or changes.resources or changes.check_results)
    sides = {
        "added": changes.added,
        "removed": changes.removed,
        "moved": changes.moved,
        "rebound": changes.rebound,
        "changed": changes.changed,
    }
    return {name: {str(c.old.addr if c.old else c.addr) for c in found} for name, found in sides.items() if found}


def expected(operation: str, before: Snapshot, generated: GeneratedEdit) -> dict[str, set[str]]:
    """What it has to say."""
    chosen = {str(addr) for addr in generated.chosen}
    if operation == "rm":
        return {"removed": chosen}
    if operation in ("mv", "rekey"):
        moved = {"moved": {str(one) for one, other in generated.edit.moved.items() if one != other}}
        return {name: addrs for name, addrs in (moved | _rebound(before, generated)).items() if addrs}
    return _rebound(before, generated)


def _rebound(before: Snapshot, generated: GeneratedEdit) -> dict[str, set[str]]:
    """The instances whose provider differs afterwards; an exchange binds them to what is there."""
    now = {i.addr: i.provider(i.objects[0]) for i in instances(generated.edit.snapshot)}
    moved = generated.edit.moved
    differing = {str(i.addr) for i in instances(before) if now[moved.get(i.addr, i.addr)] != i.provider(i.objects[0])}
    assert differing <= {str(addr) for addr in generated.chosen}
    return {"rebound": differing} if differing else {}
