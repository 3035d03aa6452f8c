"""Rewrites a configuration so that no provider block has `for_each`, as Terraform and older releases need it.

A provider block becomes one with an alias for each key. A resource or a module call that chooses an instance by its own
key becomes copies, one for each instance; references follow. What cannot be rewritten is an obstacle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from statefmt.configuration._scope import EachValue
from statefmt.configuration.directory import below
from statefmt.configuration.instances import ExpandedInstance, Expansion
from statefmt.configuration.model import (
    Configuration,
    Declarations,
    ModuleCall,
    ProviderBlock,
    Repetition,
    ResourceBlock,
)
from statefmt.configuration.provider_instances import ProviderReferences, evaluated_key
from statefmt.configuration.provider_reference import ProviderReference, provider_named, read_provider_reference
from statefmt.hcl.evaluate import evaluate
from statefmt.hcl.source import Problem, Range, SourceText
from statefmt.hcl.syntax import Argument, AttributeAccess, Block, Body, Expression, IndexAccess, Traversal, references
from statefmt.hcl.syntax.native import read_file
from statefmt.hcl.value import Unknown
from statefmt.model.addrs import (
    NO_KEY,
    AbsResource,
    AbsResourceInstance,
    ConfigProviderConfig,
    InstanceKey,
    IntKey,
    Module,
    ModuleInstance,
    ModuleStep,
    ResourceInstance,
    ResourceMode,
    StringKey,
    hcl_quote,
)
from statefmt.model.cty import SetType
from statefmt.store.files import read_bounded

_LARGEST: Final = 16 << 20
# How many labels blocks have; all others have none.
_LABELS: Final = {
    **dict.fromkeys(("resource", "data", "ephemeral", "action"), 2),
    **dict.fromkeys(("variable", "output", "module", "provider", "check", "dynamic", "provisioner", "backend"), 1),
}
# A thing that has copies: `module.app`, `aws_vpc.main`, `data.aws_ami.image`; and a provider: its name and alias.
_Thing: TypeAlias = tuple[str, ...]
_Names: TypeAlias = Mapping[_Thing, Mapping[InstanceKey, str]]


class UnrolledBlock(NamedTuple):
    """A block that changes: where it is, and the blocks in its place."""

    place: str
    text: str


class Unrolled(NamedTuple):
    """The new contents of files, by their names relative to the directory of the configuration; and what changes.

    `names` are those of the copies in each directory.
    """

    files: Mapping[str, bytes]
    blocks: tuple[UnrolledBlock, ...]
    obstacles: tuple[str, ...]
    names: Mapping[str, _Names]

    def copy_of(self, addr: AbsResourceInstance, old: Configuration) -> AbsResourceInstance:
        """Return the address that an instance of the configuration `old` gets; its own if no block has copies."""
        steps: list[ModuleStep] = []
        path = Module()
        for step in addr.module.steps:
            name = self._names_in(path, old).get(("module", step.name), {}).get(step.key)
            steps.append(step if name is None else ModuleStep(name))
            path = path.child(step.name)
        resource = addr.resource.resource
        mode = () if resource.mode is ResourceMode.MANAGED else (resource.mode.value,)
        name = self._names_in(path, old).get((*mode, resource.type, resource.name), {}).get(addr.resource.key)
        own = addr.resource if name is None else ResourceInstance(replace(resource, name=name))
        return AbsResourceInstance(ModuleInstance(tuple(steps)), own)

    def _names_in(self, path: Module, old: Configuration) -> _Names:
        module = old.modules.get(path)
        return {} if module is None else self.names.get(module.declarations.directory, {})


def unrolled(found: ProviderReferences) -> Unrolled:
    """Rewrite every module of a configuration that has provider blocks with `for_each`."""
    files: dict[str, bytes] = {}
    blocks: list[UnrolledBlock] = []
    obstacles: list[str] = []
    names: dict[str, _Names] = {}
    done: set[str] = set()
    for path, module in found.configuration.modules.items():
        if module.declarations.directory in done:
            continue
        done.add(module.declarations.directory)
        work = _Directory(found, path, module.declarations)
        if not work.names:
            obstacles += work.obstacles
            continue
        names[module.declarations.directory] = work.names
        for name in module.declarations.files:
            if name.endswith(".json"):
                obstacles.append(f"{name}: statetool does not rewrite JSON")
                continue
            content = read_bounded(Path(found.configuration.directory) / name, _LARGEST)
            text, changed = work.rewritten(name, content)
            blocks += changed
            if text != content:
                files[below(".", name)] = text
        obstacles += work.obstacles
    return Unrolled(files, tuple(blocks), tuple(dict.fromkeys(obstacles)), names)


class _Edit(NamedTuple):
    start: int
    stop: int
    text: str


class _Instance(NamedTuple):
    """The instance that a copy is of: its key and value, the source text of the collection, and if that is a set."""

    key: InstanceKey
    collection: str
    is_set: bool


class _Directory:
    """Rewrites the files of one module."""

    def __init__(self, found: ProviderReferences, path: Module, declarations: Declarations) -> None:
        self._found = found
        self._path = path
        self._declarations = declarations
        self.obstacles: list[str] = []
        self._aliases: dict[_Thing, dict[InstanceKey, str]] = {}
        self.names: dict[_Thing, dict[InstanceKey, str]] = {}
        for (name, alias), provider in declarations.providers.items():
            if provider.for_each is not None:
                self._add_provider(name, alias, provider)
        if not self._aliases:
            return
        self.names = dict(self._aliases)
        for resource in declarations.resources:
            if self._is_copied(resource.repetition, self._keyed(resource)):
                self._add((*_data(resource), resource.type, resource.name), self._instances(resource), resource.range)
        for call in declarations.calls.values():
            if self._is_copied(call.repetition, self._passed(call)):
                self._add(("module", call.name), self._instances(call), call.range)

    def _add_provider(self, name: str, alias: str, block: ProviderBlock) -> None:
        provider = provider_named(self._declarations, name)
        keys = (
            Unknown("its provider is unknown")
            if provider is None
            else self._found.declared_keys(ConfigProviderConfig(self._path, provider, alias))
        )
        if isinstance(keys, Unknown):
            self.obstacles.append(f"{block.range}: the keys of provider {name}.{alias} are not known: {keys.reason}")
            return
        taken = {other for one, other in self._declarations.providers if one == name}
        self._aliases[name, alias] = _named(alias, keys, taken)

    def _add(self, thing: _Thing, instances: Sequence[ExpandedInstance] | Unknown, place: Range) -> None:
        if isinstance(instances, Unknown):
            self.obstacles.append(f"{place}: the instances of {'.'.join(thing)} are not known: {instances.reason}")
            return
        taken = {one.name for one in self._declarations.resources if (*_data(one), one.type) == thing[:-1]} | (
            set(self._declarations.calls) if thing[0] == "module" else set()
        )
        self.names[thing] = _named(thing[-1], [one.key for one in instances], taken)

    def _keyed(self, resource: ResourceBlock) -> list[ProviderReference]:
        given = [] if resource.provider is None else [resource.provider.expression]
        return self._references(given, "provider")

    def _passed(self, call: ModuleCall) -> list[ProviderReference]:
        return self._references([pair.parent for pair in call.providers or ()], "providers")

    def _references(self, given: Sequence[Expression], argument: str) -> list[ProviderReference]:
        found = [read_provider_reference(one, argument) for one in given]
        return [
            one
            for one in found
            if isinstance(one, ProviderReference)
            and one.key is not None
            and (one.local.local_name, one.local.alias) in self._aliases
        ]

    def _is_copied(self, repetition: Repetition, keyed: Sequence[ProviderReference]) -> bool:
        """Return whether a block needs copies: it chooses a provider instance by its own key."""
        repeated = repetition.for_each is not None or repetition.count is not None
        return repeated and any(
            reference.root in ("each", "count")
            for one in keyed
            if one.key is not None
            for reference in references(one.key)
        )

    def _instances(self, of: ResourceBlock | ModuleCall) -> Sequence[ExpandedInstance] | Unknown:
        modules = self._found.instances.of_module(self._path)
        if isinstance(modules, Unknown):
            return modules
        module = modules[0] if modules else ModuleInstance()
        if isinstance(of, ModuleCall):
            expansion = self._found.instances.of_call(module.child(of.name))
        else:
            expansion = self._found.instances.expansion_of(AbsResource(module, of.address))
        if isinstance(expansion, Expansion):
            return expansion.instances
        return expansion if isinstance(expansion, Unknown) else ()

    def rewritten(self, name: str, content: bytes) -> tuple[bytes, list[UnrolledBlock]]:
        """Return the new content of a file, and its blocks that change."""
        problems: list[Problem] = []
        source = SourceText(name, content)
        body = read_file(source, problems)
        edits: list[_Edit] = []
        blocks: list[UnrolledBlock] = []
        for type_ in body.block_types():
            for block in body.blocks(type_, _LABELS.get(type_, 0)):
                start, stop = block.range.start, block.body_range.stop
                text = self._block(block, content)
                if text != content[start:stop].decode("utf-8", "surrogateescape"):
                    edits.append(_Edit(start, stop, text))
                    blocks.append(UnrolledBlock(f"{name}:{block.range.line}", text))
        return _applied(content, 0, len(content), edits).encode("utf-8", "surrogateescape"), blocks

    def _block(self, block: Block, content: bytes) -> str:
        start, stop = block.range.start, block.body_range.stop
        thing = self._thing(block)
        copies = self.names.get(thing)
        if copies is not None and next(self._repetition(block), None) is None:
            self.obstacles.append(f"{block.range}: it overrides a block with for_each; merge it into that block first")
            return content[start:stop].decode("utf-8", "surrogateescape")
        if copies is None:
            return _applied(content, start, stop, self._edits(block, content, None))
        texts = []
        for key, name in copies.items():
            instance = self._instance(block, content, key)
            edits = self._edits(block, content, instance)
            if block.type == "provider":
                alias = block.body.attribute("alias")
                assert alias is not None
                edits.append(_Edit(alias.expression.range.start, alias.expression.range.stop, hcl_quote(name)))
            else:
                label = block.label_ranges[-1]
                edits.append(_Edit(label.start, label.stop, hcl_quote(name)))
            edits += [_line(argument, content) for argument in self._repetition(block)]
            edits += _aligned(block.body, tuple(self._repetition(block)), content)
            texts.append(_applied(content, start, stop, edits))
        return "\n\n".join(texts)

    @staticmethod
    def _repetition(block: Block) -> Iterator[Argument]:
        for name in ("for_each", "count"):
            argument = block.body.attribute(name)
            if argument is not None:
                yield argument

    def _thing(self, block: Block) -> _Thing:
        if block.type == "provider":
            alias = block.body.attribute("alias")
            return (block.labels[0], str(getattr(alias.expression, "value", ""))) if alias is not None else ()
        if block.type == "resource":
            return block.labels
        return (block.type, *block.labels)

    def _instance(self, block: Block, content: bytes, key: InstanceKey) -> _Instance:
        argument = next(self._repetition(block))
        place = argument.expression.range
        value = evaluate(argument.expression, self._found.instances.static_scope(self._path))
        text = content[place.start : place.stop].decode("utf-8", "replace")
        return _Instance(key, text, isinstance(value.type, SetType))

    def _edits(self, block: Block, content: bytes, instance: _Instance | None) -> list[_Edit]:
        """Return the edits of a block, or of a copy of it for an instance."""
        found: list[_Edit] = []
        # Blocks inside may have arguments of the same names, as `dynamic` has.
        removed = () if instance is None else tuple(self._repetition(block))
        has_provider = block.type in ("resource", "data", "module", "ephemeral")
        bound = tuple(map(block.body.attribute, ("provider", "providers"))) if has_provider else ()
        for argument in _arguments(block.body):
            if argument in removed:
                continue
            if argument in bound:
                found += self._provider_edits(argument, content, instance)
                continue
            for reference in references(argument.expression):
                edit = self._edit(reference, argument, content, instance)
                if edit is not None:
                    found.append(edit)
        return found

    def _provider_edits(self, argument: Argument, content: bytes, instance: _Instance | None) -> Iterator[_Edit]:
        """Yield the edits of references to provider instances, which name an alias instead."""
        place = argument.expression.range
        text = content[place.start : place.stop]
        for found in re.finditer(rb"([\w-]+)\.([\w-]+)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]", text):
            aliases = self._aliases.get((found[1].decode(), found[2].decode()))
            if aliases is None:
                continue
            key = self._key(argument, place.start + found.start(), instance)
            alias = None if key is None else aliases.get(key)
            if alias is None:
                self.obstacles.append(f"{argument.range}: the provider instance is not known")
                continue
            yield _Edit(place.start + found.start(), place.start + found.end(), f"{found[1].decode()}.{alias}")

    def _key(self, argument: Argument, start: int, instance: _Instance | None) -> InstanceKey | None:
        """Return the key of the reference to a provider instance that starts at a byte of an argument."""
        items = getattr(argument.expression, "items", None)
        given = [argument.expression] if items is None else [item.value for item in items]
        expression = next((one for one in given if one.range.start <= start < one.range.stop), None)
        reference = None if expression is None else read_provider_reference(expression, argument.name)
        if not isinstance(reference, ProviderReference) or reference.key is None:
            return None
        scope = self._found.instances.static_scope(self._path)
        if instance is not None:
            scope = scope.within(self._each(argument, instance))
        key = evaluated_key(reference.key, scope)
        return None if isinstance(key, Unknown) else key

    def _each(self, argument: Argument, instance: _Instance) -> EachValue | None:
        users: list[ResourceBlock | ModuleCall] = [*self._declarations.resources, *self._declarations.calls.values()]
        for of in users:
            given = of.provider if isinstance(of, ResourceBlock) else None
            place = of.providers_range if isinstance(of, ModuleCall) else None if given is None else given.range
            if place is not None and place.start == argument.range.start and place.file == argument.range.file:
                found = self._instances(of)
                if not isinstance(found, Unknown):
                    return next((one.each for one in found if one.key == instance.key), None)
        return None

    def _edit(
        self, reference: Traversal, argument: Argument, content: bytes, instance: _Instance | None
    ) -> _Edit | None:
        names = [step.name for step in reference.steps if isinstance(step, AttributeAccess)]
        if instance is not None and reference.root in ("each", "count") and names:
            step = reference.steps[0]
            start, stop = reference.range.start, step.range.stop
            return _in_template(content, start, stop, _literal(reference.root, names[0], instance))
        count = {"module": 1, "data": 2}.get(reference.root, 1)
        thing = (reference.root, *names[:count])
        copies = self.names.get(thing)
        if copies is None or len(reference.steps) < count or thing in self._aliases:
            return None
        start, end = reference.range.start, reference.steps[count - 1].range.stop
        base = ".".join(thing[:-1])
        after = reference.steps[count] if len(reference.steps) > count else None
        if isinstance(after, IndexAccess):
            key = StringKey(after.key) if isinstance(after.key, str) else IntKey(after.key.small_integer() or 0)
            if key not in copies:
                self.obstacles.append(f"{reference.range}: there is no instance {key}")
                return None
            return _Edit(start, after.range.stop, f"{base}.{copies[key]}")
        own = re.compile(rb"\[\s*(each\.key|count\.index)\s*\]").match(content, end)
        if own is not None and instance is not None and instance.key in copies:
            return _Edit(start, own.end(), f"{base}.{copies[instance.key]}")
        if argument.name == "depends_on":
            return _Edit(start, end, ", ".join(f"{base}.{name}" for name in copies.values()))
        members = [
            f"{base}.{name}" if isinstance(key, IntKey) else f"{_text(key)} = {base}.{name}"
            for key, name in copies.items()
        ]
        brackets = "[]" if any(isinstance(key, IntKey) for key in copies) else "{}"
        return _Edit(start, end, f"({brackets[0]} {', '.join(members)} {brackets[1]})")


def _data(resource: ResourceBlock) -> tuple[str, ...]:
    mode = resource.mode.value
    return () if mode == "managed" else (mode,)


def _named(name: str, keys: Sequence[InstanceKey], taken: set[str]) -> dict[InstanceKey, str]:
    """Return a free name for each key: `logs_eu_west_1`."""
    found: dict[InstanceKey, str] = {}
    for key in keys:
        wanted = name if key is NO_KEY else f"{name}_{re.sub(r'[^A-Za-z0-9_-]+', '_', _plain(key))}"
        free, number = wanted, 1
        while free in taken:
            number += 1
            free = f"{wanted}_{number}"
        taken.add(free)
        found[key] = free
    return found


def _plain(key: InstanceKey) -> str:
    return str(key.value) if isinstance(key, IntKey | StringKey) else ""


def _text(key: InstanceKey) -> str:
    return hcl_quote(key.value) if isinstance(key, StringKey) else _plain(key)


def _literal(root: str, name: str, instance: _Instance) -> str:
    """Return what `each.key`, `each.value` or `count.index` is in a copy."""
    if root == "count" or name == "key" or instance.is_set:
        return _text(instance.key)
    simple = re.fullmatch(r"[\w.-]+", instance.collection) is not None
    return f"{instance.collection if simple else f'({instance.collection})'}[{_text(instance.key)}]"


# Text that means the same inside quotes, and beside any other text of a template.
_PLAIN_TEXT: Final = re.compile(r'"[\w./:@ -]*"', re.ASCII)


def _in_template(content: bytes, start: int, stop: int, text: str) -> _Edit:
    """Return the edit of a reference; one to plain text that is interpolated becomes a part of the template."""
    is_interpolated = content[start - 2 : start] == b"${" and content[stop : stop + 1] == b"}"
    if is_interpolated and _PLAIN_TEXT.fullmatch(text):
        return _Edit(start - 2, stop + 1, text[1:-1])
    return _Edit(start, stop, text)


def _aligned(body: Body, removed: Sequence[Argument], content: bytes) -> list[_Edit]:
    """Return the edits that align the arguments around removed ones, as `tofu fmt` does."""
    found: list[_Edit] = []
    arguments = [argument for name in body.names() if (argument := body.attribute(name)) is not None]
    run: list[Argument] = []
    line, is_changed = 0, False
    for argument in sorted(arguments, key=lambda argument: argument.range.start):
        place = argument.range
        if place.line != line + 1:
            found += _aligned_run(run, content) if is_changed else ()
            run, is_changed = [], False
        line = place.end_line
        if argument in removed:
            is_changed = True
            if _has_comment(argument, content):
                # A comment stays, which ends the run.
                found += _aligned_run(run, content)
                run = []
        elif place.line == line or content.startswith(b"<<", argument.expression.range.start):
            run.append(argument)
        else:
            # An argument of several lines is not aligned with others.
            line = 0
    return [*found, *(_aligned_run(run, content) if is_changed else ())]


def _aligned_run(run: Sequence[Argument], content: bytes) -> Iterator[_Edit]:
    width = max((len(argument.name) for argument in run), default=0)
    for argument in run:
        stop = argument.name_range.stop
        end = content.index(b"=", stop)
        if not content[stop:end].strip():
            yield _Edit(stop, end, " " * (width - len(argument.name) + 1))


def _arguments(body: Body) -> Iterator[Argument]:
    """Yield all arguments of a body and of the blocks in it."""
    for name in body.names():
        argument = body.attribute(name)
        if argument is not None:
            yield argument
    for type_ in body.block_types():
        for block in body.blocks(type_, _LABELS.get(type_, 0)):
            yield from _arguments(block.body)


def _line(argument: Argument, content: bytes) -> _Edit:
    """Return the edit that removes an argument with its line; a comment after it stays."""
    start, stop = argument.range.start, argument.range.stop
    while content[stop : stop + 1] in (b" ", b"\t", b"\r"):
        stop += 1
    if not _has_comment(argument, content):
        stop += content[stop : stop + 1] == b"\n"
        while content[start - 1 : start] in (b" ", b"\t"):
            start -= 1
    return _Edit(start, stop, "")


def _has_comment(argument: Argument, content: bytes) -> bool:
    """Return whether something else is on the line after an argument."""
    end = content.find(b"\n", argument.range.stop)
    return bool(content[argument.range.stop : end if end >= 0 else len(content)].strip())


def _applied(content: bytes, start: int, stop: int, edits: Sequence[_Edit]) -> str:
    """Return a part of a file with its edits; those inside another one are left out."""
    parts: list[str] = []
    at = start
    for edit in sorted(edits, key=lambda edit: (edit.start, -edit.stop)):
        if edit.start < at:
            continue
        parts += [content[at : edit.start].decode("utf-8", "surrogateescape"), edit.text]
        at = edit.stop
    return "".join([*parts, content[at:stop].decode("utf-8", "surrogateescape")])
