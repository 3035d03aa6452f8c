"""Operations files from a seed, with what the commands make of the same states, one after the other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Final, NamedTuple
from unicodedata import normalize

from statefmt import operations
from statefmt.analysis.selection import select
from statefmt.analysis.selection.criteria import Criteria
from statefmt.edit.changes import Edit
from statefmt.edit.operations.mv import destinations
from statefmt.edit.operations.transfer import transfer
from statefmt.edit.operations_file.working_states import StateCrossing
from statefmt.formats import Layout, Style
from statefmt.formats.reading import read
from statefmt.formats.writing.canonical import canonical
from statefmt.formats.writing.write import write
from statefmt.model.addrs import ConfigProviderConfig
from statefmt.model.errors import SelectionError, SurgeryError
from statefmt.model.snapshot import InstanceState, Snapshot, instances
from tests.analysis.diff.realistic import realistic

_TRIES: Final = 60
_PROVIDERS: Final = ('provider["registry.opentofu.org/hashicorp/aws"]', "aws.west", 'aws.by_region["eu"]', "acme/none")
_KNOWN: Final = operations.KnownProviders("write new_provider = true")


class Made(NamedTuple):
    """What a command makes of states, with what a move between two of them says."""

    edits: dict[str, Edit]
    crossing: tuple[StateCrossing, ...] = ()
    new_providers: tuple[ConfigProviderConfig, ...] = ()


class Block(NamedTuple):
    """A block of an operations file, and what the commands make of the states."""

    text: str
    command: Callable[[dict[str, Snapshot]], Made]


class GeneratedFile(NamedTuple):
    """An operations file, its states before, and what the commands made of them one after the other.

    `after` is what they wrote, each from the file that the one before wrote. `made` is what they made in memory.
    `refused` are blocks that a command refused, each after how many of the others, with its message.
    """

    head: str
    blocks: tuple[str, ...]
    before: dict[str, bytes]
    after: dict[str, bytes]
    made: tuple[Made, ...]
    refused: tuple[tuple[int, str, str], ...]


def generated_file(seed: int) -> GeneratedFile:
    """A file with one to three states and up to twelve operations that apply."""
    random = Random(f"operations file {seed}")
    names = ["a", "b", "c"][: random.choice((1, 1, 2, 3))]
    before = {name: _text(random, realistic(seed * 10 + place)) for place, name in enumerate(names)}
    after, states = dict(before), {name: read(text).snapshot for name, text in before.items()}
    blocks: list[str] = []
    refused: list[tuple[int, str, str]] = []
    made: list[Made] = []
    wanted = random.randint(1, 12)
    for _ in range(_TRIES):
        block = random.choice(_KINDS)(random, states)
        if block is None:
            continue
        try:
            made.append(block.command(states))
        except (SelectionError, SurgeryError) as error:
            # A file has the argument as HCL writes it.
            refused.append((len(blocks), block.text, str(error).replace("=True", " = true")))
            continue
        blocks.append(block.text)
        states |= {name: edit.snapshot for name, edit in made[-1].edits.items()}
        written = block.command({name: read(text).snapshot for name, text in after.items()})
        after |= {name: write(edit.snapshot, canonical=False) for name, edit in written.edits.items()}
        if len(blocks) == wanted:
            break
    head = "".join(f'state "{name}" {{ path = "{name}" }}\n' for name in names)
    return GeneratedFile(head, tuple(blocks), before, after, tuple(made), tuple(refused[:3]))


def _text(random: Random, state: Snapshot) -> bytes:
    """The state in a canonical layout; with deposed and tainted objects, `depends_on`, and keys of other forms.

    Instances of a module have the same resources.
    """
    document = json.loads(canonical(state))
    for resource in [one for one in document["resources"] if one.get("module") == "module.app[0]"]:
        document["resources"].append(json.loads(json.dumps(resource)) | {"module": "module.app[2]"})
    known = [str(one.addr) for one in instances(state)]
    for resource in document["resources"]:
        for instance in list(resource["instances"]):
            if random.random() < 0.1:
                instance["status"] = "tainted"
            if random.random() < 0.1:
                instance["depends_on"] = random.sample(known, 2)
            if random.random() < 0.1:
                deposed = {name: value for name, value in instance.items() if name not in ("status", "depends_on")}
                resource["instances"].append(deposed | {"deposed": f"{random.getrandbits(32):08x}"})
            elif instance.get("index_key") == "\u00e9" and random.random() < 0.5:
                instance["index_key"] = "e\u0301"
    if random.random() < 0.3:
        document["resources"].append(
            {"mode": "managed", "type": "aws_vpc", "name": "empty", "provider": _PROVIDERS[0], "instances": []}
        )
    again = read(json.dumps(document).encode()).snapshot
    return canonical(again, random.choice([Style(), Style(Layout.COMPACT)]))


def _move(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, other = random.choice(list(states)), random.choice(list(states))
    found = _one(random, states[name])
    if found is None:
        return None
    addr, resource = found.addr, found.addr.containing_resource()
    kind = f"{addr.resource.resource.type}."
    near = _one(random, states[other])
    there = near.addr if near else addr
    source, target = random.choice(
        [
            (str(resource), f"{resource}_new"),
            (str(addr), f"{resource}_one"),
            (str(addr), str(there)),
            (str(addr), str(there.containing_resource().instance(addr.key))),
            (str(resource), f"module.new.{addr.resource.resource}"),
            (f"{resource}[*]", f'{resource}["k$1"]'.replace('"k$1"', "$1")),
            (f"{resource}[*]", f"{kind}other[$1]"),
            (f"{kind}*", f"module.all.{kind}$1"),
            ("aws_*.*", "module.all.aws_$1.$2"),
            ("**", "module.everything"),
            *([(str(addr.module), "module.renamed"), (str(addr.module), 'module.x["7"]')] if addr.module else []),
            *([(str(addr.module), str(there.module))] if addr.module and there.module else []),
            *([(str(addr.module).partition("[")[0], "module.k")] if addr.module else []),
            *([(str(addr), f"module.app[0].{addr.resource}")] if addr.module else []),
            *([("module.*", "module.$1_too"), ("module.app[*]", 'module.app["$1"]')] if addr.module else []),
        ]
    )
    # As HCL reads strings.
    source, target = normalize("NFC", source), normalize("NFC", target)
    rebind = random.random() < 0.5
    arguments = f"  from = {_quoted(name, source)}\n  to = {_quoted(other, target)}\n  rebind = {_bool(rebind)}\n"

    def command(now: dict[str, Snapshot]) -> Made:
        if name == other:
            return Made({name: operations.move(now[name], source, target, rebind=rebind)})
        chosen = select(instances(now[name]), Criteria(selectors=(source,)))
        moved = destinations([one.addr for one in chosen], source, target)
        made = transfer(now[name], now[other], moved, rebind=rebind)
        crossing = tuple(StateCrossing(name, other, one) for one in made.crossing)
        return Made({name: made.source, other: made.target}, crossing, made.new_providers)

    return Block(f"move {{\n{arguments}}}\n", command)


def _exchange(random: Random, states: dict[str, Snapshot]) -> Block | None:
    """Names with a common end, which a pattern moves all at once."""
    name = random.choice(list(states))
    return _block("move", name, {"from": _quoted(name, "*.main*"), "to": _quoted(name, "$1.web$2")}, lambda state: (
        operations.move(state, "*.main*", "$1.web$2")
    ))  # fmt: skip


def _forget(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, chosen = _chosen(random, states)
    keep = random.random() < 0.3
    return _block(
        "forget", name, {"of": _list(name, chosen), "keep_dangling": _bool(keep)},
        lambda state: operations.remove(state, Criteria(selectors=chosen), keep_dangling=keep),
    )  # fmt: skip


def _rekey(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, chosen = _chosen(random, states)
    chosen = random.choice(
        [chosen, ("module.app",), ("module.app[0]",), ("module.app[2]",), ("**.aws_*.*",), ('module.site["eu"]',)]
    )
    if random.random() < 0.4:
        by = random.choice(("id", "size", "name", "tags.env"))
        return _block("rekey", name, {"of": _list(name, chosen), "by": f'"{by}"'}, lambda state: (
            operations.rekey(state, Criteria(selectors=chosen), by=by)
        ))  # fmt: skip
    keys = random.choice(
        ["0=k0,1=k1", "0=1,1=0", "0=2", "0=2,2=0", "2=5", "x=y,y=x", "a=0", "0=5", "eu=us", "é=z", "=first", "0="]
    )
    pairs = [pair.partition("=") for pair in keys.split(",")]
    value = "{ " + ", ".join(f"{_key(old)} = {_key(new)}" for old, _, new in pairs) + " }"
    return _block("rekey", name, {"of": _list(name, chosen), "keys": value}, lambda state: (
        operations.rekey(state, Criteria(selectors=chosen), keys=operations.parse_key_map([keys]))
    ))  # fmt: skip


def _rebind(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, chosen = _chosen(random, states)
    provider, whole, new = random.choice(_PROVIDERS), random.random() < 0.6, random.random() < 0.5
    known = None if new else _KNOWN
    flags = {"whole_resource": _bool(whole), "new_provider": _bool(new)}
    if random.random() < 0.4:
        keys = random.choice(["eu=us,us=eu", "eu=ap", "us=eu"])
        pairs = [pair.partition("=") for pair in keys.split(",")]
        value = "{ " + ", ".join(f"{old} = {_key(to)}" for old, _, to in pairs) + " }"
        return _block("rebind", name, {"of": _list(name, chosen), "keys": value} | flags, lambda state: (
            operations.rebind(
                state, Criteria(selectors=chosen), None, mapping=operations.parse_key_map([keys]),
                whole_resource=whole, known=known,
            )
        ))  # fmt: skip
    return _block("rebind", name, {"of": _list(name, chosen), "provider": json.dumps(provider)} | flags, lambda state: (
        operations.rebind(state, Criteria(selectors=chosen), provider, whole_resource=whole, known=known)
    ))  # fmt: skip


def _replace_provider(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, chosen = _chosen(random, states)
    old, new = random.choice(
        [
            ("hashicorp/aws", "acme/aws"),
            ("acme/aws", "hashicorp/aws"),
            ("hashicorp/aws", "hashicorp/aws"),
            (_PROVIDERS[0], f"{_PROVIDERS[0]}.west"),
            (f"{_PROVIDERS[0]}.by_region", f"{_PROVIDERS[0]}.west"),
        ]
    )
    is_new, whole, everything = random.random() < 0.6, random.random() < 0.6, random.random() < 0.4
    known = None if is_new else _KNOWN
    where = {"state": f'"{name}"'} if everything else {"of": _list(name, chosen)}
    arguments = where | {
        "old": json.dumps(old), "new": json.dumps(new), "new_provider": _bool(is_new), "whole_resource": _bool(whole)
    }  # fmt: skip
    criteria = Criteria() if everything else Criteria(selectors=chosen)
    return _block("replace_provider", name, arguments, lambda state: (
        operations.replace_provider(
            state, criteria, operations.parse_replaced(old), operations.parse_replaced(new), whole_resource=whole,
            known=known,
        )
    ))  # fmt: skip


def _taint(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, chosen = _chosen(random, states)
    kind, command = random.choice(
        [("taint", operations.taint), ("untaint", operations.untaint), ("forget_deposed", operations.forget_deposed)]
    )
    tainted = [str(one.addr) for one in instances(states[name]) if one.current and one.current.status.value]
    if kind == "untaint" and tainted:
        chosen = (random.choice(tainted),)
    return _block(kind, name, {"of": _list(name, chosen)}, lambda state: command(state, Criteria(selectors=chosen)))


def _set(random: Random, states: dict[str, Snapshot]) -> Block | None:
    name, chosen = _chosen(random, states)
    path, value = random.choice([("size", "7"), ("tags.env", '"new"'), ("name", '"o"'), ("name", "5"), ("none", "1")])
    if random.random() < 0.4:
        return _block("unset", name, {"of": _list(name, chosen), "paths": json.dumps(path)}, lambda state: (
            operations.unset(state, Criteria(selectors=chosen), [path])
        ))  # fmt: skip
    values = f"{{ {json.dumps(path)} = {value} }}"
    return _block("set", name, {"of": _list(name, chosen), "values": values}, lambda state: (
        operations.set(state, Criteria(selectors=chosen), (), [operations.assignment(path, value)])
    ))  # fmt: skip


_KINDS: Final = (_move, _move, _move, _exchange, _forget, _rekey, _rebind, _replace_provider, _taint, _set)


def _block(kind: str, name: str, arguments: dict[str, str], command: Callable[[Snapshot], Edit]) -> Block:
    lines = "".join(f"  {argument} = {value}\n" for argument, value in arguments.items())
    return Block(f"{kind} {{\n{lines}}}\n", lambda now: Made({name: command(now[name])}))


def _chosen(random: Random, states: dict[str, Snapshot]) -> tuple[str, tuple[str, ...]]:
    """A state, and selectors in it; now and then one that matches nothing."""
    name = random.choice(list(states))
    found = _selectors(random, states[name], random.randint(1, 2))
    # As HCL reads strings.
    return name, tuple(dict.fromkeys(normalize("NFC", selector) for selector in found))


def _selectors(random: Random, state: Snapshot, count: int) -> Iterator[str]:
    for _ in range(count):
        found = _one(random, state)
        if found is None or random.random() < 0.05:
            yield "aws_vpc.absent"
            continue
        addr, module = found.addr, found.addr.module
        yield random.choice(
            [
                str(addr), str(addr), str(addr.containing_resource()), str(addr.containing_resource()),
                f"{addr.containing_resource()}[*]", f"*.{addr.resource.resource.name}", "**.aws_vpc.*", "aws_vpc.empty",
                f"{module}.**" if module else "aws_[a",
                f"{module}" if module else str(addr),
            ]
        )  # fmt: skip


def _one(random: Random, state: Snapshot) -> InstanceState | None:
    found = instances(state)
    return random.choice(found) if found else None


def _quoted(name: str, address: str) -> str:
    return json.dumps(f"state.{name}.{address}", ensure_ascii=False)


def _list(name: str, chosen: tuple[str, ...]) -> str:
    return f"[{', '.join(_quoted(name, one) for one in chosen)}]"


def _key(key: str) -> str:
    return key if key.isdecimal() else json.dumps(key)


def _bool(value: bool) -> str:
    return "true" if value else "false"
