"""Decodes the blocks of a directory's configuration and test files, and merges override files into them.

Ignores arguments other than those for variables, providers, instances and addresses. Sources: OpenTofu
`internal/configs`, in `parser_config.go` (loadConfigFileBody), `module.go` (appendFile, mergeFile),
`named_values.go`, `module_call.go`, `depends_on.go`, `resource.go`, `moved.go`, `removed.go` and `import.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeVar

import msgspec

from statefmt.configuration import _provider_blocks as decode_providers
from statefmt.configuration._constructs import read_constructs
from statefmt.configuration._provider_blocks import FileReader, read_passed, read_provider
from statefmt.configuration.model import (
    ConstructUse,
    Declarations,
    EncryptionBlock,
    ImportBlock,
    Local,
    ModuleCall,
    MovedBlock,
    ProviderBlock,
    ProviderUse,
    RemovedBlock,
    Repetition,
    RequiredProvider,
    RequiredVersion,
    ResourceBlock,
    TestFile,
    TestRun,
    Variable,
)
from statefmt.configuration.provider_reference import read_provider_reference
from statefmt.hcl.source import Problem, ProblemKind, Range, error
from statefmt.hcl.syntax import Argument, Block, Body, MergedBody, attributes
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
        # Blocks by the declared object, so that an override finds its base; in file order.
        self._named: dict[tuple[str, ...], _Placed] = {}
        self._nameless: list[_Placed] = []
        self._locals: dict[str, Local] = {}
        self._required: dict[str, RequiredProvider] = {}
        self._encryption: list[EncryptionBlock] = []
        self._functions: list[ProviderUse] = []
        self._versions: list[RequiredVersion] = []
        self._constructs: list[ConstructUse] = []
        self._state_at: Range | None = None
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
            for local in read_locals(reader, block):
                if local.name in self._locals:
                    first = self._locals[local.name].range
                    detail = f'A local value named "{local.name}" was already defined at {first}.'
                    _complain(reader, "Duplicate local value definition", detail, local.range)
                else:
                    self._locals[local.name] = local
        self._encryption += _encryption_blocks(reader, body, override=False)
        self._functions += decode_providers.read_functions(reader, body)
        self._constructs += read_constructs(reader, body)
        self._state_at = self._state_at or next(_state_blocks(body), None)
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
            for local in read_locals(reader, block):
                if local.name in self._locals:
                    self._locals[local.name] = local
                else:
                    detail = f'There is no local value named "{local.name}" for this one to override.'
                    _complain(reader, "Missing base local value definition to override", detail, local.range)
        self._encryption += _encryption_blocks(reader, body, override=True)
        self._functions += decode_providers.read_functions(reader, body)
        self._constructs += read_constructs(reader, body)
        self._state_at = self._state_at or next(_state_blocks(body), None)
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
        """Return the combined declarations of the files; may add problems. `lists` come from query files."""
        variables = list(self._read("variable", read_variable))
        providers = list(self._read("provider", decode_providers.read_provider))
        calls = list(self._read("module", read_module_call))
        resources: list[ResourceBlock] = []
        for placed in self._named.values():
            if placed.block.type in _MODES:
                mode = _MODES[placed.block.type]
                resources.append(read_resource(placed.reader, placed.block, mode))
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
            moved=tuple(self._nameless_of("moved", read_moved)),
            removed=tuple(self._nameless_of("removed", read_removed)),
            imports=tuple(self._nameless_of("import", read_import)),
            encryption=tuple(self._encryption),
            uses=(*self._read("action", read_use), *lists, *self._functions),
            required_versions=tuple(self._versions),
            constructs=tuple(self._constructs),
            state_at=self._state_at,
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
    """Yield the `list` blocks of a query file, except blocks that use a provider block of the same file.

    Source: Terraform `internal/configs/query_file.go`.
    """
    own = {
        (provider.name, provider.alias)
        for provider in (decode_providers.read_provider(reader, block) for block in body.blocks("provider", 1))
    }
    for block in body.blocks("list", 2):
        use = read_use(reader, block)
        if use.provider is None:
            detail = "You must specify a provider attribute when defining a list block."
            reader.complain('Missing "provider" attribute', detail, block.range)
            continue
        reference = read_provider_reference(use.provider.expression)
        if isinstance(reference, Problem) or (reference.local.local_name, reference.local.alias) not in own:
            yield use


def _encryption_blocks(reader: FileReader, body: Body, *, override: bool) -> Iterator[EncryptionBlock]:
    """Yield the encryption blocks of a file, which are decoded only if a state is encrypted."""
    for terraform in body.blocks("terraform"):
        for block in terraform.body.blocks("encryption"):
            yield EncryptionBlock(range=block.range, source=reader.source, json=reader.json, override=override)


def _state_blocks(body: Body) -> Iterator[Range]:
    for terraform in body.blocks("terraform"):
        for type_, labels in (("backend", 1), ("cloud", 0), ("state_store", 1)):
            for block in terraform.body.blocks(type_, labels):
                yield block.range


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


_MODULE_META = frozenset(
    {"source", "version", "count", "for_each", "depends_on", "providers", "lifecycle", "locals", "provider", "_"}
)


def read_variable(reader: FileReader, block: Block) -> Variable:
    """Decode a `variable "name"` block."""
    body = block.body
    reader.name("Invalid variable name", block.labels[0], block.label_ranges[0])
    default = body.attribute("default", literal=True)
    const = body.attribute("const")
    return Variable(
        name=block.labels[0],
        range=block.range,
        type=reader.type_expression(body.attribute("type")),
        default=None if default is None else default.expression,
        sensitive=reader.truth(block, "sensitive", False),
        ephemeral=reader.truth(block, "ephemeral", False),
        nullable=reader.truth(block, "nullable", True),
        const=None if const is None else reader.truth(block, "const", False),
    )


def read_locals(reader: FileReader, block: Block) -> Iterator[Local]:
    """Decode each value of a `locals` block."""
    for argument in attributes(block.body):
        reader.name("Invalid local value name", argument.name, argument.name_range)
        yield Local(argument.name, argument.expression, argument.range)


def read_module_call(reader: FileReader, block: Block) -> ModuleCall:
    """Decode a `module "name"` block; a nested `_` block escapes arguments with the names of meta-arguments."""
    body = block.body
    reader.name("Invalid module instance name", block.labels[0], block.label_ranges[0])
    providers = body.attribute("providers")
    depends_on = body.attribute("depends_on")
    for reserved in (*body.blocks("locals"), *body.blocks("provider", 1)):
        detail = f'The block type name "{reserved.type}" is reserved for use by OpenTofu in a future version.'
        reader.complain("Reserved block type name in module block", detail, reserved.type_range)
    arguments = {argument.name: argument for argument in attributes(body) if argument.name not in _MODULE_META}
    for escape in body.blocks("_"):
        arguments |= {argument.name: argument for argument in attributes(escape.body)}
    return ModuleCall(
        name=block.labels[0],
        range=block.range,
        source=body.attribute("source"),
        version=body.attribute("version"),
        repetition=_repetition(body),
        depends_on=()
        if depends_on is None
        else tuple(map(reader.without_quotes, reader.elements(depends_on.expression))),
        providers=None if providers is None else tuple(read_passed(reader, providers.expression)),
        providers_range=None if providers is None else providers.range,
        arguments=arguments,
    )


def read_resource(reader: FileReader, block: Block, mode: addrs.ResourceMode) -> ResourceBlock:
    """Decode a `resource`, `data` or `ephemeral` block."""
    return ResourceBlock(
        mode=mode,
        type=block.labels[0],
        name=block.labels[1],
        range=block.range,
        type_range=block.label_ranges[0],
        provider=_provider(reader, block.body),
        repetition=_repetition(block.body),
        body=block.body,
    )


def read_use(reader: FileReader, block: Block) -> ProviderUse:
    """Decode an `action` or `list` block. Source: Terraform `internal/configs/action.go`, `query_file.go`."""
    type_, name = block.labels
    local = addrs.LocalProviderConfig(type_.partition("_")[0])
    return ProviderUse(f"{block.type}.{type_}.{name}", block.range, local, _provider(reader, block.body))


def _provider(reader: FileReader, body: Body) -> Argument | None:
    argument = body.attribute("provider")
    if argument is None:
        return None
    return msgspec.structs.replace(argument, expression=reader.without_quotes(argument.expression))


def _repetition(body: Body) -> Repetition:
    enabled = next((block.body.attribute("enabled") for block in body.blocks("lifecycle")), None)
    return Repetition(body.attribute("count"), body.attribute("for_each"), enabled)


def read_moved(reader: FileReader, block: Block) -> MovedBlock | None:
    """Decode a `moved` block; return None if one of its addresses is missing."""
    source = reader.reference(block.body.attribute("from"))
    target = reader.reference(block.body.attribute("to"))
    if source is None or target is None:
        missing = "from" if source is None else "to"
        reader.complain(
            "Missing required argument",
            f'The argument "{missing}" is required, but no definition was found.',
            block.range,
        )
        return None
    return MovedBlock(source.expression, target.expression, block.range)


def read_removed(reader: FileReader, block: Block) -> RemovedBlock | None:
    """Decode a `removed` block; return None if it has no address."""
    source = reader.reference(block.body.attribute("from"))
    if source is None:
        detail = 'The argument "from" is required, but no definition was found.'
        reader.complain("Missing required argument", detail, block.range)
        return None
    destroy: bool | None = None
    for lifecycle in block.body.blocks("lifecycle"):
        if "destroy" in lifecycle.body.names():
            destroy = reader.truth(lifecycle, "destroy", False)
    return RemovedBlock(source.expression, block.range, destroy)


def read_import(reader: FileReader, block: Block) -> ImportBlock | None:
    """Decode an `import` block; return None if it has no address."""
    target = reader.reference(block.body.attribute("to"))
    if target is None:
        return None
    body = block.body
    return ImportBlock(target.expression, block.range, body.attribute("for_each"), _provider(reader, body))


def read_test_file(reader: FileReader, body: Body) -> TestFile:
    """Decode the provider blocks, real and mocked, the runs and the variables of a test file."""
    providers = [read_provider(reader, block) for block in body.blocks("provider", 1)]
    mocks: dict[tuple[str, str], ProviderBlock] = {}
    for block in body.blocks("mock_provider", 1):
        mock = read_provider(reader, block, mock=True)
        if mocks.setdefault((mock.name, mock.alias), mock) is not mock:
            detail = f"There is already a mock of {mock.name}{'.' if mock.alias else ''}{mock.alias} in this file."
            reader.complain("Duplicated `mock_provider` block", detail, mock.range)
    runs = [_run(reader, block) for block in body.blocks("run", 1)]
    return TestFile(reader.source.file, (*providers, *mocks.values()), tuple(runs), _variables(body))


def _run(reader: FileReader, block: Block) -> TestRun:
    providers = block.body.attribute("providers")
    source: str | None = None
    where: Range | None = None
    for module in block.body.blocks("module"):
        source, where = reader.text(module.body.attribute("source")), module.range
    return TestRun(
        name=block.labels[0],
        range=block.range,
        module_source=source or "",
        module_range=where,
        providers=() if providers is None else tuple(read_passed(reader, providers.expression)),
        variables=_variables(block.body),
    )


def _variables(body: Body) -> Mapping[str, Argument]:
    return {argument.name: argument for block in body.blocks("variables") for argument in attributes(block.body)}
