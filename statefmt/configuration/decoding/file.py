"""Collects the blocks of a directory's configuration files, and merges override files into them.

Sources: OpenTofu `internal/configs/parser_config.go` (loadConfigFileBody), `module.go` (appendFile, mergeFile).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

import msgspec

from statefmt.configuration.decoding import _blocks as decode_blocks, _providers as decode_providers
from statefmt.configuration.decoding.reader import FileReader
from statefmt.configuration.model import (
    Declarations,
    EncryptionBlock,
    Local,
    ProviderUse,
    RequiredProvider,
    RequiredVersion,
    ResourceBlock,
)
from statefmt.configuration.provider_reference import read_provider_reference
from statefmt.hcl.source.position import Range
from statefmt.hcl.source.problem import Problem, ProblemKind, error
from statefmt.hcl.syntax.body import Block, Body, MergedBody
from statefmt.model import addrs

_T = TypeVar("_T")
_MODES: Final = {
    "resource": addrs.ResourceMode.MANAGED,
    "data": addrs.ResourceMode.DATA,
    "ephemeral": addrs.ResourceMode.EPHEMERAL,
}
# Blocks that use a provider and leave nothing in a state (Terraform 1.14).
_USES: Final = ("action",)
# OpenTofu has a separate summary for each block type.
_NO_BASE: Final = {
    "variable": "Missing base variable declaration to override",
    "provider": "Missing base provider configuration for override",
    "module": "Missing module call to override",
    "resource": "Missing resource to override",
    "data": "Missing data resource to override",
    "ephemeral": "Missing ephemeral resource to override",
    "action": "Missing action to override",
}
# The arguments of a provider block that an override file cannot change.
_KEPT: Final = frozenset({"for_each", "alias"})
_NO_OVERRIDE: Final = ("moved", "import", "removed")


class _Placed(msgspec.Struct):
    """A block with the reader of its file."""

    reader: FileReader
    block: Block


class DirectoryDecoder:
    """Collects the files of one directory, primary files first, and then returns their combined declarations."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        # Blocks by what they declare, so that an override finds its base; in file order.
        self._named: dict[tuple[str, ...], _Placed] = {}
        self._nameless: list[_Placed] = []
        self._locals: dict[str, Local] = {}
        self._required: dict[str, RequiredProvider] = {}
        self._encryption: list[EncryptionBlock] = []
        self._functions: list[ProviderUse] = []
        self._versions: list[RequiredVersion] = []
        self._requirements_at: Range | None = None

    def add(self, reader: FileReader, body: Body) -> None:
        """Add a primary file."""
        for block in self._blocks(body):
            key = _identity(block)
            if key is None:
                self._nameless.append(_Placed(reader, block))
            elif key in self._named:
                _duplicate(reader, block, self._named[key].block, key)
            else:
                self._named[key] = _Placed(reader, block)
        for block in body.blocks("locals"):
            for local in decode_blocks.read_locals(reader, block):
                if local.name in self._locals:
                    first = self._locals[local.name].range
                    detail = f'A local value named "{local.name}" was already defined at {first}.'
                    _complain(reader, "Duplicate local value definition", detail, local.range)
                else:
                    self._locals[local.name] = local
        self._encryption += _encryption_blocks(reader, body, override=False)
        self._functions += decode_providers.read_functions(reader, body)
        self._versions += _required_versions(reader, body)
        for block in _requirement_blocks(body):
            if self._requirements_at is None:
                self._requirements_at = block.range
            else:
                detail = (
                    f"A module can have only one required_providers block. There is one at {self._requirements_at}."
                )
                _complain(reader, "Duplicate required providers configuration", detail, block.range)
            for entry in decode_providers.read_required_providers(reader, block):
                self._required.setdefault(entry.name, entry)
        for block in body.blocks("required_providers"):
            detail = "A required_providers block must be inside a terraform block."
            reader.complain("Invalid required_providers block", detail, block.type_range)

    def override(self, reader: FileReader, body: Body) -> None:
        """Merge an override file into the collected blocks."""
        for block in self._blocks(body):
            key = _identity(block)
            if key is None:
                _complain(
                    reader, f"Cannot override '{block.type}' blocks", "Move the block to a regular file.", block.range
                )
            elif (base := self._named.get(key)) is not None:
                kept = _KEPT if block.type == "provider" else frozenset()
                merged = msgspec.structs.replace(base.block, body=MergedBody(base.block.body, block.body, kept))
                self._named[key] = _Placed(base.reader, merged)
            elif block.type == "provider" and len(key) == 2:
                # A default configuration exists even without a block, so it can be overridden.
                self._named[key] = _Placed(reader, block)
            else:
                detail = f"There is no {' '.join(key)} in the other files for this block to override."
                _complain(reader, _NO_BASE[block.type], detail, block.range)
        for block in body.blocks("locals"):
            for local in decode_blocks.read_locals(reader, block):
                if local.name in self._locals:
                    self._locals[local.name] = local
                else:
                    detail = f'There is no local value named "{local.name}" for this one to override.'
                    _complain(reader, "Missing base local value definition to override", detail, local.range)
        self._encryption += _encryption_blocks(reader, body, override=True)
        self._functions += decode_providers.read_functions(reader, body)
        if versions := list(_required_versions(reader, body)):
            self._versions = versions
        for block in _requirement_blocks(body):
            for entry in decode_providers.read_required_providers(reader, block):
                self._required[entry.name] = entry

    @staticmethod
    def _blocks(body: Body) -> Iterator[Block]:
        for type_ in ("variable", "provider", "module"):
            yield from body.blocks(type_, 1)
        for type_ in (*_MODES, *_USES):
            yield from body.blocks(type_, 2)
        for check in body.blocks("check", 1):
            yield from check.body.blocks("data", 2)
        for type_ in _NO_OVERRIDE:
            yield from body.blocks(type_)

    def result(self, files: tuple[str, ...], *, incomplete: bool, lists: tuple[ProviderUse, ...] = ()) -> Declarations:
        """Return the combined declarations of the files; decoding them may add problems. `lists` are of query files."""
        variables = list(self._read("variable", decode_blocks.read_variable))
        providers = list(self._read("provider", decode_providers.read_provider))
        calls = list(self._read("module", decode_blocks.read_module_call))
        resources: list[ResourceBlock] = []
        for placed in self._named.values():
            if placed.block.type in _MODES:
                mode = _MODES[placed.block.type]
                resources.append(decode_blocks.read_resource(placed.reader, placed.block, mode))
        return Declarations(
            directory=self._directory,
            files=files,
            incomplete=incomplete,
            variables={variable.name: variable for variable in variables},
            locals=self._locals,
            providers={(provider.name, provider.alias): provider for provider in providers},
            required_providers=self._required,
            calls={call.name: call for call in calls},
            resources=tuple(resources),
            moved=tuple(self._nameless_of("moved", decode_blocks.read_moved)),
            removed=tuple(self._nameless_of("removed", decode_blocks.read_removed)),
            imports=tuple(self._nameless_of("import", decode_blocks.read_import)),
            encryption=tuple(self._encryption),
            uses=(*self._read("action", decode_blocks.read_use), *lists, *self._functions),
            required_versions=tuple(self._versions),
        )

    def _read(self, type_: str, read: Callable[[FileReader, Block], _T]) -> Iterator[_T]:
        for placed in self._named.values():
            if placed.block.type == type_:
                yield read(placed.reader, placed.block)

    def _nameless_of(self, type_: str, read: Callable[[FileReader, Block], _T | None]) -> Iterator[_T]:
        for placed in self._nameless:
            if placed.block.type == type_:
                found = read(placed.reader, placed.block)
                if found is not None:
                    yield found


def read_query_file(reader: FileReader, body: Body) -> Iterator[ProviderUse]:
    """Yield the `list` blocks of a query file, but those that use a provider block of the same file.

    Source: Terraform `internal/configs/query_file.go`.
    """
    own = {
        (provider.name, provider.alias)
        for provider in (decode_providers.read_provider(reader, block) for block in body.blocks("provider", 1))
    }
    for block in body.blocks("list", 2):
        use = decode_blocks.read_use(reader, block)
        if use.provider is None:
            detail = "You must specify a provider attribute when defining a list block."
            reader.complain('Missing "provider" attribute', detail, block.range)
            continue
        reference = read_provider_reference(use.provider.expression)
        if isinstance(reference, Problem) or (reference.local.local_name, reference.local.alias) not in own:
            yield use


def _encryption_blocks(reader: FileReader, body: Body, *, override: bool) -> Iterator[EncryptionBlock]:
    """Yield the encryption blocks of a file, to be decoded only if a state is encrypted."""
    for terraform in body.blocks("terraform"):
        for block in terraform.body.blocks("encryption"):
            yield EncryptionBlock(range=block.range, source=reader.source, json=reader.json, override=override)


def _required_versions(reader: FileReader, body: Body) -> Iterator[RequiredVersion]:
    for terraform in body.blocks("terraform"):
        version = terraform.body.attribute("required_version")
        text = None if version is None else getattr(version.expression, "value", None)
        if version is not None and isinstance(text, str):
            yield RequiredVersion(text, version.range)


def _requirement_blocks(body: Body) -> Iterator[Block]:
    for terraform in body.blocks("terraform"):
        yield from terraform.body.blocks("required_providers")


def _identity(block: Block) -> tuple[str, ...] | None:
    if block.type in _NO_OVERRIDE:
        return None
    if block.type != "provider":
        return (block.type, *block.labels)
    alias = block.body.attribute("alias")
    text = getattr(alias.expression, "value", None) if alias is not None else None
    return ("provider", block.labels[0], text) if isinstance(text, str) else ("provider", block.labels[0])


def _duplicate(reader: FileReader, block: Block, first: Block, key: tuple[str, ...]) -> None:
    where = first.range
    match block.type:
        case "variable":
            summary = "Duplicate variable declaration"
            detail = f'A variable named "{key[1]}" was already declared at {where}.'
        case "module":
            summary = "Duplicate module call"
            detail = f'A module call named "{key[1]}" was already defined at {where}.'
        case "provider" if len(key) > 2:
            summary = "Duplicate provider configuration"
            detail = f'A provider configuration for "{key[1]}" with alias "{key[2]}" was already given at {where}.'
        case "provider":
            summary = "Duplicate provider configuration"
            detail = (
                f'A default (non-aliased) provider configuration for "{key[1]}" was already given at {where}. '
                'If multiple configurations are required, set the "alias" argument for alternative configurations.'
            )
        case _:
            kind = "ephemeral resource" if block.type == "ephemeral" else block.type
            summary = f'Duplicate {kind} "{key[1]}" configuration'
            detail = f'A {key[1]} {block.type} named "{key[2]}" was already declared at {where}.'
    _complain(reader, summary, detail, block.range)


def _complain(reader: FileReader, summary: str, detail: str, place: Range) -> None:
    reader.problems.append(error(ProblemKind.DUPLICATE, summary, detail, place))
